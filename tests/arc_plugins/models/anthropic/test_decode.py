"""Whole messages."""

import json
from typing import Any

import pytest

from arc_core import ChatResponse, FinishReason, TokenUsage
from arc_core.messages import AssistantMessage, Reasoning, ToolCall
from arc_core.wire.http_chat_model import PayloadError
from arc_plugins.models.anthropic.decode import PausedResponse, decode_message
from tests.arc_plugins.models.exchanges import NOT_OBJECTS


def message(*blocks: dict[str, Any], reason: str = "end_turn", **fields: Any) -> bytes:
    """A message of these blocks."""
    return json.dumps({"content": blocks, "stop_reason": reason, **fields}).encode()


def test_text_and_usage() -> None:
    """Several text blocks are one text."""
    blocks = [{"type": "text", "text": "Hel"}, {"type": "text", "text": "lo"}]
    body = message(*blocks, usage={"input_tokens": 3, "output_tokens": 1})

    assert decode_message(body) == ChatResponse(
        AssistantMessage("Hello"), TokenUsage(3, 1), FinishReason.STOP
    )


def test_tool_use_in_order() -> None:
    """Input becomes JSON text."""
    uses = [
        {"type": "tool_use", "id": "a", "name": "f", "input": {"x": 1}},
        {"type": "tool_use", "id": "b", "name": "g", "input": {}},
    ]

    answer = decode_message(message(*uses, reason="tool_use"))

    assert answer.message.tool_calls == (ToolCall("a", "f", '{"x":1}'), ToolCall("b", "g", "{}"))
    assert answer.finish_reason is FinishReason.TOOL_CALLS


def test_thinking_is_kept() -> None:
    """It goes back unchanged."""
    thinking = {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}

    answer = decode_message(message(thinking, {"type": "text", "text": "4"}))

    assert answer.message.content == "4"
    assert answer.message.reasoning == (Reasoning("Hm.", "c2ln"),)
    assert answer.message.vendor_content == {"anthropic": []}


def test_an_answer_that_fills_the_window_was_cut_off() -> None:
    """What was said until then is paid for, and kept."""
    answer = decode_message(message(reason="model_context_window_exceeded"))

    assert answer.finish_reason is FinishReason.LENGTH


def test_a_paused_turn_is_a_part_of_an_answer() -> None:
    """Its type says so."""
    assert isinstance(decode_message(message(reason="pause_turn")), PausedResponse)


def test_an_error_with_a_status_of_success_is_raised() -> None:
    """Gateways do that."""
    with pytest.raises(PayloadError, match="busy"):
        decode_message(b'{"type":"error","error":{"type":"api_error","message":"busy"}}')


@pytest.mark.parametrize(
    "body",
    [*NOT_OBJECTS, b'{"content":null}', b'{"content":[1]}', b'{"content":[{"type":"tool_use"}]}'],
)
def test_what_is_not_a_message_raises(body: bytes) -> None:
    """The caller says what that means."""
    with pytest.raises((AttributeError, LookupError, TypeError, ValueError)):
        decode_message(body)
