"""Puts the deltas of a streamed answer together, those that have more than text.

By hand, since this is the hot path of every stream: the general assembler of `arc_core.assembly`
takes longer to import than the engine, and longer to set up for a stream than a short stream lasts.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from arc_core.interfaces.models.chat_model import ChatDelta, ChatResponse, ToolCallDelta
from arc_core.log import get_logger
from arc_core.messages import AssistantMessage, Reasoning, ToolCall
from arc_core.messages.content import Part
from arc_core.usage import FinishReason, TokenUsage

logger = get_logger("turns")

DELTAS_AT_ONCE = 64
"""Then others have their turn: what has arrived already comes without a pause."""


@dataclass(slots=True, eq=False)
class _Pieces:
    """The pieces of one tool call."""

    identifier: str = ""
    name: list[str] = field(default_factory=list)
    arguments: list[str] = field(default_factory=list)

    def add(self, piece: ToolCallDelta) -> None:
        if piece.id:
            self.identifier = piece.id
        if piece.name:
            self.name.append(piece.name)
        if piece.arguments:
            self.arguments.append(piece.arguments)

    def join(self) -> ToolCall:
        return ToolCall(self.identifier, "".join(self.name), "".join(self.arguments))


def bound_calls(response: ChatResponse, *, max_calls: int) -> ChatResponse:
    """The answer without tool calls far over the limit, of which each would only be refused."""
    message = response.message
    _tell_left_out(max_calls)
    return replace(response, message=replace(message, tool_calls=message.tool_calls[:max_calls]))


def _tell_left_out(max_calls: int) -> None:
    logger.warning("tool calls far over the limit are left out", kept=max_calls)


@dataclass(slots=True, eq=False)
class StreamAssembly:
    """Serves one stream; pieces of tool calls are collected by index and sorted by it."""

    max_calls: int
    deltas: int = field(default=0, init=False)
    _has_left_out: bool = field(default=False, init=False)
    _calls: dict[int, _Pieces] = field(default_factory=dict, init=False)
    _usage: TokenUsage | None = field(default=None, init=False)
    _finish_reason: FinishReason | None = field(default=None, init=False)
    _vendor_content: object = field(default=None, init=False)
    _thoughts: list[str] = field(default_factory=list, init=False)
    _reasoning: tuple[Reasoning, ...] = field(default=(), init=False)
    _content: tuple[Part, ...] = field(default=(), init=False)

    def add(self, delta: ChatDelta) -> str | None:
        """Note what a delta has beside text, and return its piece of reasoning, if it has one."""
        self.deltas += 1
        for piece in delta.tool_calls:
            pieces = self._calls.get(piece.index)
            if pieces is None:
                if len(self._calls) >= self.max_calls:
                    self._has_left_out = True
                    continue
                pieces = self._calls[piece.index] = _Pieces()
            pieces.add(piece)
        if delta.usage is not None:
            self._usage = delta.usage
        if delta.finish_reason is not None:
            self._finish_reason = delta.finish_reason
        if delta.vendor_content is not None:
            self._vendor_content = delta.vendor_content
        if delta.reasoning_blocks:
            self._reasoning = delta.reasoning_blocks
        if delta.content:
            self._content = delta.content
        if delta.reasoning:
            self._thoughts.append(delta.reasoning)
            return delta.reasoning
        return None

    def build(self, texts: Iterable[str]) -> ChatResponse:
        """The answer so far, with the texts of all deltas, which the caller has kept already."""
        if self._has_left_out:
            _tell_left_out(self.max_calls)
        calls = tuple(self._calls[index].join() for index in sorted(self._calls))
        reasoning = self._reasoning
        if not reasoning and self._thoughts:
            reasoning = (Reasoning("".join(self._thoughts)),)
        content = self._content or "".join(texts)
        message = AssistantMessage(content, calls, reasoning, self._vendor_content)
        return ChatResponse(message, self._usage, self._finish_reason)
