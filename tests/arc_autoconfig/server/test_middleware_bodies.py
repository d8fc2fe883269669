"""How much of a body is received, and for how long."""

from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import Receive, Scope, Send

from arc_core import ServedApplication, Surface
from tests.raw_http import connected
from tests.serving import client_of, serving

WHOLE = [
    "/api/chat",
    "/api/chat/stream",
    "/api/runs/x/decisions",
    "/mcp",
    "/body",
    "/json",
    "/app/x",
]
ATTACHING = {
    "/v1/responses": b'{"model": "default", "input": [',
    "/v1/chat/completions": b'{"model": "default", "messages": [',
    "/api/runs": b'{"user_prompt": "x", "attachments": [',
    "/ag-ui": b'{"threadId": "t", "runId": "r", "messages": [',
    "/ai-sdk/default": b'{"id": "c", "messages": [',
    "/a2a": b'{"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {"a": [',
}
UNITS = {"objects": b"{},", "texts": b'"a",', "numbers": b"1,", "text": b'"' + b"a b " * 50_000}
LARGE = 27_000_000


class Strangers(Surface):
    """Reads bodies in all the ways that there are."""

    order = 200
    public_paths = ()

    def routes(self, application: ServedApplication) -> list[BaseRoute]:
        return [
            Route("/body", self._read_body, methods=["POST"]),
            Route("/json", self._read_json, methods=["POST"]),
            Mount("/app", self._read_messages),
        ]

    async def _read_body(self, request: Request) -> Response:
        return PlainTextResponse(str(len(await request.body())))

    async def _read_json(self, request: Request) -> Response:
        try:
            return PlainTextResponse(str(len(await request.json())))
        except ClientDisconnect:  # a program's own answer does not count
            return PlainTextResponse("no", 500)

    async def _read_messages(self, scope: Scope, receive: Receive, send: Send) -> None:
        while (await receive()).get("more_body"):
            pass
        await PlainTextResponse("read")(scope, receive, send)


def _served() -> AbstractAsyncContextManager[str]:
    sizes = {"max_body_bytes": 100_000, "max_body_items": 1_000, "receive_timeout_s": 0.05}
    return serving(register=[Strangers()], server=sizes)


def _head(path: str, size: int = LARGE) -> bytes:
    lines = [
        f"POST {path} HTTP/1.1", "host: 127.0.0.1", f"content-length: {size}",
        "content-type: application/json", "accept: application/json, text/event-stream",
    ]  # fmt: skip
    return "\r\n".join([*lines, "", ""]).encode()


async def _answer_to(address: str, sent: bytes) -> bytes:
    """What is answered to a part of a request."""
    async with connected(address) as connection:
        await connection.send(sent)
        return await connection.read_until(b"}}")


async def test_a_body_that_is_announced_too_large_is_not_received() -> None:
    """It is answered before any of it was sent, also to a surface of others."""
    async with _served() as address:
        answers = [await _answer_to(address, _head(path)) for path in WHOLE]

    assert {each[:12] for each in answers} == {b"HTTP/1.1 413"}
    assert all(b"100000 bytes at most" in each for each in answers)


@pytest.mark.parametrize("unit", UNITS)
async def test_a_body_is_refused_before_it_is_whole(unit: str) -> None:
    """If attachments can be, everything else is counted while it comes."""
    more = UNITS[unit] * (500_000 // len(UNITS[unit]))
    async with _served() as address:
        answers = [
            await _answer_to(address, _head(path) + begun + more)
            for path, begun in ATTACHING.items()
        ]

    assert {each[:12] for each in answers} == {b"HTTP/1.1 413"}


async def test_a_body_has_a_number_of_values() -> None:
    """A small body has it, too."""
    async with _served() as address, client_of(address) as client:
        asked = [await client.post(path, json=[1] * 2_000) for path in (*WHOLE, *ATTACHING)]

    assert {each.status_code for each in asked} == {413}
    assert all("1000 values" in each.json()["error"]["message"] for each in asked)


async def test_an_attachment_has_few_escapes() -> None:
    """Each takes time to read, and base64 needs none."""
    more = b'{"data": "' + b'\\"' * 200_000
    async with _served() as address:
        head = _head("/api/runs") + ATTACHING["/api/runs"]
        answer = await _answer_to(address, head + more)

    assert answer.startswith(b"HTTP/1.1 413")


async def test_bodies_that_take_longer_to_read_have_fewer_values() -> None:
    """A2A has 5 000, whatever the server's bound is."""
    async with serving() as address, client_of(address) as client:
        asked = [await client.post(path, json=[1] * 5_100) for path in ("/a2a", "/v1/responses")]

    assert [each.status_code for each in asked] == [413, 422]
    assert "5000 values" in asked[0].json()["error"]["message"]


async def test_a_body_has_a_time() -> None:
    """Half of one is answered, for every reader."""
    paths = (*WHOLE, *ATTACHING)
    async with _served() as address:
        answers = [await _answer_to(address, _head(path, 1_000) + b"{") for path in paths]

    assert {each[:12] for each in answers} == {b"HTTP/1.1 408"}


async def test_a_body_within_the_bounds_is_read() -> None:
    """By every reader."""
    async with _served() as address, client_of(address) as client:
        answers = [await client.post(path, json=[1, 2]) for path in ("/body", "/json", "/app/x")]

    assert [each.text for each in answers] == ["5", "2", "read"]


async def test_an_attachment_may_be_larger_than_a_body() -> None:
    """In the field that has attachments, and in no other."""
    text = "data:image/png;base64," + "A" * 400_000
    attached = {"role": "user", "content": [{"type": "input_image", "image_url": text}]}
    items: list[Any] = [attached, {"role": "user", "content": text}]

    async with _served() as address, client_of(address) as client:
        bodies = [{"model": "nobody", "input": [item]} for item in items]
        answers = [await client.post("/v1/responses", json=body) for body in bodies]

    assert [each.status_code for each in answers] == [404, 413]
