"""Which tool call a streamed piece belongs to, in all the ways servers say it or fail to."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from arc_core import ToolCallDelta
from arc_core.wire import MAX_STREAMED_CALLS, json_bytes, json_value
from arc_plugins.models.openai.chat.returned_fields import (
    CALL_FIELDS,
    StreamedFields,
    returned_fields,
)

__all__ = ["ToolCallPlaces", "arguments_of"]


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
        arguments, index = arguments_of(function), piece.get("index")
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


def arguments_of(function: Mapping[str, Any]) -> str:
    """A call's arguments as JSON text; some servers send an object, or null for none."""
    arguments = function.get("arguments")
    if isinstance(arguments, str):
        return arguments
    return "" if arguments is None else json_bytes(arguments).decode()
