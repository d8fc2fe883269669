"""The key of a kept answer: the digest of everything that can change it."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from arc_core.interfaces.models.chat_model import ChatRequest
from arc_core.interfaces.tools.tool import Tool
from arc_core.messages import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolResultMessage,
    UserMessage,
)
from arc_core.messages.content import Content, Part, Text
from arc_core.tools.json_schema import get_json_schema
from arc_core.tools.use_tool import UseTool

_VERSION = 2


def response_key(
    request: ChatRequest, *, model: Sequence[str | None], scope: Sequence[str], max_tool_calls: int
) -> str | None:
    """The SHA-256 of a canonical JSON document, in hexadecimal; None if it cannot be written.

    Only a message's opaque vendor content, or a tool's parameters, can be what JSON cannot carry.
    """
    schema = request.response_schema
    try:
        return _digest(
            {
                "version": _VERSION,
                "scope": list(scope),
                "model": [*model, request.model],
                "system_prompt": request.system_prompt,
                "messages": [_message(message) for message in request.messages],
                "tools": sorted(
                    [tool.name, tool.description, _digest(tool.parameters)]
                    for tool in _list_tools(request.tools)
                ),
                **_demanded_call(request),
                "max_tool_calls": max_tool_calls if request.tools else 0,
                "temperature": request.temperature,
                "max_output_tokens": request.max_output_tokens,
                "reasoning": request.reasoning,
                "response_format": request.response_format,
                "response_schema": None if schema is None else get_json_schema(schema),
            }
        )
    except (TypeError, ValueError, RecursionError):
        return None


def _message(message: Message) -> list[Any]:
    match message:
        case SystemMessage(content):
            return ["system", content]
        case UserMessage(content):
            return ["user", _content(content)]
        case AssistantMessage(content, tool_calls, reasoning, vendor_content):
            calls = [[call.id, call.name, call.arguments] for call in tool_calls]
            thoughts = [[each.text, each.signature, each.redacted] for each in reasoning]
            return ["assistant", _content(content), calls, vendor_content, *thoughts]
        case ToolResultMessage(results):
            told = [[r.call_id, r.name, _content(r.content), r.outcome] for r in results]
            return ["tool_results", *told]


def _content(content: Content) -> str | list[list[str | None]]:
    return content if isinstance(content, str) else [_part(part) for part in content]


def _part(part: Part) -> list[str | None]:
    if isinstance(part, Text):
        return ["text", part.text]
    digest = None if part.data is None else hashlib.sha256(part.data).hexdigest()
    return ["attachment", part.media_type, digest, part.url, part.name]


def _list_tools(offered: Sequence[Tool]) -> Iterator[Tool]:
    """All that the model may call, also what a search hides from the request."""
    for tool in offered:
        yield tool
        if isinstance(tool, UseTool):
            yield from tool.tools.values()


def _demanded_call(request: ChatRequest) -> dict[str, str]:
    """The tool call that the first turn has to make; nothing as a rule."""
    choice = request.tool_choice
    return {} if choice in {"auto", "none"} else {"tool_choice": choice}


def _plain(value: object) -> dict[Any, Any]:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} has no canonical form")


# Escapes keep what cannot be encoded, such as half a surrogate pair, from being an error.
_CANONICAL = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), allow_nan=False, default=_plain
)


def _digest(value: object) -> str:
    return hashlib.sha256(_CANONICAL.encode(value).encode("ascii")).hexdigest()
