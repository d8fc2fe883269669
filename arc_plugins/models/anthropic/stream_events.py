"""From the events of a streamed message to deltas."""

from collections.abc import Mapping
from operator import itemgetter
from typing import Any

from arc_core import AssistantMessage, ChatDelta, TokenUsage, ToolCallDelta
from arc_core.wire import ServerSentEvent, json_bytes, json_value
from arc_core.wire.http_chat_model import PayloadError
from arc_core.wire.model_stream import unless_empty
from arc_plugins.models.anthropic.decode import (
    PAUSED,
    ContentBlock,
    build_message,
    keep_vendor_content,
    read_finish_reason,
    read_reasoning,
    read_text,
    read_usage,
)

MAX_PAUSES = 10
"""Of one turn; what is said by then is an answer that was cut off."""


class MessageEventDecoder:
    """Decodes one turn, the streams of its parts if the vendor pauses it.

    Events, blocks and deltas of unknown types add nothing.
    """

    def __init__(self) -> None:
        self._parts: list[dict[str, Any]] = []
        self._spent: TokenUsage | None = None
        self._pauses = 0
        self._every_call: list[_StreamedCall] = []
        self._begin_part()

    def resume(self) -> AssistantMessage | None:
        """Begin the next part of a paused turn, and return it so far; None if it is whole."""
        if not self._is_paused:
            return None
        self._parts, self._spent = self._all_blocks(), self._usage_so_far()
        self._pauses += 1
        self._begin_part()
        return build_message(self._parts)

    def _begin_part(self) -> None:
        self.is_complete = self.is_ended = self._is_paused = False
        self._blocks: dict[int, ContentBlock] = {}
        self._stopped: set[int] = set()
        self._in_order: list[tuple[int, ContentBlock]] = []
        self._calls: dict[int, _StreamedCall] = {}
        self._usage: dict[str, Any] = {}

    def decode(self, event: ServerSentEvent) -> ChatDelta | None:
        """Return the delta that an event adds to the answer."""
        payload = json_value(event[1])
        if payload.get("type") != "content_block_delta":
            return self._decode_other(payload)
        delta = payload["delta"]
        if delta["type"] != "text_delta":
            return self._continue_block(payload["index"], delta)
        text = "" + delta["text"]  # fails if it is not a text
        self._blocks[payload["index"]].text.append(text)
        return ChatDelta(text) if text else None

    def _decode_other(self, payload: Mapping[str, Any]) -> ChatDelta | None:
        delta = None
        match payload.get("type"):
            case "content_block_start":
                delta = self._start_block(payload["index"], payload["content_block"])
            case "content_block_stop":
                delta = self._stop_block(payload["index"])
            case "message_start":
                delta = self._start_message(payload["message"])
            case "message_delta":
                delta = self._finish(payload)
            case "message_stop":
                self.is_complete, self.is_ended = not self._is_paused, True
                delta = unless_empty(ChatDelta(tool_calls=self._missing_arguments()))
            case "error":
                raise PayloadError(payload.get("error"))
        return delta

    def _continue_block(self, index: int, delta: Mapping[str, Any]) -> ChatDelta | None:
        self._blocks[index].add(delta)
        call = self._calls.get(index)
        if call is not None and delta.get("partial_json"):
            call.has_arguments = True
            return _call_delta(
                ToolCallDelta(call.place, arguments=read_text(delta, "partial_json"))
            )
        thought = read_text(delta, "thinking")
        return ChatDelta(reasoning=thought) if thought else None

    def _start_message(self, message: Mapping[str, Any]) -> ChatDelta | None:
        """Most vendors begin with nothing; what is there already is part of the answer."""
        self._take_usage(message.get("usage"))
        deltas = []
        for index, block in enumerate(message.get("content") or ()):
            deltas.append(self._start_block(index, block))
            self._stopped.add(index)
        begun = [delta for delta in deltas if delta is not None]
        text = "".join(delta.text or "" for delta in begun)
        thought = "".join(delta.reasoning or "" for delta in begun)
        calls = [piece for delta in begun for piece in delta.tool_calls]
        return unless_empty(ChatDelta(text or None, tuple(calls), reasoning=thought or None))

    def _start_block(self, index: int, start: Mapping[str, Any]) -> ChatDelta | None:
        known = self._blocks.get(index)
        if known and index not in self._stopped and known.is_announced_by(start):
            return None
        block = self._blocks[index] = ContentBlock(start)
        self._in_order.append((index, block))
        self._stopped.discard(index)
        if start.get("type") == "tool_use":
            place = len(self._every_call)
            call = self._calls[index] = _StreamedCall(place, start.get("input") or {})
            self._every_call.append(call)
            call_id = str(start.get("id") or "") or None
            return _call_delta(ToolCallDelta(call.place, call_id, "" + start["name"]))
        self._calls.pop(index, None)
        text, thought = read_text(start, "text"), read_text(start, "thinking")
        return ChatDelta(text or None, reasoning=thought or None) if text or thought else None

    def _stop_block(self, index: int) -> ChatDelta | None:
        self._stopped.add(index)
        call = self._calls.get(index)
        return None if call is None else unless_empty(ChatDelta(tool_calls=call.rest()))

    def _missing_arguments(self) -> tuple[ToolCallDelta, ...]:
        """Of calls that came whole, and whose blocks were never stopped."""
        return tuple(piece for call in self._every_call for piece in call.rest())

    def _take_usage(self, counts: object) -> None:
        if isinstance(counts, Mapping):
            self._usage |= {name: count for name, count in counts.items() if count is not None}

    def _finish(self, payload: Mapping[str, Any]) -> ChatDelta:
        self._take_usage(payload.get("usage"))
        name = payload["delta"].get("stop_reason")
        self._is_paused = name == PAUSED and self._pauses < MAX_PAUSES
        reason = None if self._is_paused else read_finish_reason(name)
        self.is_complete = self.is_complete or reason is not None
        blocks = self._all_blocks()
        return ChatDelta(
            tool_calls=self._missing_arguments(),
            usage=self._usage_so_far(),
            finish_reason=reason,
            vendor_content=keep_vendor_content(blocks),
            reasoning_blocks=read_reasoning(blocks),
        )

    def _all_blocks(self) -> list[dict[str, Any]]:
        in_order = sorted(self._in_order, key=itemgetter(0))
        return [*self._parts, *[block.build() for _, block in in_order]]

    def _usage_so_far(self) -> TokenUsage | None:
        usage = read_usage(self._usage)
        return usage if usage is None or self._spent is None else self._spent + usage


class _StreamedCall:
    """A tool call: its place among the calls, and whether its arguments have been handed on."""

    __slots__ = ("has_arguments", "input", "place")

    def __init__(self, place: int, arguments: Mapping[str, Any]) -> None:
        self.place = place
        self.input = arguments
        self.has_arguments = False

    def rest(self) -> tuple[ToolCallDelta, ...]:
        """The arguments that came with the block, if they were not handed on in pieces."""
        if self.has_arguments:
            return ()
        self.has_arguments = True
        return (ToolCallDelta(self.place, arguments=json_bytes(self.input).decode()),)


def _call_delta(piece: ToolCallDelta) -> ChatDelta:
    return ChatDelta(tool_calls=(piece,))
