"""From Arc's requests to the bodies of Messages requests."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from pydantic import BaseModel

from arc_core import (
    AssistantMessage,
    Attachment,
    ChatRequest,
    Content,
    Message,
    ReasoningEffort,
    ResponseFormat,
    SystemMessage,
    Text,
    Tool,
    ToolOutcome,
    ToolResult,
    ToolResultMessage,
    UserMessage,
)
from arc_core.tools.json_schema import get_json_schema
from arc_core.wire import (
    CallIds,
    EncodedMessages,
    EncodedParts,
    defer_loading,
    json_array,
    json_bytes,
    json_object,
    sendable_name,
    strict_schema,
)
from arc_core.wire.attachments import (
    IMAGE_TYPES,
    PDF,
    encode_base64,
    is_text,
    text_in,
    unsendable,
    write_answer,
)
from arc_core.wire.payloads import join_system, join_turns, read_arguments
from arc_plugins.models.anthropic.decode import own_blocks, read_text


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
        {
            "type": "tool_use",
            "id": call_id,
            "name": sendable_name(call.name),
            "input": read_arguments(call.arguments),
        }
        for call, call_id in zip(message.tool_calls, call_ids, strict=True)
    ]
    blocks = own_blocks(message)
    if blocks is None:
        return [*encode_parts(write_answer(message.content)), *calls]
    next_call = iter(calls)
    return [
        next(next_call) if block["type"] == "tool_use" else block
        for block in blocks
        if block["type"] != "text" or read_text(block, "text").strip()
    ]


def _tool_result(result: ToolResult, call_id: str) -> dict[str, Any]:
    content = result.content if isinstance(result.content, str) else encode_parts(result.content)
    block = {"type": "tool_result", "tool_use_id": call_id, "content": content}
    return block if result.outcome is ToolOutcome.SUCCESS else {**block, "is_error": True}


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


def _encode_thinking(
    effort: ReasoningEffort | None, *, max_tokens: int, is_adaptive: bool
) -> bytes:
    """Empty if nothing was asked for.

    Older models are given a budget, a quarter of the answer's bound per step of the effort. It must
    have 1024 tokens at least and leave some of the bound: under 1025 none is sent.
    """
    if effort is None:
        return b""
    if is_adaptive:
        return b'{"type":"adaptive","display":"summarized"}'
    budget = max(_MIN_BUDGET_TOKENS, max_tokens * _QUARTERS_OF_THE_ANSWER[effort] // 4)
    return b'{"type":"enabled","budget_tokens":%d}' % budget if budget < max_tokens else b""


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


def _mark(objects: bytes) -> bytes:
    """A JSON object with a mark; of several, the last one has it."""
    return objects[:-1] + _MARK


_ASSISTANT, _USER = b"assistant", b"user"
_MARKABLE = frozenset({"document", "image", "text", "tool_result", "tool_use"})
_TURN = b'{"role":"%s","content":[%s]}'
_LEFT_OUT = b'{"type":"text","text":"(Earlier messages are left out.)"}'
_NO_SCHEMA = {"type": "object", "properties": {}}


class MessagesRequestEncoder:
    """Encodes requests; what was encoded once is kept with its message, tool or schema."""

    def __init__(
        self, *, marks_cache: bool, calls_in_parallel: bool = True, tool_search: str | None = None
    ) -> None:
        self._marks_cache, self._calls_in_parallel = marks_cache, calls_in_parallel
        self._tool_search = tool_search
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
        effort, is_adaptive = None if is_demanded else request.reasoning, dialect.thinks_adaptively
        thinking = _encode_thinking(effort, max_tokens=max_tokens, is_adaptive=is_adaptive)
        output = {"effort": json_bytes(effort)} if effort and is_adaptive else {}
        if dialect.enforces_schema and request.response_format is ResponseFormat.JSON:
            schema = request.response_schema
            output["format"] = b"" if schema is None else self._schemas.encode(schema)
        tools, choice = self._encode_tools(request)
        fields = {
            "model": json_bytes(model),
            "max_tokens": b"%d" % max_tokens,
            "tools": tools,
            "system": self._encode_system(request),
            "messages": self._encode_messages(request),
            "tool_choice": choice,
            "output_config": json_object(output) if any(output.values()) else b"",
            "thinking": thinking,
            "stream": b"true" if stream else b"",
        }
        if request.temperature is not None and not thinking:  # the API takes none beside it
            fields["temperature"] = json_bytes(request.temperature)
        return json_object(fields)

    def _encode_system(self, request: ChatRequest) -> bytes:
        text = join_system(request)
        if text and self._marks_cache:
            return json_array([_mark(json_bytes({"type": "text", "text": text}))])
        return json_bytes(text) if text else b""

    def _encode_messages(self, request: ChatRequest) -> bytes:
        """The turns: user and assistant alternate, and a user begins."""
        messages = self._messages.encode(request.messages, CallIds(ID_PATTERN))
        if self._marks_cache:
            for place in reversed(range(min(request.stable_messages, len(messages)))):
                if messages[place].can_be_marked:
                    last = messages[place]
                    messages[place] = last._replace(blocks=_mark(last.blocks))
                    break
        return join_turns((each[:2] for each in messages), _TURN, opening=(_USER, _LEFT_OUT))

    def _encode_tools(self, request: ChatRequest) -> tuple[bytes, bytes]:
        """The tools, and whether they may be called; both are empty if there are none."""
        if request.tools:
            encoded = [self._tools.encode(tool) for tool in request.tools]
            choice = request.tool_choice
            if self._tool_search is not None:  # the vendor finds definitions for the model
                pairs = zip(encoded, request.tools, strict=True)
                encoded = [defer_loading(*pair, choice=choice) for pair in pairs]
                encoded.append(_encode_search(self._tool_search))
        else:  # history with tool use is refused without definitions
            said = (each for each in request.messages if isinstance(each, AssistantMessage))
            names = dict.fromkeys(sendable_name(c.name) for each in said for c in each.tool_calls)
            encoded = [_encode_definition(name, "", {}) for name in names]
            choice = "none"
        if not encoded:
            return b"", b""
        if self._marks_cache:
            encoded[-1] = _mark(encoded[-1])
        return json_array(encoded), self._encode_choice(choice)

    def _encode_choice(self, choice: str) -> bytes:
        encoded: dict[str, Any] = {"type": choice}
        if choice == "required":
            encoded = {"type": "any"}
        elif choice not in {"auto", "none"}:
            encoded = {"type": "tool", "name": choice}
        if choice != "none" and not self._calls_in_parallel:
            encoded["disable_parallel_tool_use"] = True
        return b"" if encoded == {"type": "auto"} else json_bytes(encoded)


def _encode_message(message: Message, call_ids: tuple[str, ...]) -> EncodedTurn:
    role = _ASSISTANT if isinstance(message, AssistantMessage) else _USER
    blocks = encode_blocks(message, call_ids)
    can_be_marked = bool(blocks) and blocks[-1]["type"] in _MARKABLE
    return EncodedTurn(role, b",".join(map(json_bytes, blocks)), can_be_marked)


def _encode_search(kind: str) -> bytes:
    name = f"tool_search_tool_{kind}"
    return json_bytes({"type": f"{name}_20251119", "name": name})


def _encode_tool(tool: Tool) -> bytes:
    return _encode_definition(tool.name, tool.description, tool.parameters)


def _encode_definition(name: str, description: str, parameters: Mapping[str, Any]) -> bytes:
    definition = {"name": name, "input_schema": {**_NO_SCHEMA, **parameters}}
    return json_bytes(definition | {"description": description} if description else definition)


def _encode_schema(schema: type[BaseModel] | Mapping[str, Any]) -> bytes:
    """Empty if the vendor's subset cannot say it: then the prompt's instruction is alone."""
    strict = strict_schema(get_json_schema(schema), all_required=False)
    if strict is None:
        return b""
    return json_bytes({"type": "json_schema", "schema": strict})
