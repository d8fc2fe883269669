"""The events of a run that is over, in little memory: most are pieces of one text."""

from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import overload

from arc_core import NumberedEvent, ReasoningDelta, TextDelta


@dataclass(slots=True, eq=False)
class _Pieces:
    """Pieces of one run that follow each other, as one text and the end of each in it."""

    made: type[TextDelta] | type[ReasoningDelta]
    run_id: str
    first: int
    text: str
    ends: "array[int]"

    def event(self, place: int) -> NumberedEvent:
        begin = self.ends[place - 1] if place else 0
        text = self.text[begin : self.ends[place]]
        return self.made(text, run_id=self.run_id, seq=self.first + place)


class PackedEvents(Sequence[NumberedEvent]):
    """The same events at the same places; each is made again when it is read."""

    def __init__(self, events: Iterable[NumberedEvent]) -> None:
        self._begins = array("Q")
        self._items: list[NumberedEvent | _Pieces] = []
        self._count = 0
        pending: list[TextDelta | ReasoningDelta] = []
        for event in events:
            if pending and not _follows(event, pending[-1]):
                self._add_pieces(pending)
                pending = []
            if type(event) is TextDelta or type(event) is ReasoningDelta:
                pending.append(event)
            else:
                self._add(event, 1)
        if pending:
            self._add_pieces(pending)

    @property
    def parts(self) -> Sequence[object]:
        """The texts and events that are kept."""
        return self._items

    def change(self, change: Callable[[NumberedEvent], NumberedEvent]) -> None:
        """Replace those that are not pieces of a text."""
        self._items = [each if isinstance(each, _Pieces) else change(each) for each in self._items]

    def __len__(self) -> int:
        """Return their number."""
        return self._count

    @overload
    def __getitem__(self, place: int) -> NumberedEvent: ...

    @overload
    def __getitem__(self, place: slice) -> list[NumberedEvent]: ...

    def __getitem__(self, place: int | slice) -> NumberedEvent | list[NumberedEvent]:
        """The event at a place."""
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(self._count))]
        place = place + self._count if place < 0 else place
        if not 0 <= place < self._count:
            raise IndexError(place)
        at = bisect_right(self._begins, place) - 1
        item = self._items[at]
        return item.event(place - self._begins[at]) if isinstance(item, _Pieces) else item

    def _add_pieces(self, pieces: list[TextDelta | ReasoningDelta]) -> None:
        ends, end = array("Q"), 0
        for piece in pieces:
            end += len(piece.text)
            ends.append(end)
        text, first = "".join([piece.text for piece in pieces]), pieces[0]
        self._add(_Pieces(type(first), first.run_id, first.seq, text, ends), len(pieces))

    def _add(self, item: NumberedEvent | _Pieces, count: int) -> None:
        self._begins.append(self._count)
        self._items.append(item)
        self._count += count


def _follows(event: NumberedEvent, last: TextDelta | ReasoningDelta) -> bool:
    return type(event) is type(last) and event.run_id == last.run_id and event.seq == last.seq + 1
