"""Events of a response, numbered so that a reader can go on after any of them.

The number of an event is made from the number of the run's event that it tells: with places for 16
after each. It is the same at every reading, in every process, and it rises; it has gaps.
"""

from typing import Any

from openai import BaseModel

from arc_plugins.surfaces.openai.templates import Template

PLACES = 16
"""More than the events of a response that one event of a run can become."""

_NUMBER = 987_654_321_012
_PIECE = "the piece"


class FrameWriter:
    """Writes events one after the other, and keeps those that the reader has not."""

    def __init__(self, after: int | None) -> None:
        self._after = -1 if after is None else after
        self._last = -1
        self._written: list[bytes] = []

    def enter(self, seq: int) -> None:
        """Go on with what the run's event of this number becomes."""
        self._last = max(self._last, seq * PLACES - 1)

    def add(self, kind: type[BaseModel], **fields: Any) -> None:
        """Write an event."""
        self._last += 1
        if self._last > self._after:
            self._written.append(_write(kind, sequence_number=self._last, **fields))

    def add_piece(self, piece: Template, text: str) -> None:
        """Write an event that differs from others by its text alone."""
        self._last += 1
        if self._last > self._after:
            self._written.append(piece.fill(text, self._last))

    def take(self) -> bytes:
        """Return the frames since the last time."""
        taken = b"".join(self._written)
        self._written.clear()
        return taken


def make_piece(kind: type[BaseModel], **fields: Any) -> Template:
    """Return the form of the many events that differ by their text and number alone."""
    written = _write(kind, delta=_PIECE, sequence_number=_NUMBER, **fields)
    return Template(written, _PIECE, _NUMBER)


def _write(kind: type[BaseModel], **fields: Any) -> bytes:
    name = next(iter(kind.model_fields["type"].annotation.__args__))  # type: ignore[union-attr]
    event = kind.construct(type=name, **fields)
    return f"event: {name}\ndata: {event.to_json(indent=None)}\n\n".encode()
