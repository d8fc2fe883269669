"""From Arc's requests to the bodies of requests for a response."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import openai
from pydantic import BaseModel

from arc_core import ChatRequest, Message, ResponseFormat, Tool
from arc_core.wire import CallIds, EncodedMessages, EncodedParts, json_bytes, json_object
from arc_plugins.models.openai.client import schema_format
from arc_plugins.models.openai.errors import refused_parameters
from arc_plugins.models.openai.responses.input_items import encode_input_items, without_reasoning

_FIELDS = {
    "include": "takes_include",
    "prompt_cache_key": "takes_cache_key",
    "reasoning.summary": "takes_summary",
    "text": "takes_format",
    "text.format": "takes_format",
}
"""The change that a rejected parameter makes, by its first two names."""


_UNREADABLE = "invalid_encrypted_content"


@dataclass(frozen=True, slots=True)
class ResponsesDialect:
    """Begins with everything and learns from the parameters that a model rejects.

    Attributes:
        takes_include: Whether reasoning can be asked for in its encrypted form.
        takes_summary: Whether it sums up what it thought; OpenAI allows it to verified
            organizations only.
        takes_format: Whether the server enforces JSON and schemas.
        takes_cache_key: Whether the server keeps the beginnings of requests by a key.
        takes_reasoning: Whether what was thought before is sent back. It cannot be if it was
            encrypted for another organization. Learnt for one request: others hold other reasoning.
    """

    takes_include: bool = True
    takes_summary: bool = True
    takes_format: bool = True
    takes_cache_key: bool = True
    takes_reasoning: bool = True

    def after(self, error: openai.APIStatusError) -> "ResponsesDialect | None":
        """The dialect to try once more with; None if Arc has nothing to change."""
        if error.code == _UNREADABLE and self.takes_reasoning:
            return replace(self, takes_reasoning=False)
        for parameter in refused_parameters(error):
            changed = self._without(parameter)
            if changed != self:
                return changed
        return None

    def _without(self, parameter: str) -> "ResponsesDialect":
        name = ".".join(parameter.partition("[")[0].split(".")[:2])
        field = _FIELDS.get(name)
        return replace(self, **{field: False}) if field is not None else self


_MIN_OUTPUT_TOKENS = 16  # the API refuses less
_NO_PARAMETERS = {"type": "object", "properties": {}}


class ResponsesRequestEncoder:
    """Encodes requests; what was encoded once is kept with its message, tool or schema."""

    def __init__(self, *, prompt_caching: bool, verbosity: str | None = None) -> None:
        self._prompt_caching = prompt_caching
        self._verbosity = verbosity
        self._messages = EncodedMessages(_encode_message)
        self._tools = EncodedParts(_encode_tool)
        self._formats = EncodedParts(_encode_schema)

    def encode(
        self, request: ChatRequest, *, model: str, dialect: ResponsesDialect, stream: bool
    ) -> bytes:
        """The body of a request, as far as `dialect` takes its parameters; OpenAI keeps nothing.

        What stays the same in a session stands first, what is new behind it.
        """
        fields = {"model": json_bytes(model)}
        if request.system_prompt:
            fields["instructions"] = json_bytes(request.system_prompt)
        if request.tools:
            fields["tools"] = b"[%s]" % b",".join(map(self._tools.encode, request.tools))
        messages: Sequence[Message] = request.messages
        if not dialect.takes_reasoning:
            messages = [without_reasoning(message) for message in messages]
        encoded = self._messages.encode(messages, CallIds())
        fields["input"] = b"[%s]" % b",".join([items for items in encoded if items])
        fields["store"] = b"false"
        fields |= self._option_fields(request, dialect)
        fields |= self._text_field(request, dialect)
        if stream:
            fields["stream"] = b"true"
        return json_object(fields)

    def _option_fields(self, request: ChatRequest, dialect: ResponsesDialect) -> dict[str, bytes]:
        fields = {}
        if request.tools and request.tool_choice != "auto":
            fields["tool_choice"] = _encode_choice(request.tool_choice)
        if dialect.takes_include:
            fields["include"] = b'["reasoning.encrypted_content"]'
        if request.reasoning is not None:
            reasoning = {"effort": request.reasoning.value}
            fields["reasoning"] = json_bytes(
                reasoning | {"summary": "auto"} if dialect.takes_summary else reasoning
            )
        if request.temperature is not None:
            fields["temperature"] = json_bytes(request.temperature)
        if request.max_output_tokens is not None:
            fields["max_output_tokens"] = b"%d" % max(request.max_output_tokens, _MIN_OUTPUT_TOKENS)
        if request.cache_key and self._prompt_caching and dialect.takes_cache_key:
            fields["prompt_cache_key"] = json_bytes(request.cache_key)
        return fields

    def _text_field(self, request: ChatRequest, dialect: ResponsesDialect) -> dict[str, bytes]:
        parts = {}
        answer_format = self._encode_format(request) if dialect.takes_format else b""
        if answer_format:
            parts["format"] = answer_format
        if self._verbosity is not None:
            parts["verbosity"] = json_bytes(self._verbosity)
        return {"text": json_object(parts)} if parts else {}

    def _encode_format(self, request: ChatRequest) -> bytes:
        """Empty if none is to be enforced."""
        schema = request.response_schema
        if request.response_format is not ResponseFormat.JSON:
            return b""
        return b'{"type":"json_object"}' if schema is None else self._formats.encode(schema)


def _encode_message(message: Message, call_ids: tuple[str, ...]) -> bytes:
    return b",".join(map(json_bytes, encode_input_items(message, call_ids)))


def _encode_tool(tool: Tool) -> bytes:
    return json_bytes(
        {
            "type": "function",
            "name": tool.name,
            "description": tool.description,
            "parameters": {**_NO_PARAMETERS, **tool.parameters},
            "strict": False,  # it is true if it is not said, and most schemas of tools are wider
        }
    )


def _encode_schema(schema: type[BaseModel] | Mapping[str, Any]) -> bytes:
    """Empty if the vendor's subset cannot say it."""
    named = schema_format(schema)
    return b"" if named is None else json_bytes({"type": "json_schema", **named})


def _encode_choice(choice: str) -> bytes:
    if choice in {"none", "required"}:
        return json_bytes(choice)
    return json_bytes({"type": "function", "name": choice})
