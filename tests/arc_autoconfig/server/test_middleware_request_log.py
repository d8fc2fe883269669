"""The id of each request, and the access log."""

import logging
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from arc_core import ServedApplication, Surface
from arc_core.serving import Problem
from tests.serving import KEY, client_of, serving

HELLO = {"message": "Hello"}
KEYS = {"api_keys": [{"name": "app", "key": KEY}]}


def _lines(caplog: pytest.LogCaptureFixture) -> list[dict[str, Any]]:
    """The fields of the lines of the access log."""
    return [vars(each) for each in caplog.records if each.name == "arc.access"]


async def test_a_request_keeps_its_id_in_all_lines_and_its_response(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Those of its run have it, too."""
    caplog.set_level(logging.INFO)
    async with serving(*[ValueError("broken")] * 2) as address, client_of(address) as client:
        for name in ("mine/1", "mine/2"):
            answer = await client.post("/api/chat", json=HELLO, headers={"x-request-id": name})
            assert answer.headers["x-request-id"] == name
            run = [vars(each) for each in caplog.records if "run_id" in vars(each)]
            assert {each["request_id"] for each in run} == {name}
            caplog.clear()


@pytest.mark.parametrize("given", ["", "a b", "x" * 129, "é", "a\x1b[0m"])
async def test_an_id_that_could_be_read_as_more_is_replaced(given: str) -> None:
    """Each request gets another one."""
    headers = [(b"x-request-id", given.encode())] if given else []
    async with serving() as address, client_of(address) as client:
        answers = [await client.get("/health/live", headers=headers) for _ in range(2)]

    made = {each.headers["x-request-id"] for each in answers}
    assert len(made) == 2
    assert {len(each) for each in made} == {32}


async def test_the_access_log_has_a_line_for_each_request(caplog: pytest.LogCaptureFixture) -> None:
    """Off by default; with the name of the key, and not the query, which may have secrets."""
    caplog.set_level(logging.INFO)
    async with serving("Hi.", "Hi.", server=KEYS) as address, client_of(address, KEY) as client:
        await client.post("/api/chat?token=secret", json=HELLO)
    assert _lines(caplog) == []

    settings = {**KEYS, "access_log": True}
    async with serving("Hi.", server=settings) as address, client_of(address, KEY) as client:
        answer = await client.post("/api/chat?token=secret", json=HELLO)
        missing = await client.get("/nothing")

    assert (answer.status_code, missing.status_code) == (200, 404)
    first, second = _lines(caplog)
    told = {"method": "POST", "path": "/api/chat", "status": 200, "key": "app"}
    assert {name: first[name] for name in told} == told
    assert (first["bytes_sent"], second["status"]) == (len(answer.content), 404)
    assert first["request_id"] == answer.headers["x-request-id"]


@pytest.mark.parametrize("key", [None, "wrong-wrong-wrong-wrong"])
async def test_a_401_is_always_logged(key: str | None, caplog: pytest.LogCaptureFixture) -> None:
    """As of an unknown key; what was sent in its place is not logged."""
    async with serving(server=KEYS) as address, client_of(address, key) as client:
        await client.get("/api/approvals")
        await client.get("/health/live")

    (line,) = _lines(caplog)
    assert (line["status"], line["key"], line["levelname"]) == (401, "unknown", "WARNING")
    assert "wrong-wrong" not in str(line)


class Refusing(Surface):
    """Refuses all."""

    order = 1
    public_paths = ("/open/",)

    def routes(self, application: ServedApplication) -> list[BaseRoute]:
        return [Route("/refuse", self._refuse), Route("/open/{key}", self._fail)]

    async def _fail(self, _: Request) -> Response:
        raise LookupError

    async def _refuse(self, _: Request) -> Response:
        raise Problem(401, "expired", "Log in again.")


async def test_a_401_of_a_known_key_names_it(caplog: pytest.LogCaptureFixture) -> None:
    """A surface may refuse what the server has let in."""
    async with (
        serving(server=KEYS, register=[Refusing()]) as address,
        client_of(address, KEY) as client,
    ):
        await client.get("/refuse")

    assert [(line["status"], line["key"]) for line in _lines(caplog)] == [(401, "app")]


async def test_what_stands_below_a_public_path_is_not_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """It may be the secret by which a person is let in, also of requests that fail."""
    caplog.set_level(logging.INFO)
    settings = {**KEYS, "access_log": True}
    async with (
        serving(server=settings, register=[Refusing()]) as address,
        client_of(address) as client,
    ):
        failed = await client.get("/open/the-secret")
        missing = await client.get("/open/the-secret/more")

    assert (failed.status_code, missing.status_code) == (500, 404)
    assert [line["path"] for line in _lines(caplog)] == ["/open/***"] * 2
    records = [vars(each) for each in caplog.records if each.name.startswith("arc.")]
    assert "the-secret" not in str(records)
