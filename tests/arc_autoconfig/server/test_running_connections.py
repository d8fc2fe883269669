"""Connections that say nothing, or half of a request."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import pytest

from arc_autoconfig import Application, ArcSettings
from arc_autoconfig.server.running import serve
from arc_core.testing import ScriptedChatModel
from tests.raw_http import Connection, connected, post
from tests.serving import KEY, client_of

HEAD = b"POST /api/chat HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
BODY = b"content-length: 1000\r\n\r\n{"
WHOLE = post("/api/chat", {"message": "Hi"}).replace(b"HTTP/1.0", b"HTTP/1.1")
HALVES = {
    "nothing": (b"", b""),
    "half a head": (HEAD, b""),
    "half a body": (HEAD + f"authorization: Bearer {KEY}\r\n".encode() + BODY, b"HTTP/1.1 408"),
    "half a body without a key": (HEAD + BODY, b"HTTP/1.1 401"),
    "half a head after a request": (WHOLE + HEAD, b"HTTP/1.1 401"),
}


@asynccontextmanager
async def _serve(**server: Any) -> AsyncIterator[str]:
    """The address of `arc serve`."""
    keys = [{"name": "app", "key": KEY}]
    app = Application(
        ArcSettings(_isolated=True, server={"port": 0, "api_keys": keys, **server}), plugins=False
    )
    app.container.chat_model.override(ScriptedChatModel(["Hi."]))
    address: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    ending = asyncio.Event()
    served = asyncio.create_task(serve(app, ending=ending, tell=address.set_result))
    try:
        yield await address
    finally:
        ending.set()
        await served


async def test_half_a_request_is_timed_out(caplog: pytest.LogCaptureFixture) -> None:
    """Its connection is closed, whatever half it is; the log says so, and others are served."""

    async def send(address: str, sent: bytes) -> bytes:
        async with connected(address) as half:
            await half.send(sent)
            return await half.read_to_end()

    async with _serve(receive_timeout_s=0.2) as address, client_of(address, KEY) as client:
        asked = [asyncio.create_task(send(address, sent)) for sent, _ in HALVES.values()]
        response = await client.post("/api/chat", json={"message": "Hello"})
        answers = [await each for each in asked]

    assert response.json()["content"] == "Hi."
    assert [each[:12] for each in answers] == [begun for _, begun in HALVES.values()]
    told = [each for each in caplog.records if "did not come in time" in each.getMessage()]
    assert [each.levelno for each in told] == [logging.WARNING]


async def test_bytes_that_trickle_in_do_not_hold_a_connection() -> None:
    """A head has its time as a whole."""
    async with _serve(receive_timeout_s=0.05) as address, connected(address) as slow:
        closed = asyncio.create_task(slow.read_to_end())
        await slow.send(b"GET / HTTP/1.1\r\n")
        try:
            while not closed.done():
                await slow.send(b"x")
                await asyncio.sleep(0)
        except ConnectionError:
            pass
        assert await closed == b""


async def test_half_requests_make_room_for_whole_ones(caplog: pytest.LogCaptureFixture) -> None:
    """The oldest are closed when there are more connections than there may be."""
    async with _serve(max_connections=8) as address, AsyncExitStack() as stack:
        halves: list[Connection] = []
        for _ in range(40):
            halves.append(await stack.enter_async_context(connected(address)))
            await halves[-1].send(HEAD)
        async with client_of(address, KEY) as client:
            response = await client.post("/api/chat", json={"message": "Hello"})
        assert [await each.read_to_end() for each in halves[:30]] == [b""] * 30

    assert response.json()["content"] == "Hi."
    assert "to make room" in caplog.text
