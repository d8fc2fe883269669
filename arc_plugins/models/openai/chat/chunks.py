"""From the chunks of a streamed chat completion to deltas."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from arc_core import ChatDelta, ToolCallDelta
from arc_core.wire import MAX_STREAMED_CALLS, ServerSentEvent, json_value
from arc_core.wire.http_chat_model import PayloadError, unwrap
from arc_core.wire.model_stream import unless_empty
from arc_plugins.models.openai.chat.decode import (
    CALL_FIELDS,
    MESSAGE_FIELDS,
    REASONING_FIELDS,
    StreamedFields,
    first_choice,
    keep_vendor_content,
    read_arguments,
    read_finish_reason,
    read_reasoning,
    read_text,
    read_usage,
    returned_fields,
)


@dataclass(slots=True)
class _Call:
    place: int
    index: int | None
    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)
    returned: StreamedFields = field(default_factory=StreamedFields)

    def has_whole_arguments(self) -> bool:
        try:
            json_value("".join(self.arguments).encode())
        except ValueError:
            return False
        return True


class ToolCallPlaces:
    """Gives the calls of one message places 0, 1, 2, … in the order in which they appear.

    A piece goes to the call with its id, else to the one with its index, else to the last. A new id
    is a new call, whatever the index; so is, if there are no ids, a name that differs or that
    comes after whole arguments. Id and name are handed on once, however often they are sent.
    """

    def __init__(self) -> None:
        self._calls: list[_Call] = []
        self._by_id: dict[str, _Call] = {}
        self._by_index: dict[int, _Call] = {}

    def place(self, pieces: Iterable[Mapping[str, Any]]) -> tuple[ToolCallDelta, ...]:
        """The pieces of one chunk, with their places; those that say nothing are left out."""
        deltas = map(self._place, islice(pieces, MAX_STREAMED_CALLS + 1))  # more are refused
        return tuple(delta for delta in deltas if delta is not None)

    def returned_fields(self) -> list[dict[str, Any]]:
        """The fields of each call that go back as they came; empty ones if it has none."""
        return [call.returned.build() for call in self._calls]

    def _place(self, piece: Mapping[str, Any]) -> ToolCallDelta | None:
        function = piece.get("function") or {}
        call_id, name = str(piece.get("id") or ""), str(function.get("name") or "")
        arguments, index = read_arguments(function), piece.get("index")
        returned = returned_fields(piece, CALL_FIELDS)
        call = self._find(call_id, index)
        if not (call_id or name or arguments):
            if call is not None:
                call.returned.add(returned)
            return None
        if call is None or _is_another(call, call_id, name):
            call = self._open(index)
        call.returned.add(returned)
        call.arguments.append(arguments)
        new_id, new_name = not call.id and call_id, not call.name and name
        if new_id:
            call.id = new_id
            self._by_id[new_id] = call
        if new_name:
            call.name = new_name
        return ToolCallDelta(call.place, new_id or None, new_name or None, arguments or None)

    def _find(self, call_id: str, index: int | None) -> _Call | None:
        same_id = self._by_id.get(call_id)
        if same_id is not None and (index is None or same_id.index == index):
            return same_id
        if index is not None:
            return self._by_index.get(index)
        return self._calls[-1] if self._calls else None

    def _open(self, index: int | None) -> _Call:
        call = _Call(len(self._calls), index)
        self._calls.append(call)
        if index is not None:
            self._by_index[index] = call
        return call


def _is_another(call: _Call, call_id: str, name: str) -> bool:
    if call.id and call_id:
        return call.id != call_id
    if not (call.name and name):
        return False
    return call.name != name or call.has_whole_arguments()


_TERMINATOR = b"[DONE]"
_BESIDE_TEXT = ("tool_calls", *REASONING_FIELDS, *MESSAGE_FIELDS)


class ChunkDecoder:
    """Decodes one stream."""

    def __init__(self) -> None:
        self.is_complete = False
        self.is_ended = False
        self._places = ToolCallPlaces()
        self._reasoning_field: str | None = None
        self._returned = StreamedFields()
        self._refused = False

    def decode(self, event: ServerSentEvent) -> ChatDelta | None:
        """Return the delta that a chunk adds to the answer."""
        if self.is_ended:
            return None
        name, data = event
        try:
            chunk = json_value(data)
        except ValueError:
            if data.startswith(_TERMINATOR):
                return self._end()
            raise
        if type(chunk) is list:
            chunk = unwrap(chunk)
        text = _only_text(chunk)
        if text:
            return ChatDelta(text)
        if name == b"error":
            raise PayloadError(chunk.get("error") or chunk)
        return self._decode_all(chunk)

    def _decode_all(self, chunk: Mapping[str, Any]) -> ChatDelta | None:
        choice = first_choice(chunk)
        error = chunk.get("error") or choice.get("error")
        if error:
            raise PayloadError(error)
        message = choice.get("delta", choice.get("message")) or {}
        self._refused = self._refused or bool(message.get("refusal"))
        field, thought = read_reasoning(message)
        self._reasoning_field = self._reasoning_field or field
        self._returned.add(returned_fields(message, MESSAGE_FIELDS))
        delta = ChatDelta(
            read_text(message.get("content")) or None,
            self._places.place(message.get("tool_calls") or ()),
            read_usage(chunk),
            vendor_content=self._vendor_content() if message and self.is_complete else None,
            reasoning=thought or None,
        )
        reason = choice.get("finish_reason")
        return self._finish(delta, reason) if reason else unless_empty(delta)

    def _finish(self, delta: ChatDelta, reason: str) -> ChatDelta:
        self.is_complete = True
        return replace(
            delta,
            finish_reason=read_finish_reason(reason, refused=self._refused),
            vendor_content=self._vendor_content(),
        )

    def _end(self) -> ChatDelta | None:
        reported, self.is_complete, self.is_ended = self.is_complete, True, True
        if reported:
            return None
        reason = read_finish_reason(None, refused=self._refused)
        delta = ChatDelta(finish_reason=reason, vendor_content=self._vendor_content())
        return unless_empty(delta)

    def _vendor_content(self) -> dict[str, Any] | None:
        message, calls = self._returned.build(), self._places.returned_fields()
        return keep_vendor_content(self._reasoning_field, message=message, calls=calls)


def _only_text(chunk: Mapping[str, Any]) -> str | None:
    """The text of a chunk that has nothing else to say, as nearly all of them; else None."""
    choices = chunk.get("choices")
    if not choices or chunk.get("usage"):
        return None
    choice = choices[0]
    if choice.get("index") or choice.get("finish_reason") is not None:
        return None
    delta = choice.get("delta")
    if not delta or (len(delta) > 1 and any(map(delta.get, _BESIDE_TEXT))):
        return None
    text = delta.get("content")
    return text if isinstance(text, str) else None
