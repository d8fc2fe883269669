"""Connections that say nothing, or half of a request."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import pytest

from arc_autoconfig import Application, ArcSettings
from arc_autoconfig.server.running import serve
from arc_core.testing import ScriptedChatModel
from tests.arc_plugins.surfaces.served_apps import make_gated_app
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
    "half a body after a request": (WHOLE + HEAD + BODY, b"HTTP/1.1 401"),
}


@asynccontextmanager
async def _serve(**server: Any) -> AsyncIterator[str]:
    """The address of `arc serve`."""
    keys = [{"name": "app", "key": KEY}]
    app = Application(
        ArcSettings(_isolated=True, server={"port": 0, "api_keys": keys, **server}), plugins=False
    )
    app.container.chat_model.override(ScriptedChatModel(["Hi."]))
    async with _serve_app(app) as address:
        yield address


@asynccontextmanager
async def _serve_app(app: Application) -> AsyncIterator[str]:
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


async def test_idle_connections_make_room(caplog: pytest.LogCaptureFixture) -> None:
    """The one that is idle for the longest is closed, and the others go on."""
    async with _serve(max_connections=4) as address, AsyncExitStack() as stack:
        idle = [await stack.enter_async_context(connected(address)) for _ in range(4)]
        for each in idle:
            await _ask(each)
        newest = await stack.enter_async_context(connected(address))
        assert await idle[0].read_to_end() == b""
        for each in (*idle[1:], newest):
            await _ask(each)

    assert "to make room" in caplog.text


async def test_idle_connections_outlast_those_of_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy that keeps its own for ten minutes never asks on one that was closed just then."""
    loop = asyncio.get_running_loop()
    begin = loop.time
    async with _serve() as address, connected(address) as proxy:
        await _ask(proxy)
        monkeypatch.setattr(loop, "time", lambda: begin() + 600)
        await _ask(proxy)
        monkeypatch.setattr(loop, "time", lambda: begin() + 1_300)
        assert await proxy.read_to_end() == b""


async def _ask(connection: Connection) -> None:
    await connection.send(b"GET /health/live HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n")
    assert b" 200 OK" in await connection.read_until(b"}")


async def test_bytes_behind_the_last_request_end_its_answer(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A stream that has begun is cut, and nothing fails."""
    app, model = make_gated_app(server={"port": 0, "api_keys": [{"name": "app", "key": KEY}]})
    asked = post("/api/chat/stream", {"message": "go"}, f"authorization: Bearer {KEY}")
    async with _serve_app(app) as address, connected(address) as client:
        await client.send(asked)  # by HTTP/1.0, so that no other request can follow
        await client.read_until(b"piece3")
        await client.send(b"more")
        await client.read_to_end()
        model.gate.set()

    assert not [each for each in caplog.records if each.exc_info]


BLANKS = b" " * 60_000
CHUNKED = HEAD + b"transfer-encoding: chunked\r\n\r\n"
REFUSED_LATE = {
    "a field of the head": HEAD + b"x-field:" + BLANKS + b"\x00\r\n\r\n",
    "the head of a chunk": CHUNKED + b"1;" + BLANKS + b"\n\r\n",
    "a field behind the chunks": CHUNKED + b"0\r\nx-field:" + BLANKS + b"\x00\r\n\r\n",
}


@pytest.mark.parametrize("sent", REFUSED_LATE.values(), ids=REFUSED_LATE)
async def test_blanks_are_refused_at_once(sent: bytes) -> None:
    """h11 alone takes seconds for each of them, in which no other client is served."""
    async with _serve() as address, connected(address) as client:
        begin = time.process_time()
        await client.send(sent)
        answer = await client.read_to_end()
        used_s = time.process_time() - begin

    assert answer.startswith((b"HTTP/1.1 400 ", b"HTTP/1.1 401 "))
    assert used_s < 1.0
