"""Every recorded response that came whole says what is in it."""

import json
from typing import Any

import pytest

from arc_core import AssistantMessage, ChatResponse, FinishReason, Reasoning, ToolCall
from arc_core.testing.vendor_server import Reply, VendorServer
from tests.wire.answers import QUESTION, expected_of_message, plain, usage_of_chat
from tests.wire.models import asking, model_type_of
from tests.wire.recorded import EVERY_RESPONSE, Recording

REASONS = {"eos": FinishReason.STOP}


def expected_of(recording: Recording) -> ChatResponse:
    """The body, read independently."""
    payload = json.loads(recording.body)
    if not recording.is_chat:
        return expected_of_message(payload)
    choice, usage = payload["choices"][0], payload["usage"]
    message, reason = choice["message"], choice["finish_reason"]
    content = message["content"] or ""
    if isinstance(content, list):
        content = content[-1]["text"]
    calls = [
        ToolCall(call["id"], call["function"]["name"], call["function"]["arguments"])
        for call in message.get("tool_calls") or ()
    ]
    return ChatResponse(
        AssistantMessage(content, tuple(calls), thoughts_of(message)),
        usage_of_chat(usage),
        REASONS.get(reason) or FinishReason(reason),
    )


def thoughts_of(message: dict[str, Any]) -> tuple[Reasoning, ...]:
    """Under either of the names, or in the content."""
    text = message.get("reasoning_content") or message.get("reasoning")
    if isinstance(message["content"], list):
        text = message["content"][0]["thinking"][0]["text"]
    return (Reasoning(text),) if text else ()


@pytest.mark.parametrize("recording", EVERY_RESPONSE)
async def test_responses_say_what_is_in_them(recording: Recording) -> None:
    """Text, tool calls, usage and finish reason of the first choice."""
    model_type = model_type_of(is_chat=recording.is_chat)
    reply = Reply(body=recording.body)

    async with VendorServer(reply) as server, asking(server, model_type) as model:
        answer = await model.complete(QUESTION)

    assert plain(answer) == plain(expected_of(recording))
