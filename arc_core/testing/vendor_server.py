"""A vendor on loopback: replays bytes as it is told, and records what it was sent.

For the tests of chat models. It cuts a body wherever a test wants it cut, drops, resets and stalls
connections, and needs nothing but asyncio:

    async with VendorServer(Reply.events(recorded, cuts=[17])) as server:
        model = MyChatModel(settings=LlmSettings(base_url=server.url))
        ...
    assert server.requests[0].json()["stream"] is True
"""

import asyncio
import json
import socket
import struct
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from http.client import responses
from itertools import pairwise
from typing import Any, Self


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


_TURNS_TO_READ = 2  # of the event loop, for a client on the same one to take a piece alone
_NO_LINGER = struct.pack("ii", 1, 0)
_Replies = Reply | Callable[[ReceivedRequest], Reply]
_EXHAUSTED = Reply.json({"error": {"message": "the server has no reply left"}}, status=500)


class VendorServer:
    """Answers requests with replies, in the order in which they were given.

    Args:
        replies: Each a `Reply`, or a function of the request that gives one. When they are used
            up, requests are answered with status 500.

    Attributes:
        requests: What was received, in order.
        finished_replies: How many replies have come to their ending, a stall included.
        open_connections: How many clients are connected.
    """

    def __init__(self, *replies: _Replies) -> None:
        self.requests: list[ReceivedRequest] = []
        self.finished_replies = 0
        self.open_connections = 0
        self._replies = deque(replies)
        self._connections = 0
        self._writers: set[asyncio.StreamWriter] = set()
        self._server: asyncio.Server | None = None
        self._changed = asyncio.Condition()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return self

    async def __aexit__(
        self, exc_type: object, exc: BaseException | None, traceback: object
    ) -> None:
        assert self._server is not None
        self._server.close()
        for writer in self._writers:
            writer.transport.abort()
        await self.wait_until(lambda: not self.open_connections)
        await self._server.wait_closed()

    @property
    def url(self) -> str:
        """The address at which it listens, without a path."""
        if self._server is None:
            raise RuntimeError("the server is used inside `async with`")
        host, port = self._server.sockets[0].getsockname()
        return f"http://{host}:{port}"

    def add(self, *replies: _Replies) -> None:
        """Give more replies, to be used after the others."""
        self._replies.extend(replies)

    async def wait_until(self, condition: Callable[[], bool]) -> None:
        """Wait until `condition` holds; it is asked whenever one of the attributes changes."""
        async with self._changed:
            await self._changed.wait_for(condition)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        await self._note(open_connections=1)
        number, self._connections = self._connections, self._connections + 1
        try:
            async for request in _requests(reader, number):
                self.requests.append(request)
                await self._note()
                ending = await self._answer(request, reader, writer)
                if ending is not Ending.COMPLETE:
                    return
        except ConnectionError:
            return  # the client left
        finally:
            self._writers.discard(writer)
            writer.close()
            await self._note(open_connections=-1)

    async def _answer(
        self, request: ReceivedRequest, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> Ending:
        reply = self._replies.popleft() if self._replies else _EXHAUSTED
        if not isinstance(reply, Reply):
            reply = reply(request)
        if reply.sends_head:
            writer.write(_head(reply))
            await _send_pieces(reply, writer)
        await self._note(finished_replies=1)
        match reply.ending:
            case Ending.COMPLETE:
                writer.write(b"0\r\n\r\n")
            case Ending.DROPPED:
                writer.close()
            case Ending.RESET:
                writer.get_extra_info("socket").setsockopt(
                    socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER
                )
                writer.transport.abort()
            case Ending.STALLED:
                await reader.read()  # ends when the client leaves
        return reply.ending

    async def _note(self, *, open_connections: int = 0, finished_replies: int = 0) -> None:
        self.open_connections += open_connections
        self.finished_replies += finished_replies
        async with self._changed:
            self._changed.notify_all()


async def _requests(
    reader: asyncio.StreamReader, connection: int
) -> AsyncIterator[ReceivedRequest]:
    """The requests of one connection, until the client closes it."""
    while True:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError:
            return
        first, *lines = head.decode("latin-1").rstrip().split("\r\n")
        method, path, _ = first.split(" ", 2)
        fields = (line.split(":", 1) for line in lines)
        headers = {name.strip().lower(): value.strip() for name, value in fields}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        yield ReceivedRequest(method, path, headers, body, connection)


def _head(reply: Reply) -> bytes:
    headers = {"content-type": reply.content_type, "transfer-encoding": "chunked", **reply.headers}
    phrase = responses.get(reply.status, "Unknown")  # vendors have statuses of their own
    lines = [f"HTTP/1.1 {reply.status} {phrase}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


async def _send_pieces(reply: Reply, writer: asyncio.StreamWriter) -> None:
    for piece in reply.pieces():
        writer.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        await writer.drain()
        for _ in range(_TURNS_TO_READ):
            await asyncio.sleep(0)
