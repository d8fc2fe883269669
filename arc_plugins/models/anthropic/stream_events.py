"""From the events of a streamed message to deltas."""

from collections.abc import Mapping
from typing import Any

from arc_core import ChatDelta, ToolCallDelta
from arc_core.wire import ServerSentEvent, json_bytes, json_value
from arc_plugins.models.anthropic.content_blocks import ContentBlock, vendor_content_of
from arc_plugins.models.anthropic.decode import finish_reason_of, usage_of
from arc_plugins.models.anthropic.errors import PayloadError

__all__ = ["MessageEventDecoder"]


class MessageEventDecoder:
    """Decodes one stream. Events, blocks and deltas of unknown types add nothing.

    Attributes:
        is_complete: A stop reason or `message_stop` was seen.
        is_ended: `message_stop` was seen.
    """

    def __init__(self) -> None:
        self.is_complete = False
        self.is_ended = False
        self._blocks: dict[int, ContentBlock] = {}
        self._calls: dict[int, _StreamedCall] = {}
        self._usage: dict[str, Any] = {}

    def decode(self, event: ServerSentEvent) -> ChatDelta | None:
        """What an event adds to the answer.

        Raises:
            ModelError: The answer ended because the context window was full.
            PayloadError: The event is an error.
            Exception: It has not the form it should have.
        """
        payload = json_value(event[1])
        if payload.get("type") != "content_block_delta":
            return self._decode_other(payload)
        delta = payload["delta"]
        if delta["type"] != "text_delta":
            return self._continue_block(payload["index"], delta)
        text = delta["text"]
        self._blocks[payload["index"]].text.append(text)
        return ChatDelta(text) if text else None

    def _decode_other(self, payload: Mapping[str, Any]) -> ChatDelta | None:
        match payload.get("type"):
            case "content_block_start":
                return self._start_block(payload["index"], payload["content_block"])
            case "content_block_stop":
                return self._stop_block(payload["index"])
            case "message_start":
                self._usage |= payload["message"].get("usage") or {}
            case "message_delta":
                return self._finish(payload)
            case "message_stop":
                self.is_complete = self.is_ended = True
            case "error":
                raise PayloadError(payload.get("error"))
        return None

    def _continue_block(self, index: int, delta: Mapping[str, Any]) -> ChatDelta | None:
        self._blocks[index].add(delta)
        call = self._calls.get(index)
        if call is not None and delta.get("partial_json"):
            call.has_arguments = True
            return _call_delta(ToolCallDelta(call.place, arguments=delta["partial_json"]))
        return None

    def _start_block(self, index: int, start: Mapping[str, Any]) -> ChatDelta | None:
        if index in self._blocks:
            return None
        self._blocks[index] = ContentBlock(start)
        if start.get("type") == "tool_use":
            call = self._calls[index] = _StreamedCall(len(self._calls), start.get("input") or {})
            return _call_delta(ToolCallDelta(call.place, start.get("id"), start["name"]))
        text = start.get("text")
        return ChatDelta(text) if text else None

    def _stop_block(self, index: int) -> ChatDelta | None:
        call = self._calls.get(index)
        if call is None or call.has_arguments:
            return None
        call.has_arguments = True
        return _call_delta(ToolCallDelta(call.place, arguments=json_bytes(call.input).decode()))

    def _finish(self, payload: Mapping[str, Any]) -> ChatDelta:
        counts = payload.get("usage") or {}
        self._usage |= {name: count for name, count in counts.items() if count is not None}
        reason = finish_reason_of(payload["delta"].get("stop_reason"))
        self.is_complete = self.is_complete or reason is not None
        blocks = [self._blocks[index].build() for index in sorted(self._blocks)]
        return ChatDelta(
            usage=usage_of(self._usage),
            finish_reason=reason,
            vendor_content=vendor_content_of(blocks),
        )


class _StreamedCall:
    """A tool call: its place among the calls, and whether its arguments have been handed on."""

    __slots__ = ("has_arguments", "input", "place")

    def __init__(self, place: int, arguments: Mapping[str, Any]) -> None:
        self.place = place
        self.input = arguments
        self.has_arguments = False


def _call_delta(piece: ToolCallDelta) -> ChatDelta:
    return ChatDelta(tool_calls=(piece,))
