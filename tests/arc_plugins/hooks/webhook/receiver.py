"""A real HTTP server on loopback that takes webhooks, or does not."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Self


@dataclass(frozen=True)
class Delivered:
    """A request as it arrived; names of headers in lower case."""

    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Receiver:
    """Answers with one status after the other, the last one for ever.

    Attributes:
        statuses: What to answer; None answers nothing and keeps the connection, 0 closes it.
        tail: What follows the status line.
        requests: What has arrived.
    """

    statuses: Sequence[int | None] = (204,)
    tail: bytes = b"content-length: 0\r\nconnection: close\r\n\r\n"
    requests: list[Delivered] = field(default_factory=list)

    async def __aenter__(self) -> Self:
        self._changed = asyncio.Condition()
        self._handlers: set[asyncio.Task[None]] = set()
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port: int = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *exception: object) -> None:
        self._server.close()
        for handler in self._handlers:
            handler.cancel()
        if self._handlers:
            await asyncio.wait(self._handlers)
        await self._server.wait_closed()

    @property
    def url(self) -> str:
        """Where it listens, with a token in it."""
        return f"http://127.0.0.1:{self.port}/hook?token=hush"

    async def wait_for(self, is_enough: Callable[[list[Delivered]], bool]) -> None:
        """Until the requests so far are what the test waits for."""
        async with self._changed:
            await self._changed.wait_for(lambda: is_enough(self.requests))

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        handler = asyncio.ensure_future(self._serve(reader, writer))
        self._handlers.add(handler)
        handler.add_done_callback(self._handlers.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            status = await self._take(reader)
            if status is None:
                await asyncio.Event().wait()
            elif status:
                writer.write(f"HTTP/1.1 {status} Answer\r\n".encode() + self.tail)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            return
        finally:
            writer.close()

    async def _take(self, reader: asyncio.StreamReader) -> int | None:
        first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().splitlines()
        pairs = (line.split(": ", 1) for line in lines if line)
        headers = {name.lower(): value for name, value in pairs}
        body = await reader.readexactly(int(headers["content-length"]))
        async with self._changed:
            self.requests.append(Delivered(first.split()[1], headers, body))
            self._changed.notify_all()
        return self.statuses[min(len(self.requests), len(self.statuses)) - 1]
