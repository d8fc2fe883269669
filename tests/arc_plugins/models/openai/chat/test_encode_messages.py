"""Messages as Chat Completions takes them."""

from typing import Any

import pytest

from arc_core import (
    AssistantMessage,
    Message,
    Reasoning,
    SystemMessage,
    ToolCall,
    ToolOutcome,
    ToolResult,
    ToolResultMessage,
    UserMessage,
)
from arc_plugins.models.openai.chat.encode import encode_payloads

CALL = ToolCall("a", "get_weather", '{"city":"Seoul"}')
SENT = {
    "id": "id-1",
    "type": "function",
    "function": {"name": "get_weather", "arguments": '{"city":"Seoul"}'},
}


@pytest.mark.parametrize(
    ("message", "payload"),
    [
        (SystemMessage("Be brief."), {"role": "system", "content": "Be brief."}),
        (UserMessage("Hi"), {"role": "user", "content": "Hi"}),
        (AssistantMessage("Hello"), {"role": "assistant", "content": "Hello"}),
        (AssistantMessage(""), {"role": "assistant", "content": ""}),
    ],
)
def test_plain_messages_have_their_roles(message: Message, payload: dict[str, str]) -> None:
    """One payload each."""
    assert encode_payloads(message, ()) == [payload]


def test_tool_calls_have_the_ids_they_are_given() -> None:
    """An assistant that only calls has no text."""
    assert encode_payloads(AssistantMessage("", (CALL,)), ["id-1"]) == [
        {"role": "assistant", "content": None, "tool_calls": [SENT]}
    ]


def test_results_are_a_message_each() -> None:
    """In the order of the calls, by their ids."""
    message = ToolResultMessage(
        (
            ToolResult("a", "f", "sunny"),
            ToolResult("b", "g", "Error: no", ToolOutcome.FAILED),
        )
    )

    assert encode_payloads(message, ["id-1", "id-2"]) == [
        {"role": "tool", "tool_call_id": "id-1", "content": "sunny"},
        {"role": "tool", "tool_call_id": "id-2", "content": "Error: no"},
    ]


@pytest.mark.parametrize(("written", "sent"), [("", "{}"), (" ", "{}"), ("{a", "{a")])
def test_arguments_are_sent_as_they_were_written(written: str, sent: str) -> None:
    """None are an empty object, since some servers parse them; the rest is the model's own."""
    (payload,) = encode_payloads(AssistantMessage("", (ToolCall("a", "f", written),)), ["a"])

    assert payload["tool_calls"][0]["function"]["arguments"] == sent


def test_an_invented_name_is_made_sendable() -> None:
    """The vendor refuses a history with other letters in a name."""
    (payload,) = encode_payloads(AssistantMessage("", (ToolCall("a", "f g", "{}"),)), ["a"])

    assert payload["tool_calls"][0]["function"]["name"] == "f_g"


@pytest.mark.parametrize(
    ("reasoning", "kept"),
    [
        ((Reasoning("H"), Reasoning("m.")), {"openai": {"reasoning_field": "reasoning_content"}}),
        ((), {"openai": {"reasoning_content": "Hm."}}),
    ],
    ids=["now", "as Arc 0.1 stored it"],
)
def test_reasoning_goes_back_with_its_calls(
    reasoning: tuple[Reasoning, ...], kept: dict[str, Any]
) -> None:
    """Only there is it demanded; elsewhere some servers refuse it."""
    (with_calls,) = encode_payloads(AssistantMessage("", (CALL,), reasoning, kept), ["id-1"])
    (without,) = encode_payloads(AssistantMessage("4", (), reasoning, kept), ())

    assert with_calls["reasoning_content"] == "Hm."
    assert "reasoning_content" not in without


@pytest.mark.parametrize("foreign", [{"anthropic": []}, "text", {"openai": {"x": 1}}, None])
def test_content_of_others_is_left_alone(foreign: object) -> None:
    """A conversation may come from another vendor."""
    thoughts = (Reasoning("Hm.", "c2ln"),)

    (payload,) = encode_payloads(AssistantMessage("", (CALL,), thoughts, foreign), ["id-1"])

    assert payload == {"role": "assistant", "content": None, "tool_calls": [SENT]}
