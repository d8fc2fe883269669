"""Messages as Chat Completions takes them."""

from typing import Any

import pytest

from arc_core import messages
from arc_plugins.models.openai.chat.encode import encode_payloads
from tests.arc_plugins.models.exchanges import RESULTS

CALL = messages.ToolCall("a", "get_weather", '{"city":"Seoul"}')
SENT = {
    "id": "id-1",
    "type": "function",
    "function": {"name": "get_weather", "arguments": '{"city":"Seoul"}'},
}


@pytest.mark.parametrize(
    ("message", "payload"),
    [
        (messages.SystemMessage("Be brief."), {"role": "system", "content": "Be brief."}),
        (messages.UserMessage("Hi"), {"role": "user", "content": "Hi"}),
        (messages.AssistantMessage("Hello"), {"role": "assistant", "content": "Hello"}),
        (messages.AssistantMessage(""), {"role": "assistant", "content": ""}),
    ],
)
def test_plain_messages_have_their_roles(
    message: messages.Message, payload: dict[str, str]
) -> None:
    """One payload each."""
    assert encode_payloads(message, ()) == [payload]


def test_tool_calls_have_the_ids_they_are_given() -> None:
    """An assistant that only calls has no text."""
    assert encode_payloads(messages.AssistantMessage("", (CALL,)), ["id-1"]) == [
        {"role": "assistant", "content": None, "tool_calls": [SENT]}
    ]


def test_results_are_a_message_each() -> None:
    """In the order of the calls, by their ids."""
    assert encode_payloads(RESULTS, ["id-1", "id-2"]) == [
        {"role": "tool", "tool_call_id": "id-1", "content": "sunny"},
        {"role": "tool", "tool_call_id": "id-2", "content": "Error: no"},
    ]


@pytest.mark.parametrize(("written", "sent"), [("", "{}"), (" ", "{}"), ("{a", "{a")])
def test_arguments_are_sent_as_they_were_written(written: str, sent: str) -> None:
    """None are an empty object, since some servers parse them; the rest is the model's own."""
    (payload,) = encode_payloads(
        messages.AssistantMessage("", (messages.ToolCall("a", "f", written),)), ["a"]
    )

    assert payload["tool_calls"][0]["function"]["arguments"] == sent


def test_an_invented_name_is_made_sendable() -> None:
    """The vendor refuses a history with other letters in a name."""
    (payload,) = encode_payloads(
        messages.AssistantMessage("", (messages.ToolCall("a", "f g", "{}"),)), ["a"]
    )

    assert payload["tool_calls"][0]["function"]["name"] == "f_g"


@pytest.mark.parametrize(
    ("reasoning", "kept"),
    [
        (
            (messages.Reasoning("H"), messages.Reasoning("m.")),
            {"openai": {"reasoning_field": "reasoning_content"}},
        ),
        ((), {"openai": {"reasoning_content": "Hm."}}),
    ],
    ids=["now", "as Arc 0.1 stored it"],
)
def test_reasoning_goes_back_with_its_calls(
    reasoning: tuple[messages.Reasoning, ...], kept: dict[str, Any]
) -> None:
    """Only there is it demanded; elsewhere some servers refuse it."""
    (with_calls,) = encode_payloads(
        messages.AssistantMessage("", (CALL,), reasoning, kept), ["id-1"]
    )
    (without,) = encode_payloads(messages.AssistantMessage("4", (), reasoning, kept), ())

    assert with_calls["reasoning_content"] == "Hm."
    assert "reasoning_content" not in without


@pytest.mark.parametrize("foreign", [{"anthropic": []}, "text", {"openai": {"x": 1}}, None])
def test_content_of_others_is_left_alone(foreign: object) -> None:
    """A conversation may come from another vendor."""
    thoughts = (messages.Reasoning("Hm.", "c2ln"),)

    (payload,) = encode_payloads(
        messages.AssistantMessage("", (CALL,), thoughts, foreign), ["id-1"]
    )

    assert payload == {"role": "assistant", "content": None, "tool_calls": [SENT]}
