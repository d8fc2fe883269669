"""The bounds of one body, which hold while it is received, for every reader."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import NoReturn

from starlette.datastructures import Headers
from starlette.types import Scope

from arc_core.serving.json_shape import JsonShape
from arc_core.serving.problems import Problem

__all__ = ["BODY", "BodyIntake", "BodyLimits", "get_intake", "is_json", "refuse_size"]

_TIMES_WITH_HISTORY = 4
"""How many times as large a body with a conversation may be; parsing still takes little time."""

BODY = "arc.body"
"""The key of the ASGI scope under which the server puts the intake of the body."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyLimits:
    """The limits of the body of a request.

    Attributes:
        max_bytes: Without what is attached.
        max_attached_bytes: What is attached, as it is sent.
        max_items: Values in JSON.
    """

    max_bytes: int
    max_attached_bytes: int
    max_items: int


class BodyIntake:
    """Counts a body while it is received.

    Args:
        limits: Of every body.
        headers: Of the request: they announce the kind and mostly the size.

    Attributes:
        received: How many bytes have come.
    """

    def __init__(self, limits: BodyLimits, *, headers: Headers) -> None:
        self._limits, self.received = limits, 0
        self._max_bytes = self._max_unattached = limits.max_bytes
        is_counted = is_json(headers.get("content-type", ""))
        self._shape = JsonShape(max_items=limits.max_items) if is_counted else None
        size = headers.get("content-length", "")
        self._announced = int(size) if size.isdecimal() else 0

    def expect_attachments(self, fields: Collection[str], *, has_history: bool) -> None:
        """Let the body be as large as one with attachments; called before it is read.

        Args:
            fields: The names of the fields that have what is attached.
            has_history: Whether it has what was said before, too, which is not read.
        """
        self._max_unattached *= _TIMES_WITH_HISTORY if has_history else 1
        self._max_bytes = self._max_unattached + self._limits.max_attached_bytes
        if self._shape is not None:
            self._shape.attached_in = frozenset(each.encode() for each in fields)

    def allow_items(self, count: int) -> None:
        """Let the body have no more values than this, where they take long to read."""
        if self._shape is not None:
            self._shape.max_items = min(self._shape.max_items, count)

    def check_size(self) -> None:
        """Refuse a body of which more is announced, or has come, than it may have.

        Raises:
            Problem: It is too large (413).
        """
        if max(self._announced, self.received) > self._max_bytes:
            refuse_size(self._max_bytes)

    def take(self, chunk: bytes) -> None:
        """Count what has come.

        Raises:
            Problem: It is too much (413), or nested too deeply (400).
        """
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
    """Say that something is too large.

    Raises:
        Problem: Always (413).
    """
    message = f"The {what} may have {limit} bytes at most; send less."
    raise Problem(413, "too_large", message)
