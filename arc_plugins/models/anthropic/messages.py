"""From Arc's messages to the content blocks of a Messages request."""

import re
from collections.abc import Sequence
from typing import Any

from arc_core import (
    AssistantMessage,
    Attachment,
    Content,
    Message,
    SystemMessage,
    Text,
    ToolCall,
    ToolOutcome,
    ToolResult,
    ToolResultMessage,
    UserMessage,
)
from arc_core.wire import json_value, sendable_name
from arc_core.wire.attachments import IMAGE_TYPES, PDF, encode_base64, is_text, text_in, unsendable
from arc_plugins.models.anthropic.content_blocks import own_blocks


def encode_parts(content: Content) -> list[dict[str, Any]]:
    """The blocks of a content; blank texts, which the API refuses, are left out."""
    parts = (Text(content),) if isinstance(content, str) else content
    return [_block(part) for part in parts if not isinstance(part, Text) or part.text.strip()]


def _block(part: Text | Attachment) -> dict[str, Any]:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    if part.media_type in IMAGE_TYPES:
        return {"type": "image", "source": _source(part)}
    title = {"title": part.name} if part.name else {}
    if part.media_type == PDF:
        return {"type": "document", "source": _source(part), **title}
    if is_text(part.media_type):
        source = {"type": "text", "media_type": "text/plain", "data": text_in(part)}
        return {"type": "document", "source": source, **title}
    raise unsendable(part)


def _source(attachment: Attachment) -> dict[str, Any]:
    if attachment.url is not None:
        return {"type": "url", "url": attachment.url}
    media_type = attachment.media_type
    return {"type": "base64", "media_type": media_type, "data": encode_base64(attachment)}


ID_PATTERN = re.compile(r"[A-Za-z0-9_-]{1,64}")


def encode_blocks(message: Message, call_ids: Sequence[str]) -> list[dict[str, Any]]:
    """The content of a message; blank texts, which the API refuses, are left out."""
    match message:
        case SystemMessage():
            return []
        case UserMessage():
            return encode_parts(message.content)
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
        return [*encode_parts(message.content), *calls]
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
    content = result.content if isinstance(result.content, str) else encode_parts(result.content)
    block = {"type": "tool_result", "tool_use_id": call_id, "content": content}
    return block if result.outcome is ToolOutcome.SUCCESS else {**block, "is_error": True}
