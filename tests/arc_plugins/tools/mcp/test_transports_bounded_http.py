"""Servers that are reached by HTTP and answer without end, as bytes on a socket."""

import asyncio
import json
import logging
import tracemalloc
import zlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from arc_core import ToolRetry
from arc_core.testing.conformance.components import running
from tests.arc_plugins.tools.mcp.hostile import call, mcp_tools, names

MAX_BYTES = 1_000_000
EVENT = b": " + b"x" * 60_000 + b"\n\n"


def reply(message: dict[str, Any]) -> dict[str, Any]:
    """What an honest server answers."""
    match message["method"]:
        case "initialize":
            version, info = message["params"]["protocolVersion"], {"name": "web", "version": "1"}
            return {"protocolVersion": version, "capabilities": {}, "serverInfo": info}
        case "tools/list":
            names = ("echo", "bomb", "document", "events", "one_event")
            return {"tools": [{"name": each, "inputSchema": {"type": "object"}} for each in names]}
    return {"content": [{"type": "text", "text": "done"}]}


def bomb() -> bytes:
    """A megabyte that becomes a gigabyte."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    return b"".join(packer.compress(bytes(1_000_000)) for _ in range(1_000)) + packer.flush()


class Web:
    """Answers requests of the protocol, and some tool calls without end."""

    def __init__(self) -> None:
        self.accepted: list[str] = []
        self.cut_off = asyncio.Event()

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        length = next((line for line in head.split("\r\n") if "content-length" in line), ": 0")
        body = json.loads(await reader.readexactly(int(length.split(":")[1])) or b"{}")
        self.accepted += [line for line in head.split("\r\n") if line.startswith("accept-encoding")]
        try:
            await self._answer(writer, body)
        except ConnectionError:
            self.cut_off.set()
        writer.close()

    async def _answer(self, writer: asyncio.StreamWriter, message: dict[str, Any]) -> None:
        match message.get("params", {}).get("name") if "id" in message else None:
            case "bomb":
                await send(writer, b"application/json\r\nContent-Encoding: gzip", [bomb()])
            case "document":
                await send(writer, b"application/json", [b"[" * 60_000] * 5_000)
            case "events":
                await send(writer, b"text/event-stream", [EVENT] * 5_000)
            case "one_event":
                await send(writer, b"text/event-stream", [b"data: "] + [b"x" * 60_000] * 5_000)
            case _ if "id" not in message:
                writer.write(b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n")
            case _ if message["method"] == "server/discover":
                writer.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
            case _:
                answer = {"jsonrpc": "2.0", "id": message["id"], "result": reply(message)}
                await send(writer, b"application/json", [json.dumps(answer).encode()])


async def send(writer: asyncio.StreamWriter, kind: bytes, pieces: list[bytes]) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: " + kind + b"\r\n\r\n")
    for piece in pieces:
        writer.write(piece)
        await writer.drain()


@asynccontextmanager
async def _serving(served: "Web | Redirecting") -> AsyncIterator[str]:
    server = await asyncio.start_server(served, "127.0.0.1", 0)
    yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    server.close()
    await server.wait_closed()


@pytest.fixture
async def web() -> AsyncIterator[tuple[Web, str]]:
    served = Web()
    async with _serving(served) as address:
        yield served, f"{address}/mcp"


class Redirecting:
    """Sends every request elsewhere."""

    def __init__(self) -> None:
        self.status, self.location, self.asked = 307, "/", list[str]()

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        self.asked.append(head.split(" ", 2)[1])
        lines = f"HTTP/1.1 {self.status} Moved\r\nLocation: {self.location}\r\n"
        writer.write(f"{lines}Content-Length: 0\r\nConnection: close\r\n\r\n".encode())
        await writer.drain()
        writer.close()


@pytest.fixture
async def redirecting() -> AsyncIterator[tuple[Redirecting, str]]:
    served = Redirecting()
    async with _serving(served) as address:
        yield served, address


@pytest.mark.slow
@pytest.mark.parametrize("tool", ["bomb", "document", "events", "one_event"])
async def test_a_reply_without_end_fails_the_call(web: tuple[Web, str], tool: str) -> None:
    """The model is told so, memory stays flat, and the server can be called afterwards."""
    async with running(mcp_tools(max_reply_bytes=MAX_BYTES, web={"url": web[1]})) as source:
        tracemalloc.start()
        try:
            with pytest.raises(ToolRetry, match="larger than it may be"):
                await call(source, tool)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()

        assert peak < 12 * MAX_BYTES
        assert await call(source, "echo") == "done"


async def test_the_connection_of_an_endless_reply_is_closed(web: tuple[Web, str]) -> None:
    """The server cannot go on sending."""
    async with running(mcp_tools(max_reply_bytes=MAX_BYTES, web={"url": web[1]})) as source:
        with pytest.raises(ToolRetry):
            await call(source, "events")
        await web[0].cut_off.wait()


async def test_replies_are_asked_for_without_compression(web: tuple[Web, str]) -> None:
    """So that what arrives is as long as what is read."""
    async with running(mcp_tools(web={"url": web[1]})):
        assert set(web[0].accepted) == {"accept-encoding: identity"}


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("is_same_host", [True, False], ids=["same", "other"])
async def test_no_redirect_is_followed(
    web: tuple[Web, str], redirecting: tuple[Redirecting, str], status: int, *, is_same_host: bool
) -> None:
    """Neither to another host nor to another path: the server counts as down."""
    served, url = redirecting
    served.status, served.location = status, f"{url}/other" if is_same_host else web[1]

    async with running(mcp_tools(web={"url": f"{url}/mcp"})) as source:
        assert names(source) == []

    assert set(served.asked) == {"/mcp"}
    assert web[0].accepted == []


async def test_no_logger_tells_credentials(
    web: tuple[Web, str], caplog: pytest.LogCaptureFixture
) -> None:
    """An application that asks nothing else by HTTP logs none of a server's, in whatever place."""
    for name in logging.root.manager.loggerDict:
        logging.getLogger(name).filters.clear()  # as a new process has them
    caplog.set_level(logging.DEBUG)
    url = web[1].replace("://", "://ann:hush@")
    settings = {"url": f"{url}?token=hush", "headers": {"x-api-key": "hush"}}

    async with running(mcp_tools(web=settings)) as source:
        assert await call(source, "echo") == "done"

    assert "HTTP Request: POST http://127.0.0.1" in caplog.text
    assert "hush" not in caplog.text
