"""From Arc's requests to the bodies of chat completion requests."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from arc_core import ChatRequest, Message, ResponseFormat, Tool
from arc_core.wire import (
    CallIds,
    EncodedMessages,
    EncodedParts,
    json_bytes,
    json_object,
)
from arc_plugins.models.openai.chat.dialect import Dialect
from arc_plugins.models.openai.chat.messages import payloads_of
from arc_plugins.models.openai.schema_format import schema_format

__all__ = ["RequestEncoder"]


class RequestEncoder:
    """Encodes requests; what was encoded once is kept with its message, tool or schema.

    Args:
        sends_cache_key: Whether requests of one session are to find each other's cache.
    """

    def __init__(self, *, sends_cache_key: bool) -> None:
        self._sends_cache_key = sends_cache_key
        self._messages = EncodedMessages(_encode_message)
        self._tools = EncodedParts(_encode_tool)
        self._formats = EncodedParts(_encode_schema)

    def encode(self, request: ChatRequest, *, model: str, dialect: Dialect, stream: bool) -> bytes:
        """The body of a request, as far as `dialect` takes its parameters.

        It begins with what stays the same over a session.
        """
        fields = {
            "model": json_bytes(model),
            **self._tools_field(request),
            "messages": self._encode_messages(request),
            **_choice_field(request),
            **_reasoning_field(request, dialect),
            **_option_fields(request, dialect),
            **self._cache_field(request, dialect),
            **self._format_fields(request, dialect),
        }
        if stream:
            fields["stream"] = b"true"
            if dialect.takes_stream_options:
                fields["stream_options"] = b'{"include_usage":true}'
        return json_object(fields)

    def _encode_messages(self, request: ChatRequest) -> bytes:
        encoded = self._messages.encode(request.messages, CallIds())
        if request.system_prompt:
            system = {"role": "system", "content": request.system_prompt}
            encoded.insert(0, json_bytes(system))
        return b"[%s]" % b",".join(encoded)

    def _tools_field(self, request: ChatRequest) -> dict[str, bytes]:
        if not request.tools:
            return {}
        return {"tools": b"[%s]" % b",".join(map(self._tools.encode, request.tools))}

    def _cache_field(self, request: ChatRequest, dialect: Dialect) -> dict[str, bytes]:
        is_sent = self._sends_cache_key and request.cache_key and dialect.takes_cache_key
        return {"prompt_cache_key": json_bytes(request.cache_key)} if is_sent else {}

    def _format_fields(self, request: ChatRequest, dialect: Dialect) -> dict[str, bytes]:
        if request.response_format is not ResponseFormat.JSON or not dialect.takes_response_format:
            return {}
        schema = request.response_schema
        if schema is None:
            return {"response_format": b'{"type":"json_object"}'}
        encoded = self._formats.encode(schema)
        return {"response_format": encoded} if encoded else {}


def _encode_message(message: Message, call_ids: tuple[str, ...]) -> bytes:
    return b",".join(map(json_bytes, payloads_of(message, call_ids)))


def _encode_tool(tool: Tool) -> bytes:
    parameters = {"type": "object", "properties": {}, **tool.parameters}
    function = {"name": tool.name, "description": tool.description, "parameters": parameters}
    return json_bytes({"type": "function", "function": function})


def _choice_field(request: ChatRequest) -> dict[str, bytes]:
    is_closed = bool(request.tools) and request.tool_choice == "none"
    return {"tool_choice": b'"none"'} if is_closed else {}


def _reasoning_field(request: ChatRequest, dialect: Dialect) -> dict[str, bytes]:
    if request.reasoning is not None:
        return {"reasoning_effort": json_bytes(request.reasoning)}
    needs_none = bool(request.tools) and dialect.needs_no_reasoning
    return {"reasoning_effort": b'"none"'} if needs_none else {}


def _option_fields(request: ChatRequest, dialect: Dialect) -> dict[str, bytes]:
    fields = {}
    if request.temperature is not None:
        fields["temperature"] = json_bytes(request.temperature)
    if request.max_output_tokens is not None and dialect.max_tokens_names:
        fields[dialect.max_tokens_names[0]] = b"%d" % request.max_output_tokens
    return fields


def _encode_schema(schema: type[BaseModel] | Mapping[str, Any]) -> bytes:
    """Empty if the vendor's subset cannot say it: then the prompt's instruction is alone."""
    json_schema = schema_format(schema)
    if json_schema is None:
        return b""
    return json_bytes({"type": "json_schema", "json_schema": json_schema})
