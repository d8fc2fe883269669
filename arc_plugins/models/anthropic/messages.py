"""From Arc's messages to the content blocks of a Messages request."""

import re
from collections.abc import Sequence
from typing import Any

from arc_core import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolCall,
    ToolOutcome,
    ToolResult,
    ToolResultMessage,
    UserMessage,
)
from arc_core.wire import json_value, sendable_name
from arc_plugins.models.anthropic.attachments import parts_of
from arc_plugins.models.anthropic.content_blocks import own_blocks

__all__ = ["ID_PATTERN", "blocks_of"]

ID_PATTERN = re.compile(r"[A-Za-z0-9_-]{1,64}")


def blocks_of(message: Message, call_ids: Sequence[str]) -> list[dict[str, Any]]:
    """The content of a message; blank texts, which the API refuses, are left out.

    Args:
        message: Any but a system message, whose text travels apart.
        call_ids: Of its calls or results, by place.
    """
    match message:
        case SystemMessage():
            return []
        case UserMessage():
            return parts_of(message.content)
        case AssistantMessage():
            return _assistant(message, call_ids)
        case ToolResultMessage(results=results):
            return [
                _tool_result(result, call_id)
                for result, call_id in zip(results, call_ids, strict=True)
            ]


def _assistant(message: AssistantMessage, call_ids: Sequence[str]) -> list[dict[str, Any]]:
    calls = [
        _tool_use(call, call_id) for call, call_id in zip(message.tool_calls, call_ids, strict=True)
    ]
    blocks = own_blocks(message)
    if blocks is None:
        return [*parts_of(message.content), *calls]
    next_call = iter(calls)
    return [
        next(next_call) if block["type"] == "tool_use" else block
        for block in blocks
        if block["type"] != "text" or block["text"].strip()
    ]


def _tool_use(call: ToolCall, call_id: str) -> dict[str, Any]:
    name = sendable_name(call.name)
    return {"type": "tool_use", "id": call_id, "name": name, "input": _input(call.arguments)}


def _input(arguments: str) -> dict[str, Any]:
    try:
        value = json_value(arguments.strip().encode() or b"{}")
    except ValueError:
        value = None
    # The API takes objects only; this is the documented way to show a model its broken JSON.
    return value if isinstance(value, dict) else {"INVALID_JSON": arguments}


def _tool_result(result: ToolResult, call_id: str) -> dict[str, Any]:
    content = result.content if isinstance(result.content, str) else parts_of(result.content)
    block = {"type": "tool_result", "tool_use_id": call_id, "content": content}
    return block if result.outcome is ToolOutcome.SUCCESS else {**block, "is_error": True}
