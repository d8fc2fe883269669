"""Messages as they stand in the database: JSON, one object a message.

`vendor_content` is opaque: it is kept if JSON can carry it unchanged, as it can what Arc's own
chat models make, and left out otherwise; a model then answers from text and tool calls alone.
"""

import json
from collections.abc import Mapping, Sequence
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

__all__ = ["decode", "encode", "json_text"]


def json_text(value: object) -> str:
    """Compact JSON that every database takes, whatever characters are in it.

    Raises:
        TypeError, ValueError: JSON cannot carry the value.
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:  # half a surrogate pair, which only an escape can carry
        return json.dumps(value, separators=(",", ":"))
    return text


def encode(message: Message) -> str:
    """The body of a message."""
    return json_text(_fields(message))


def decode(body: str) -> Message:
    """The message of a body.

    Raises:
        ValueError: The body is of a form that this version does not know.
    """
    fields = json.loads(body)
    match fields:
        case {"role": "user", "content": str(content)}:
            return UserMessage(content)
        case {"role": "assistant", "content": str(content)}:
            calls = tuple(ToolCall(*call) for call in fields.get("tool_calls", ()))
            return AssistantMessage(content, calls, vendor_content=fields.get("vendor_content"))
        case {"role": "tool", "results": list(results)}:
            return ToolResultMessage(tuple(map(_result, results)))
        case {"role": "system", "content": str(content)}:
            return SystemMessage(content)
    raise ValueError("a stored message is of a form that this version of Arc does not know")


def _fields(message: Message) -> Mapping[str, Any]:
    match message:
        case UserMessage(content):
            return {"role": "user", "content": content}
        case AssistantMessage():
            return _assistant(message)
        case ToolResultMessage(results):
            rows = [(each.call_id, each.name, each.content, each.outcome) for each in results]
            return {"role": "tool", "results": rows}
        case SystemMessage(content):
            return {"role": "system", "content": content}


def _assistant(message: AssistantMessage) -> dict[str, Any]:
    fields: dict[str, Any] = {"role": "assistant", "content": message.content}
    if message.tool_calls:
        fields["tool_calls"] = [(each.id, each.name, each.arguments) for each in message.tool_calls]
    if message.vendor_content is not None and _survives(message.vendor_content):
        fields["vendor_content"] = message.vendor_content
    return fields


def _survives(value: object) -> bool:
    try:
        return bool(json.loads(json.dumps(value)) == value)
    except (TypeError, ValueError, RecursionError):
        return False


def _result(fields: Sequence[str]) -> ToolResult:
    call_id, name, content, outcome = fields
    return ToolResult(call_id, name, content, ToolOutcome(outcome))
