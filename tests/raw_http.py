"""Requests byte by byte, for clients that no library would be."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

__all__ = ["Connection", "connected", "post"]

_SMALL_BUFFER = 65_536


class Connection:
    """A connection that is read when it is asked to be, and no earlier.

    Args:
        plain: The socket.
    """

    def __init__(self, plain: socket.socket) -> None:
        self._plain, self._loop = plain, asyncio.get_running_loop()

    async def send(self, data: bytes) -> None:
        """Send bytes."""
        await self._loop.sock_sendall(self._plain, data)

    async def read_until(self, end: bytes) -> bytes:
        """What comes up to this, and a little more."""
        found = b""
        while end not in found and (more := await self.read()):
            found += more
        return found

    async def read_to_end(self) -> bytes:
        """What comes until the other side closes."""
        found = bytearray()
        while more := await self.read():
            found += more
        return bytes(found)

    async def read(self) -> bytes:
        """What has come; nothing at the end."""
        try:
            return await self._loop.sock_recv(self._plain, 65_536)
        except ConnectionResetError:
            return b""


@asynccontextmanager
async def connected(address: str) -> AsyncIterator[Connection]:
    """A connection to a server, which receives little ahead."""
    url = urlsplit(address)
    with socket.socket() as plain:
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _SMALL_BUFFER)
        plain.setblocking(False)
        await asyncio.get_running_loop().sock_connect(plain, (url.hostname, url.port))
        yield Connection(plain)


def post(path: str, body: object, *headers: str) -> bytes:
    """A request with a body of JSON, whose answer is the plain body up to its end."""
    content = json.dumps(body).encode()
    lines = [
        f"POST {path} HTTP/1.0",
        "host: 127.0.0.1",
        "content-type: application/json",
        f"content-length: {len(content)}",
        *headers,
    ]
    return "\r\n".join([*lines, "", ""]).encode() + content
