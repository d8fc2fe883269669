"""From Arc's requests to the bodies of Messages requests."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

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
from arc_plugins.models.anthropic.messages import ID_PATTERN, encode_blocks


@dataclass(frozen=True, slots=True)
class MessagesDialect:
    """Begins with what the newest models take; refusals do not say what they are about."""

    thinks_adaptively: bool = True
    enforces_schema: bool = True

    def next(self) -> "MessagesDialect | None":
        """The one to try after this one, each combination once; None after the last."""
        if self.thinks_adaptively:
            return replace(self, thinks_adaptively=False)
        return MessagesDialect(enforces_schema=False) if self.enforces_schema else None


_MIN_BUDGET_TOKENS = 1024
_QUARTERS_OF_THE_ANSWER = {
    ReasoningEffort.LOW: 1,
    ReasoningEffort.MEDIUM: 2,
    ReasoningEffort.HIGH: 3,
}


@dataclass(frozen=True, slots=True)
class Thinking:
    """The fields of one request."""

    field: bytes = b""
    effort: ReasoningEffort | None = None

    @classmethod
    def of(
        cls, effort: ReasoningEffort | None, *, max_tokens: int, is_adaptive: bool
    ) -> "Thinking":
        """Make the fields; empty ones if nothing was asked for.

        Older models are given a budget, a quarter of the answer's bound per step of the effort.
        It must have 1024 tokens at least and leave some of the bound: under 1025 none is sent.
        """
        if effort is None:
            return cls()
        if is_adaptive:
            return cls(b'{"type":"adaptive","display":"summarized"}', effort)
        budget = max(_MIN_BUDGET_TOKENS, max_tokens * _QUARTERS_OF_THE_ANSWER[effort] // 4)
        if budget >= max_tokens:
            return cls()
        return cls(b'{"type":"enabled","budget_tokens":%d}' % budget)


_MARK = b',"cache_control":{"type":"ephemeral"}}'


class EncodedTurn(NamedTuple):
    """An encoded message.

    Attributes:
        role: `user` or `assistant`.
        blocks: JSON objects, joined by commas; empty if there are none.
        can_be_marked: Whether the last of them may have a mark; thinking may not.
    """

    role: bytes
    blocks: bytes
    can_be_marked: bool


def mark(objects: bytes) -> bytes:
    """A JSON object with a mark; of several, the last one has it."""
    return objects[:-1] + _MARK


def mark_messages(turns: list[EncodedTurn], *, stable: int) -> None:
    """Mark the last of the stable messages that can have a mark, if there is one."""
    for place in reversed(range(min(stable, len(turns)))):
        turn = turns[place]
        if turn.can_be_marked:
            turns[place] = turn._replace(blocks=mark(turn.blocks))
            return


_ASSISTANT, _USER = b"assistant", b"user"
_MARKABLE = frozenset({"document", "image", "text", "tool_result", "tool_use"})
_LEFT_OUT = b'{"type":"text","text":"(Earlier messages are left out.)"}'
_NO_SCHEMA = {"type": "object", "properties": {}}


class MessagesRequestEncoder:
    """Encodes requests; what was encoded once is kept with its message, tool or schema."""

    def __init__(self, *, marks_cache: bool, calls_in_parallel: bool = True) -> None:
        self._marks_cache, self._calls_in_parallel = marks_cache, calls_in_parallel
        self._messages = EncodedMessages(_encode_message)
        self._tools = EncodedParts(_encode_tool)
        self._schemas = EncodedParts(_encode_schema)

    def encode(
        self,
        request: ChatRequest,
        *,
        model: str,
        max_tokens: int,
        dialect: MessagesDialect,
        stream: bool,
    ) -> bytes:
        """The body of a request, which begins with what stays the same over a session."""
        # The API takes no demand for a tool call beside thinking.
        is_demanded = request.tools and request.tool_choice not in {"auto", "none"}
        thinking = Thinking.of(
            None if is_demanded else request.reasoning,
            max_tokens=max_tokens,
            is_adaptive=dialect.thinks_adaptively,
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
        return tools, self._choice_field(choice)

    def _choice_field(self, choice: str) -> dict[str, bytes]:
        encoded: dict[str, Any] = {"type": choice}
        if choice == "required":
            encoded = {"type": "any"}
        elif choice not in {"auto", "none"}:
            encoded = {"type": "tool", "name": choice}
        if choice != "none" and not self._calls_in_parallel:
            encoded["disable_parallel_tool_use"] = True
        return {} if encoded == {"type": "auto"} else {"tool_choice": json_bytes(encoded)}

    def _schema(self, request: ChatRequest) -> bytes:
        schema = request.response_schema
        if request.response_format is not ResponseFormat.JSON or schema is None:
            return b""
        return self._schemas.encode(schema)


def _encode_message(message: Message, call_ids: tuple[str, ...]) -> EncodedTurn:
    role = _ASSISTANT if isinstance(message, AssistantMessage) else _USER
    blocks = encode_blocks(message, call_ids)
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
