"""From Arc's requests to the bodies of Messages requests."""

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel

from arc_core import (
    AssistantMessage,
    ChatRequest,
    Message,
    ReasoningEffort,
    ResponseFormat,
    SystemMessage,
    Tool,
)
from arc_core.wire import (
    CallIds,
    EncodedMessages,
    EncodedParts,
    json_bytes,
    json_object,
    sendable_name,
    strict_schema,
)
from arc_plugins.models.anthropic.cache_marks import EncodedTurn, mark, mark_messages
from arc_plugins.models.anthropic.dialect import Dialect
from arc_plugins.models.anthropic.messages import ID_PATTERN, blocks_of
from arc_plugins.models.anthropic.thinking import Thinking

__all__ = ["RequestEncoder"]

_ASSISTANT, _USER = b"assistant", b"user"
_MARKABLE = frozenset({"document", "image", "text", "tool_result", "tool_use"})
_LEFT_OUT = b'{"type":"text","text":"(Earlier messages are left out.)"}'
_NO_SCHEMA = {"type": "object", "properties": {}}


class RequestEncoder:
    """Encodes requests; what was encoded once is kept with its message, tool or schema.

    Args:
        marks_cache: Whether the vendor is asked to keep the beginnings of requests.
    """

    def __init__(self, *, marks_cache: bool) -> None:
        self._marks_cache = marks_cache
        self._messages = EncodedMessages(_encode_message)
        self._tools = EncodedParts(_encode_tool)
        self._schemas = EncodedParts(_encode_schema)

    def encode(
        self,
        request: ChatRequest,
        *,
        model: str,
        max_tokens: int,
        dialect: Dialect,
        stream: bool,
    ) -> bytes:
        """The body of a request, which begins with what stays the same over a session.

        Args:
            request: The question.
            model: The vendor's name.
            max_tokens: Bound of the answer; the API demands one.
            dialect: What the model takes.
            stream: Whether the answer comes in pieces.
        """
        thinking = Thinking.of(
            request.reasoning, max_tokens=max_tokens, is_adaptive=dialect.thinks_adaptively
        )
        schema = self._schema(request) if dialect.enforces_schema else b""
        tools, choice = self._tool_fields(request)
        fields = {
            "model": json_bytes(model),
            "max_tokens": b"%d" % max_tokens,
            **tools,
            **self._system_field(request),
            "messages": self._encode_messages(request),
            **choice,
            **_output_field(thinking.effort, schema),
        }
        if thinking.field:
            fields["thinking"] = thinking.field
        elif request.temperature is not None:  # the API takes none beside thinking
            fields["temperature"] = json_bytes(request.temperature)
        if stream:
            fields["stream"] = b"true"
        return json_object(fields)

    def _system_field(self, request: ChatRequest) -> dict[str, bytes]:
        own = [m.content for m in request.messages if isinstance(m, SystemMessage)]
        text = "\n\n".join(part for part in (request.system_prompt, *own) if part and part.strip())
        if not text:
            return {}
        if self._marks_cache:
            return {"system": b"[%s]" % mark(json_bytes({"type": "text", "text": text}))}
        return {"system": json_bytes(text)}

    def _encode_messages(self, request: ChatRequest) -> bytes:
        """The turns: user and assistant alternate, and a user begins."""
        messages = self._messages.encode(request.messages, CallIds(ID_PATTERN))
        if self._marks_cache:
            mark_messages(messages, stable=request.stable_messages)
        turns: list[tuple[bytes, list[bytes]]] = []
        for role, blocks, _ in messages:
            if not blocks:
                continue
            if turns and turns[-1][0] is role:
                turns[-1][1].append(blocks)
            else:
                turns.append((role, [blocks]))
        if turns and turns[0][0] is _ASSISTANT:
            turns.insert(0, (_USER, [_LEFT_OUT]))
        encoded = [b'{"role":"%s","content":[%s]}' % (role, b",".join(b)) for role, b in turns]
        return b"[%s]" % b",".join(encoded)

    def _tool_fields(self, request: ChatRequest) -> tuple[dict[str, bytes], dict[str, bytes]]:
        """The tools, and whether they may be called."""
        if request.tools:
            encoded = [self._tools.encode(tool) for tool in request.tools]
            choice = request.tool_choice
        else:  # history with tool use is refused without definitions
            encoded = [_encode_definition(name, "", {}) for name in _called_names(request.messages)]
            choice = "none"
        if not encoded:
            return {}, {}
        if self._marks_cache:
            encoded[-1] = mark(encoded[-1])
        tools = {"tools": b"[%s]" % b",".join(encoded)}
        return tools, {"tool_choice": b'{"type":"none"}'} if choice == "none" else {}

    def _schema(self, request: ChatRequest) -> bytes:
        schema = request.response_schema
        if request.response_format is not ResponseFormat.JSON or schema is None:
            return b""
        return self._schemas.encode(schema)


def _encode_message(message: Message, call_ids: tuple[str, ...]) -> EncodedTurn:
    role = _ASSISTANT if isinstance(message, AssistantMessage) else _USER
    blocks = blocks_of(message, call_ids)
    can_be_marked = bool(blocks) and blocks[-1]["type"] in _MARKABLE
    return EncodedTurn(role, b",".join(map(json_bytes, blocks)), can_be_marked)


def _output_field(effort: ReasoningEffort | None, schema: bytes) -> dict[str, bytes]:
    parts = {"effort": b'"%s"' % effort.encode() if effort else b"", "format": schema}
    sent = {name: value for name, value in parts.items() if value}
    return {"output_config": json_object(sent)} if sent else {}


def _encode_tool(tool: Tool) -> bytes:
    return _encode_definition(tool.name, tool.description, tool.parameters)


def _called_names(messages: Iterable[Message]) -> list[str]:
    """Names of the tools that were called in a conversation, once each."""
    calls = [c for m in messages if isinstance(m, AssistantMessage) for c in m.tool_calls]
    return list(dict.fromkeys(sendable_name(call.name) for call in calls))


def _encode_definition(name: str, description: str, parameters: Mapping[str, Any]) -> bytes:
    definition = {"name": name, "input_schema": {**_NO_SCHEMA, **parameters}}
    return json_bytes(definition | {"description": description} if description else definition)


def _encode_schema(schema: type[BaseModel] | Mapping[str, Any]) -> bytes:
    """Empty if the vendor's subset cannot say it: then the prompt's instruction is alone."""
    written = schema.model_json_schema() if isinstance(schema, type) else schema
    strict = strict_schema(written, all_required=False)
    if strict is None:
        return b""
    return json_bytes({"type": "json_schema", "schema": strict})
