"""From Arc's messages to those of a chat completion request."""

from collections.abc import Sequence
from typing import Any

from arc_core import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from arc_core.wire import sendable_name

__all__ = ["payloads_of"]


def payloads_of(message: Message, call_ids: Sequence[str]) -> list[dict[str, Any]]:
    """What is sent for a message: one payload, or one per tool result.

    Args:
        message: Any.
        call_ids: Of its calls or results, by place.
    """
    match message:
        case SystemMessage(content=content):
            return [{"role": "system", "content": content}]
        case UserMessage(content=content):
            return [{"role": "user", "content": content}]
        case AssistantMessage():
            return [_assistant(message, call_ids)]
        case ToolResultMessage(results=results):
            return [
                {"role": "tool", "tool_call_id": call_id, "content": result.content}
                for call_id, result in zip(call_ids, results, strict=True)
            ]


def _assistant(message: AssistantMessage, call_ids: Sequence[str]) -> dict[str, Any]:
    if not message.tool_calls:
        return {"role": "assistant", "content": message.content}
    calls = [
        _tool_call(call, call_id)
        for call, call_id in zip(message.tool_calls, call_ids, strict=True)
    ]
    return {
        "role": "assistant",
        "content": message.content or None,
        "tool_calls": calls,
        **_reasoning(message),
    }


def _tool_call(call: ToolCall, call_id: str) -> dict[str, Any]:
    arguments = call.arguments if call.arguments.strip() else "{}"
    function = {"name": sendable_name(call.name), "arguments": arguments}
    return {"id": call_id, "type": "function", "function": function}


def _reasoning(message: AssistantMessage) -> dict[str, Any]:
    """What led to the calls, for a server that has said it; only in the field it came in."""
    match message.vendor_content:
        case {"openai": {"reasoning_field": str(field)}} if message.reasoning:
            return {field: "".join(thought.text for thought in message.reasoning)}
        case {"openai": {"reasoning_content": str(reasoning)}}:  # as Arc 0.1 has stored it
            return {"reasoning_content": reasoning}
        case _:
            return {}
