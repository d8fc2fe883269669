"""What a server rejects by name is left out the next time."""

import httpx2
import pytest

from arc_plugins.models.openai.chat.encode import ChatDialect, dialect_of_host
from tests.arc_plugins.models.refusals import refusal


def rejection(error: object) -> httpx2.HTTPStatusError:
    """A refusal with the `error` of its body."""
    return refusal(400, {"error": error})


@pytest.mark.parametrize(
    ("parameter", "changed"),
    [
        ("stream_options", ChatDialect(takes_stream_options=False)),
        ("stream_options.include_usage", ChatDialect(takes_stream_options=False)),
        ("response_format.json_schema", ChatDialect(takes_response_format=False)),
        ("reasoning_effort", ChatDialect(needs_no_reasoning=True)),
        ("max_completion_tokens", ChatDialect(max_tokens_names=("max_tokens",))),
    ],
)
def test_a_named_parameter_changes_the_dialect(parameter: str, changed: ChatDialect) -> None:
    """OpenAI names the parameter, sometimes with a path into it."""
    assert ChatDialect().after(rejection({"param": parameter})) == changed


def test_a_location_names_a_parameter_too() -> None:
    """Servers that validate with pydantic say where the unwanted field stands."""
    body = {"detail": [{"loc": ["body", "stream_options"], "type": "extra_forbidden"}]}

    assert ChatDialect().after(refusal(400, body)) == ChatDialect(takes_stream_options=False)


@pytest.mark.parametrize(
    "body",
    [
        None,
        "stream_options is not supported",
        {"message": "stream_options is not supported"},
        {"param": "messages"},
        {"param": "max_tokens"},
        {"detail": "stream_options"},
        {"detail": [{"loc": "stream_options"}, "stream_options", {"loc": ["body", 0]}]},
    ],
)
def test_other_refusals_change_nothing(body: object) -> None:
    """Texts are not read, and what was not sent cannot be left out."""
    assert ChatDialect().after(rejection(body)) is None
    assert ChatDialect().after(refusal(400, body)) is None


def test_nothing_is_left_out_twice() -> None:
    """A server that still rejects it is not asked a third time."""
    once = ChatDialect(takes_stream_options=False, needs_no_reasoning=True)

    assert once.after(rejection({"param": "stream_options"})) is None
    assert once.after(rejection({"param": "reasoning_effort"})) is None


def test_both_names_of_the_bound_are_tried() -> None:
    """Then it is left out."""
    first = ChatDialect().after(rejection({"param": "max_completion_tokens"}))
    assert first is not None

    second = first.after(rejection({"param": "max_tokens"}))

    assert second == ChatDialect(max_tokens_names=())


@pytest.mark.parametrize(
    ("host", "name"),
    [
        ("api.openai.com", "max_completion_tokens"),
        ("eu.api.openai.com", "max_completion_tokens"),
        ("127.0.0.1", "max_tokens"),
        ("openai.com.example", "max_tokens"),
    ],
)
def test_imitators_are_asked_in_the_older_words(host: str, name: str) -> None:
    """They all know `max_tokens`; OpenAI's newer models refuse it."""
    assert dialect_of_host(host).max_tokens_names[0] == name
