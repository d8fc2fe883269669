"""Messages as the Messages API takes them."""

from typing import Any

import pytest

from arc_core import messages
from arc_plugins.models.anthropic.encode import encode_blocks
from tests.arc_plugins.models.exchanges import RESULTS

CALL = messages.ToolCall("a", "get_weather", '{"city":"Seoul"}')
USE = {"type": "tool_use", "id": "id-1", "name": "get_weather", "input": {"city": "Seoul"}}
THINKING = {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}
KEPT = {"anthropic": [THINKING, {"type": "text", "text": "Yes."}, {"type": "tool_use"}]}


def text(content: str) -> dict[str, str]:
    """A text block."""
    return {"type": "text", "text": content}


@pytest.mark.parametrize(
    ("message", "blocks"),
    [
        (messages.UserMessage("Hi"), [text("Hi")]),
        (messages.AssistantMessage("Hello"), [text("Hello")]),
        (messages.UserMessage(" \n"), []),
        (messages.AssistantMessage(""), []),
        (messages.SystemMessage("Be brief."), []),
    ],
)
def test_texts_are_blocks(message: messages.Message, blocks: list[Any]) -> None:
    """Blank ones, which the API refuses, and system messages, which travel apart, have none."""
    assert encode_blocks(message, ()) == blocks


def test_calls_follow_the_text() -> None:
    """With the ids they are given."""
    assert encode_blocks(messages.AssistantMessage("Let me see.", (CALL,)), ["id-1"]) == [
        text("Let me see."),
        USE,
    ]


def test_results_say_whether_they_are_errors() -> None:
    """Every outcome but a success is one."""
    assert encode_blocks(RESULTS, ["id-1", "id-2"]) == [
        {"type": "tool_result", "tool_use_id": "id-1", "content": "sunny"},
        {"type": "tool_result", "tool_use_id": "id-2", "content": "Error: no", "is_error": True},
    ]


@pytest.mark.parametrize(
    ("written", "sent"),
    [
        ("", {}),
        ('{"a":1}', {"a": 1}),
        ('{"a": b}', {"INVALID_JSON": '{"a": b}'}),
        ("[1]", {"INVALID_JSON": "[1]"}),
    ],
)
def test_input_is_always_an_object(written: str, sent: dict[str, Any]) -> None:
    """What is none is shown to the model in one, as the vendor documents it."""
    (block,) = encode_blocks(
        messages.AssistantMessage("", (messages.ToolCall("a", "f", written),)), ["a"]
    )

    assert block["input"] == sent


def test_kept_blocks_go_back_in_their_places() -> None:
    """Thinking unchanged, calls with their ids of now, blank texts left out."""
    kept = {"anthropic": [THINKING, text(""), text("Yes."), {"type": "tool_use"}]}

    assert encode_blocks(
        messages.AssistantMessage("Yes.", (CALL,), vendor_content=kept), ["id-1"]
    ) == [THINKING, text("Yes."), USE]


@pytest.mark.parametrize(
    "message",
    [
        messages.AssistantMessage(
            "No.",
            (CALL,),
            vendor_content={"anthropic": [THINKING, text("Yes."), {"type": "tool_use"}]},
        ),
        messages.AssistantMessage(
            "Yes.", (CALL,), vendor_content={"anthropic": [THINKING, text("Yes.")]}
        ),
        messages.AssistantMessage(
            "Yes.", (CALL,), vendor_content={"openai": {"reasoning_content": "Hm."}}
        ),
        messages.AssistantMessage("Yes.", (CALL,), vendor_content="text"),
    ],
)
def test_kept_blocks_of_another_message_are_left_alone(message: messages.AssistantMessage) -> None:
    """A filtered text, other calls or another vendor's content: the message itself counts."""
    assert encode_blocks(message, ["id-1"]) == [text(message.text), USE]
