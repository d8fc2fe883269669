"""Requests to a `VendorServer`, and its replies."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import pairwise
from typing import Any, Self

__all__ = ["Ending", "ReceivedRequest", "Reply"]


class Ending(StrEnum):
    """The end of a reply, once its bytes are sent."""

    COMPLETE = "complete"
    """It ends the response and keeps the connection for the next request."""

    DROPPED = "dropped"
    """It closes the connection, with the response unfinished."""

    RESET = "reset"
    """It resets the connection, as a crashed process or a firewall does."""

    STALLED = "stalled"
    """It sends nothing more, and keeps the connection until the client leaves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One response, and how it is sent.

    Attributes:
        body: Sent in pieces.
        status: Of HTTP.
        headers: Beside `content-type`.
        content_type: Of the body.
        cuts: Positions in the body at which a new piece begins; each piece is a write of its own.
        ending: What follows the last byte.
        sends_head: Whether there is a response at all; if not, the ending follows the request.
    """

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = "application/json"
    cuts: Sequence[int] = ()
    ending: Ending = Ending.COMPLETE
    sends_head: bool = True

    @classmethod
    def json(
        cls, value: object, *, status: int = 200, headers: Mapping[str, str] | None = None
    ) -> Self:
        """A JSON body."""
        return cls(body=json.dumps(value).encode(), status=status, headers=headers or {})

    @classmethod
    def events(cls, body: bytes, *, cuts: Sequence[int] = ()) -> Self:
        """A stream of server-sent events."""
        return cls(body=body, content_type="text/event-stream; charset=utf-8", cuts=cuts)

    @classmethod
    def nothing(cls, ending: Ending) -> Self:
        """No byte of a response."""
        return cls(ending=ending, sends_head=False)

    def cut_off(self, position: int, ending: Ending) -> Self:
        """The same, with `ending` in place of what follows the body's first `position` bytes."""
        return replace(self, body=self.body[:position], ending=ending)

    def pieces(self) -> list[bytes]:
        """The body, cut."""
        inside = {cut for cut in self.cuts if 0 < cut < len(self.body)}
        edges = [0, *sorted(inside), len(self.body)]
        return [self.body[start:end] for start, end in pairwise(edges) if end > start]


@dataclass(frozen=True, slots=True)
class ReceivedRequest:
    """A request as it arrived.

    Attributes:
        method: In capitals.
        path: With its query.
        headers: Names in small letters.
        body: Undecoded.
        connection: Counts the connections from 0 on; the same number is the same connection.
    """

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    connection: int

    def json(self) -> Any:
        """The body, decoded."""
        return json.loads(self.body)
