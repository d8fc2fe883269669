"""The bounds of one body, which hold while it is received, for every reader."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NoReturn

from starlette.datastructures import Headers
from starlette.types import Scope

from arc_core.serving.problems import Problem

__all__ = [
    "BODY",
    "BodyIntake",
    "BodyLimits",
    "JsonShape",
    "get_intake",
    "is_json",
    "refuse_size",
]

_MAX_DEPTH = 100
_PIECE_BYTES = 65_536
_NAME_BYTES = 64
_MAX_QUOTES_PER_ITEM = 4
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))


class JsonShape:
    """The number and the nesting of the values in a JSON text, and the size of what it attaches.

    A text that is not JSON is counted as if it were: the parser stops where it is not.
    """

    def __init__(self, *, max_items: int) -> None:
        self.max_items, self._items, self._depth = max_items, 0, 0
        self.attached_in: Collection[bytes] = ()
        self.attached_bytes = self.escapes = self._quotes = 0
        self._is_in_text, self._escape = False, b""
        self._before, self._open = [b"", b""], b""

    def read(self, chunk: bytes) -> None:
        """Count what has come."""
        for start in range(0, len(chunk), _PIECE_BYTES):
            self._read_piece(chunk[start : start + _PIECE_BYTES])

    def _read_piece(self, piece: bytes) -> None:
        text, carried = self._escape + piece, len(self._escape)
        self._escape = b""
        if escapes := text.count(
            b"\\"
        ):  # escapes go, but not their length, so that each quote bounds a text
            self.escapes += escapes - carried
            text = text.replace(b"\\\\", b"__")
            if text.endswith(b"\\"):
                text, self._escape = text[:-1], b"\\"
            text = text.replace(b'\\"', b"__")
        parts = text.split(b'"')
        self._quotes += len(parts) - 1
        self._count(b"".join(parts[self._is_in_text :: 2]))
        if self.attached_in:
            self._count_attached(parts)
        self._is_in_text ^= len(parts) % 2 == 0

    def _count(self, outside: bytes) -> None:
        """Count the values of a piece whose texts were taken out."""
        begun = outside.count(b"{") + outside.count(b"[")
        if self._depth + begun > _MAX_DEPTH:
            self._descend(outside)
        else:
            self._depth += begun - outside.count(b"}") - outside.count(b"]")
        self._items += begun + outside.count(b",")
        if max(self._items, self._quotes // _MAX_QUOTES_PER_ITEM - 1) > self.max_items:
            message = f"The body may have {self.max_items} values at most; send less."
            raise Problem(413, "too_large", message)

    def _descend(self, outside: bytes) -> None:
        for bracket in outside.translate(None, _NO_BRACKETS):
            self._depth += 1 if bracket in b"[{" else -1
            if self._depth > _MAX_DEPTH:
                message = f"The body is not JSON of {_MAX_DEPTH} levels at most."
                raise Problem(400, "invalid_json", message)

    def _count_attached(self, parts: Sequence[bytes]) -> None:
        """Count the texts of the fields that are attached; the first part goes on with an open one.

        Two parts before a text stands the name of its field. Short ones count as not attached.
        """
        seen = [*self._before, self._open + parts[0], *parts[1:]]
        for place, part in enumerate(seen):
            is_text = (place % 2 == 0) is self._is_in_text
            if len(part) > _NAME_BYTES and is_text and self._is_attached(seen, place):
                self.attached_bytes += len(part) - (len(self._open) if place == 2 else 0)
        self._before, self._open = seen[-3:-1], seen[-1][: _NAME_BYTES + 1]

    def _is_attached(self, seen: Sequence[bytes], place: int) -> bool:
        is_new = place >= len(self._before)
        return is_new and seen[place - 1].strip() == b":" and seen[place - 2] in self.attached_in


_TIMES_WITH_HISTORY = 4
"""The factor by which a body with a conversation may be larger; parsing stays quick."""

BODY = "arc.body"
"""The key of the ASGI scope under which the server puts the intake of the body."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyLimits:
    """The limits of a body: in bytes, without attachments and of them, and in values of JSON."""

    max_bytes: int
    max_attached_bytes: int
    max_items: int


class BodyIntake:
    """Counts a body while it is received."""

    def __init__(self, limits: BodyLimits, *, headers: Headers) -> None:
        self._limits, self.received = limits, 0
        self._max_bytes = self._max_unattached = limits.max_bytes
        is_counted = is_json(headers.get("content-type", ""))
        self._shape = JsonShape(max_items=limits.max_items) if is_counted else None
        size = headers.get("content-length", "")
        self._announced = int(size) if size.isdecimal() else 0

    def expect_attachments(self, fields: Collection[str], *, has_history: bool) -> None:
        """Let the body be as large as one with attachments; called before it is read."""
        self._max_unattached *= _TIMES_WITH_HISTORY if has_history else 1
        self._max_bytes = self._max_unattached + self._limits.max_attached_bytes
        if self._shape is not None:
            self._shape.attached_in = frozenset(each.encode() for each in fields)

    def allow_items(self, count: int) -> None:
        """Let the body have no more values than this, where they take long to read."""
        if self._shape is not None:
            self._shape.max_items = min(self._shape.max_items, count)

    def check_size(self) -> None:
        """Refuse a body of which more is announced, or has come, than it may have."""
        if max(self._announced, self.received) > self._max_bytes:
            refuse_size(self._max_bytes)

    def take(self, chunk: bytes) -> None:
        """Count what has come."""
        self.received += len(chunk)
        self.check_size()
        if self._shape is not None:
            self._shape.read(chunk)
            unattached = self.received - self._shape.attached_bytes
            if max(unattached, self._shape.escapes) > self._max_unattached:
                refuse_size(self._max_unattached)


def get_intake(scope: Scope) -> BodyIntake:
    """The intake of the body of a request."""
    intake: BodyIntake = scope[BODY]
    return intake


def is_json(media_type: str) -> bool:
    """Return whether a header says that a body is JSON."""
    name = media_type.partition(";")[0].strip().lower()
    return name == "application/json" or name.endswith("+json")


def refuse_size(limit: int, *, what: str = "body") -> NoReturn:
    """Raise the `Problem` of what is too large (413)."""
    message = f"The {what} may have {limit} bytes at most; send less."
    raise Problem(413, "too_large", message)
