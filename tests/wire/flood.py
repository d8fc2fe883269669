"""A vendor on loopback that sends one chunk over and over, and counts what it got rid of."""

import asyncio
from dataclasses import dataclass
from typing import Self


@dataclass
class FloodServer:
    """Answers every request with the same bytes, again and again.

    Attributes:
        chunk: Sent until the client leaves or there was enough of it.
        status: Of the responses.
        content_type: Of their bodies.
        max_bytes: After which a response ends.
        sent_bytes: So far; what sockets hold is part of it.
        left_early: Set once a client has gone before the end.
    """

    chunk: bytes
    status: int = 200
    content_type: str = "application/json"
    max_bytes: int = 300_000_000
    sent_bytes: int = 0

    async def __aenter__(self) -> Self:
        self.left_early = asyncio.Event()
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = f"HTTP/1.1 {self.status} Flood\r\ncontent-type: {self.content_type}\r\n"
        try:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(f"{head}transfer-encoding: chunked\r\n\r\n".encode())
            while self.sent_bytes < self.max_bytes:
                writer.write(b"%x\r\n%s\r\n" % (len(self.chunk), self.chunk))
                self.sent_bytes += len(self.chunk)
                await writer.drain()
                await asyncio.sleep(0)  # a fast socket would keep the loop to this task
            writer.write(b"0\r\n\r\n")
        except ConnectionError:
            self.left_early.set()
        finally:
            writer.close()
