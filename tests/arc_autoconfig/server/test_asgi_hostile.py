"""Requests that no library sends, byte by byte."""

import logging

import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import BaseRoute, Mount, Route

from arc_autoconfig import Application, ArcSettings
from arc_core import ServedApplication, Surface
from tests.raw_http import connected, post
from tests.serving import KEY, client_of, serving, serving_app

HELLO = {"message": "Hello"}
CHUNKED = (
    b"POST /api/chat HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
    b"transfer-encoding: chunked\r\n\r\n"
)


@pytest.mark.parametrize("sent", [1, 20, len(post("/api/chat", HELLO)) - 3])
async def test_half_a_request_is_not_a_failure(sent: int, caplog: pytest.LogCaptureFixture) -> None:
    """Its client has left; the log is quiet, and the next one is served."""
    async with serving("Hi.") as address, client_of(address) as client:
        async with connected(address) as half:
            await half.send(post("/api/chat", HELLO)[:sent])
        response = await client.post("/api/chat", json=HELLO)

    assert response.status_code == 200
    assert not [each for each in caplog.records if each.levelno >= logging.WARNING]


async def test_a_body_that_comes_byte_by_byte_holds_up_no_other() -> None:
    """Others are served in between, and it is, too."""
    request = post("/api/chat", HELLO)
    async with (
        serving("Hi.", "Ho.") as address,
        client_of(address) as client,
        connected(address) as slow,
    ):
        for place in range(len(request) - 1):
            await slow.send(request[place : place + 1])
        other = await client.post("/api/chat", json=HELLO)
        await slow.send(request[-1:])
        answer = await slow.read_to_end()

    assert other.json()["content"] == "Hi."
    assert answer.startswith(b"HTTP/1.1 200")
    assert b'"Ho."' in answer


async def test_a_body_without_a_length_is_bounded() -> None:
    """It is refused as soon as it is too long, and not read to its end."""
    async with (
        serving(server={"max_body_bytes": 1_000}, llm={"max_attachment_bytes": 1_000}) as address,
        connected(address) as endless,
    ):
        await endless.send(CHUNKED + b"1000\r\n" + b" " * 0x1000 + b"\r\n")
        answer = await endless.read_until(b"}}")

    assert answer.startswith(b"HTTP/1.1 413")


async def test_a_head_that_is_too_large_is_refused() -> None:
    """It has a status, and the connection is closed."""
    async with serving() as address, connected(address) as large:
        await large.send(b"GET /api/approvals HTTP/1.1\r\nhost: 127.0.0.1\r\nx: " + b"x" * 100_000)
        answer = await large.read_to_end()

    assert answer.startswith(b"HTTP/1.1 4")


async def test_many_fields_are_refused_with_a_short_message() -> None:
    """Of tens of thousands of unknown ones, a few are named."""
    body = {f"f{number}": number for number in range(15_000)}
    async with serving() as address, client_of(address) as client:
        responses = [await client.post(path, json=body) for path in ("/api/chat", "/api/runs")]

    assert [each.status_code for each in responses] == [422, 422]
    assert max(len(each.content) for each in responses) < 2_000


@pytest.mark.parametrize("key", [KEY, "wrong-wrong-wrong-wrong-1"])
async def test_a_key_is_never_logged(key: str, caplog: pytest.LogCaptureFixture) -> None:
    """Neither a right one nor a wrong one, also if the request fails."""
    caplog.set_level(logging.DEBUG)
    keys = [{"name": "app", "key": KEY}]
    async with (
        serving(ValueError("broken"), server={"api_keys": keys}) as address,
        client_of(address, key) as client,
    ):
        await client.post("/api/chat", json=HELLO)

    assert key not in caplog.text


HOSTS = [
    ("127.0.0.1:8010", 200),
    ("LOCALHOST:8010", 200),
    ("localhost.", 200),
    ("[::1]:8010", 200),
    ("[::1]", 200),
    ("[::1].evil.example", 421),
    ("127.0.0.1.evil.example", 421),
    ("localhost.evil.example", 421),
    ("[::1", 421),
    ("", 421),
]


@pytest.mark.parametrize(("host", "status"), HOSTS)
async def test_the_host_is_this_machine(host: str, status: int) -> None:
    """By any of its names, and by none that only begins like one."""
    async with serving() as address, client_of(address) as client:
        response = await client.get("/api/approvals", headers={"host": host})

    assert response.status_code == status


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://[::1]:8010", 200),
        ("http://[::1]", 403),
        ("http://[::1]:8010.evil.example", 403),
        ("null", 403),
        ("", 403),
    ],
)
async def test_the_origin_is_the_page_of_this_host(origin: str, status: int) -> None:
    """With its port."""
    headers = {"host": "[::1]:8010", "origin": origin}
    async with serving() as address, client_of(address) as client:
        response = await client.get("/api/approvals", headers=headers)

    assert response.status_code == status


@pytest.mark.parametrize("run_id", ["a/b", "a\r\nx: y", "a\x00", "é", " ", "x" * 201])
async def test_an_id_that_a_path_cannot_have_is_refused(run_id: str) -> None:
    """The field is named."""
    body = {"user_prompt": "Hi", "respond": "submit", "run_id": run_id}
    async with serving() as address, client_of(address) as client:
        response = await client.post("/api/runs", json=body)

    assert response.status_code == 422
    assert response.json()["error"]["param"] == "run_id"


@pytest.mark.parametrize("run_id", ["a%00", "a%0d%0ax:y", "%ff", "..%2f..", "x" * 10_000])
async def test_a_path_with_what_no_id_has_is_not_found(run_id: str) -> None:
    """Nothing breaks."""
    async with serving() as address, client_of(address) as client:
        response = await client.get(f"/api/runs/{run_id}")

    assert response.status_code == 404


class Welcome(Surface):
    """A page that needs no key."""

    order = 1
    public_paths = ("/welcome",)

    def routes(self, application: ServedApplication) -> list[BaseRoute]:
        return [Route("/welcome", lambda _: PlainTextResponse("Welcome"))]


async def test_a_mounted_application_names_its_paths() -> None:
    """The address of a run has the place where it is mounted, and public paths stay public."""
    settings = ArcSettings(_isolated=True, server={"api_keys": [{"name": "app", "key": KEY}]})
    app = Application(settings, register=[Welcome()], plugins=False)
    outer = Starlette(routes=[Mount("/agents", app.asgi())])
    async with app, serving_app(outer) as address, client_of(address, KEY) as client:
        body = {"user_prompt": "What is 2+2?", "respond": "submit"}
        started = await client.post("/agents/api/runs", json=body)
        events = await client.get(f"{started.headers['location']}/events")
        elsewhere = await client.get("/api/approvals")
        async with client_of(address) as unknown:
            asked = [await unknown.get(f"/agents/{each}") for each in ("welcome", "api/approvals")]

    assert started.headers["location"].startswith("/agents/api/runs/")
    assert "event: done" in events.text
    assert elsewhere.status_code == 404
    assert [each.status_code for each in asked] == [200, 401]
