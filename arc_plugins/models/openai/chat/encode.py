"""From Arc's requests to the bodies of chat completion requests."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import openai
from pydantic import BaseModel

from arc_core import ChatRequest, Message, ResponseFormat, Tool
from arc_core.wire import CallIds, EncodedMessages, EncodedParts, json_bytes, json_object
from arc_plugins.models.openai.chat.messages import encode_payloads
from arc_plugins.models.openai.client import schema_format
from arc_plugins.models.openai.errors import refused_parameters


@dataclass(frozen=True, slots=True)
class ChatDialect:
    """Begins with what is usual and learns from the parameters that a server rejects.

    Attributes:
        max_tokens_names: What the bound of the answer may be called; the first is sent.
        takes_stream_options: Whether token counts can be asked for in a stream.
        takes_response_format: Whether the server enforces JSON and schemas.
        needs_no_reasoning: Whether tools are taken only together with `reasoning_effort` `none`,
            as by OpenAI's newer models; a request that says how much to think is sent as it is.
        takes_cache_key: Whether requests may say which of them begin alike.
    """

    max_tokens_names: tuple[str, ...] = ("max_completion_tokens", "max_tokens")
    takes_stream_options: bool = True
    takes_response_format: bool = True
    needs_no_reasoning: bool = False
    takes_cache_key: bool = True

    def after(self, error: openai.APIStatusError) -> "ChatDialect | None":
        """The dialect to try once more with; None if Arc has nothing to change."""
        for parameter in refused_parameters(error):
            changed = self._without(parameter.partition(".")[0])
            if changed != self:
                return changed
        return None

    def _without(self, parameter: str) -> "ChatDialect":
        changed = self
        if parameter in self.max_tokens_names[:1]:
            changed = replace(self, max_tokens_names=self.max_tokens_names[1:])
        match parameter:
            case "stream_options":
                changed = replace(self, takes_stream_options=False)
            case "response_format":
                changed = replace(self, takes_response_format=False)
            case "prompt_cache_key":
                changed = replace(self, takes_cache_key=False)
            case "reasoning_effort":
                changed = replace(self, needs_no_reasoning=True)
        return changed


def dialect_of_host(host: str) -> ChatDialect:
    """OpenAI's own, or what its imitators understand best."""
    if host == "openai.com" or host.endswith(".openai.com"):
        return ChatDialect()
    names = ("max_tokens", "max_completion_tokens")
    return ChatDialect(max_tokens_names=names, takes_cache_key=False)


class ChatRequestEncoder:
    """Encodes requests; what was encoded once is kept with its message, tool or schema."""

    def __init__(self, *, sends_cache_key: bool) -> None:
        self._sends_cache_key = sends_cache_key
        self._messages = EncodedMessages(_encode_message)
        self._tools = EncodedParts(_encode_tool)
        self._formats = EncodedParts(_encode_schema)

    def encode(
        self, request: ChatRequest, *, model: str, dialect: ChatDialect, stream: bool
    ) -> bytes:
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

    def _cache_field(self, request: ChatRequest, dialect: ChatDialect) -> dict[str, bytes]:
        is_sent = self._sends_cache_key and request.cache_key and dialect.takes_cache_key
        return {"prompt_cache_key": json_bytes(request.cache_key)} if is_sent else {}

    def _format_fields(self, request: ChatRequest, dialect: ChatDialect) -> dict[str, bytes]:
        if request.response_format is not ResponseFormat.JSON or not dialect.takes_response_format:
            return {}
        schema = request.response_schema
        if schema is None:
            return {"response_format": b'{"type":"json_object"}'}
        encoded = self._formats.encode(schema)
        return {"response_format": encoded} if encoded else {}


def _encode_message(message: Message, call_ids: tuple[str, ...]) -> bytes:
    return b",".join(map(json_bytes, encode_payloads(message, call_ids)))


def _encode_tool(tool: Tool) -> bytes:
    parameters = {"type": "object", "properties": {}, **tool.parameters}
    function = {"name": tool.name, "description": tool.description, "parameters": parameters}
    return json_bytes({"type": "function", "function": function})


def _choice_field(request: ChatRequest) -> dict[str, bytes]:
    choice = request.tool_choice
    if not request.tools or choice == "auto":
        return {}
    if choice in {"none", "required"}:
        return {"tool_choice": json_bytes(choice)}
    return {"tool_choice": json_bytes({"type": "function", "function": {"name": choice}})}


def _reasoning_field(request: ChatRequest, dialect: ChatDialect) -> dict[str, bytes]:
    if request.reasoning is not None:
        return {"reasoning_effort": json_bytes(request.reasoning)}
    needs_none = bool(request.tools) and dialect.needs_no_reasoning
    return {"reasoning_effort": b'"none"'} if needs_none else {}


def _option_fields(request: ChatRequest, dialect: ChatDialect) -> dict[str, bytes]:
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
