"""What is learnt from refusals."""

import httpx2
import pytest

from arc_plugins.models.openai.responses.encode import ResponsesDialect
from tests.arc_plugins.models.refusals import refusal


def refusal_of(parameter: str | None) -> httpx2.HTTPStatusError:
    """A refusal that names a parameter."""
    return refusal(400, {"error": {"param": parameter}})


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
    assert ResponsesDialect().after(refusal_of(parameter)) == expected


def test_reasoning_that_cannot_be_read_is_left_out() -> None:
    """Told by the code of the refusal, which names no parameter."""
    error = {"code": "invalid_encrypted_content", "param": None}
    unreadable = refusal(400, {"error": error})

    assert ResponsesDialect().after(unreadable) == ResponsesDialect(takes_reasoning=False)
    assert ResponsesDialect(takes_reasoning=False).after(unreadable) is None


def test_what_is_left_out_already_is_not_the_reason() -> None:
    """The request is not sent a second time unchanged."""
    assert ResponsesDialect(takes_include=False).after(refusal_of("include")) is None
