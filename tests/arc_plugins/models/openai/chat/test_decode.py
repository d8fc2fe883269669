"""Whole chat completions."""

import json
from typing import Any

import pytest

from arc_core import ChatResponse, FinishReason, TokenUsage
from arc_core.messages import AssistantMessage, Reasoning, ToolCall
from arc_core.wire.http_chat_model import PayloadError
from arc_plugins.models.openai.chat.decode import decode_completion
from tests.arc_plugins.models.exchanges import NOT_OBJECTS


def completion(message: Any, reason: str | None = "stop", **fields: Any) -> bytes:
    """A completion with one choice."""
    choice = {"index": 0, "message": message, "finish_reason": reason}
    return json.dumps({"choices": [choice], **fields}).encode()


def test_text_and_usage() -> None:
    """The ordinary answer."""
    body = completion({"content": "Hi"}, usage={"prompt_tokens": 3, "completion_tokens": 1})

    assert decode_completion(body) == ChatResponse(
        AssistantMessage("Hi"), TokenUsage(3, 1), FinishReason.STOP
    )


def test_tool_calls_in_order() -> None:
    """Ids may be missing, arguments may be null or an object."""
    calls = [
        {"id": "a", "function": {"name": "f", "arguments": '{"x":1}'}},
        {"id": None, "function": {"name": "g", "arguments": None}},
        {"function": {"name": "h", "arguments": {"y": 2}}},
    ]

    answer = decode_completion(completion({"content": None, "tool_calls": calls}, "tool_calls"))

    assert answer.message.tool_calls == (
        ToolCall("a", "f", '{"x":1}'),
        ToolCall("", "g", ""),
        ToolCall("", "h", '{"y":2}'),
    )
    assert answer.message.content == ""


def test_a_refusal_is_a_filtered_answer() -> None:
    """The model's refusal is told by the finish reason, whatever the server's says."""
    answer = decode_completion(completion({"content": None, "refusal": "I cannot."}))

    assert answer.finish_reason is FinishReason.CONTENT_FILTER


def test_reasoning_is_told_with_the_field_it_came_in() -> None:
    """It goes back there where the answer calls tools."""
    answer = decode_completion(completion({"content": "4", "reasoning": "Hm."}))

    assert answer.message.reasoning == (Reasoning("Hm."),)
    assert answer.message.vendor_content == {"openai": {"reasoning_field": "reasoning"}}


def test_a_missing_reason_stays_missing() -> None:
    """Not every server gives one."""
    assert decode_completion(completion({"content": "x"}, None)).finish_reason is None


def test_an_error_with_a_status_of_success_is_raised() -> None:
    """Gateways do that."""
    with pytest.raises(PayloadError, match="no credits"):
        decode_completion(b'{"error":{"message":"no credits","code":402}}')


@pytest.mark.parametrize(
    "body",
    [
        *NOT_OBJECTS,
        b'{"choices":[]}',
        b'{"choices":[{}]}',
        b'{"choices":[{"message":null}]}',
        b'{"choices":[{"message":{"tool_calls":[{}]}}]}',
    ],
)
def test_what_is_not_a_completion_raises(body: bytes) -> None:
    """The caller says what that means."""
    with pytest.raises((AttributeError, LookupError, TypeError, ValueError)):
        decode_completion(body)


def test_a_filtered_choice_without_a_message_is_a_refusal() -> None:
    """Azure leaves the message out; the tokens were spent nevertheless."""
    usage = {"prompt_tokens": 7, "completion_tokens": 0}
    choices = [{"index": 0, "finish_reason": "content_filter"}]

    response = decode_completion(json.dumps({"choices": choices, "usage": usage}).encode())

    assert response.finish_reason is FinishReason.CONTENT_FILTER
    assert response.usage == TokenUsage(7, 0)


@pytest.mark.parametrize(
    "usage",
    ["many", [1], 7, {"prompt_tokens": "7"}, {"completion_tokens": -1}, {"prompt_tokens": 1.5}],
)
def test_counts_that_are_not_counts_are_left_out(usage: object) -> None:
    """The answer is good without them."""
    choices = [{"message": {"content": "Hi"}, "finish_reason": "stop"}]

    response = decode_completion(json.dumps({"choices": choices, "usage": usage}).encode())

    assert (response.message.content, response.usage) == ("Hi", None)


def test_parts_of_the_counts_are_told() -> None:
    """What came from the cache or went there, and what the model thought with."""
    body = completion(
        {"content": "Hi"},
        usage={
            "prompt_tokens": 30,
            "completion_tokens": 9,
            "total_tokens": 39,
            "prompt_tokens_details": {"cached_tokens": 20, "cache_write_tokens": 4},
            "completion_tokens_details": {"reasoning_tokens": 5},
        },
    )

    assert decode_completion(body).usage == TokenUsage(30, 9, 20, 4, 5)


def test_reasoning_that_is_counted_in_the_total_only_is_of_the_answer() -> None:
    """As xAI reports it."""
    usage = {
        "prompt_tokens": 12,
        "completion_tokens": 1,
        "total_tokens": 303,
        "completion_tokens_details": {"reasoning_tokens": 290},
    }

    response = decode_completion(completion({"content": "Hi"}, usage=usage))

    assert response.usage == TokenUsage(12, 291, reasoning_tokens=290)
