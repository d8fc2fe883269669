"""What is learnt from refusals."""

import httpx2
import openai
import pytest

from arc_plugins.models.openai.responses.encode import ResponsesDialect

REQUEST = httpx2.Request("POST", "http://127.0.0.1/v1/responses")


def refusal(parameter: str | None) -> openai.BadRequestError:
    """A refusal that names a parameter."""
    response = httpx2.Response(400, request=REQUEST)
    return openai.BadRequestError("no", response=response, body={"param": parameter})


@pytest.mark.parametrize(
    ("parameter", "expected"),
    [
        ("include", ResponsesDialect(takes_include=False)),
        ("include[0]", ResponsesDialect(takes_include=False)),
        ("reasoning.summary", ResponsesDialect(takes_summary=False)),
        ("reasoning.effort", None),
        ("text", ResponsesDialect(takes_format=False)),
        ("text.format.schema", ResponsesDialect(takes_format=False)),
        ("text.verbosity", None),
        ("prompt_cache_key", ResponsesDialect(takes_cache_key=False)),
        ("input", None),
        (None, None),
    ],
)
def test_a_refused_parameter_is_left_out(
    parameter: str | None, expected: ResponsesDialect | None
) -> None:
    """It is known by its name in the body of the refusal."""
    assert ResponsesDialect().after(refusal(parameter)) == expected


def test_reasoning_that_cannot_be_read_is_left_out() -> None:
    """Told by the code of the refusal, which names no parameter."""
    response = httpx2.Response(400, request=REQUEST)
    body = {"code": "invalid_encrypted_content", "param": None}
    unreadable = openai.BadRequestError("no", response=response, body=body)

    assert ResponsesDialect().after(unreadable) == ResponsesDialect(takes_reasoning=False)
    assert ResponsesDialect(takes_reasoning=False).after(unreadable) is None


def test_what_is_left_out_already_is_not_the_reason() -> None:
    """The request is not sent a second time unchanged."""
    assert ResponsesDialect(takes_include=False).after(refusal("include")) is None
