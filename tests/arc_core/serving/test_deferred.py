"""Endpoints that are made with the first request."""

import asyncio
import sys

import pytest
from starlette.applications import Starlette
from starlette.routing import Route
from starlette.testclient import TestClient

from arc_core.serving import Deferred

PLACE = "starlette.responses:PlainTextResponse"


async def test_the_object_is_made_once() -> None:
    """Requests that come at once have the same one."""
    deferred = Deferred(PLACE, "Hi", status_code=201)
    before = deferred.made

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(deferred.get()) for _ in range(2)]
    first, second = (each.result() for each in tasks)

    assert before is None
    assert first is second
    assert first is deferred.made
    assert (first.body, first.status_code) == (b"Hi", 201)


def test_an_asgi_application_is_handed_the_request() -> None:
    """As one that was there from the start."""
    app = Starlette(routes=[Route("/hi", Deferred(PLACE, "Hi"))])

    assert TestClient(app).get("/hi").text == "Hi"


async def test_a_module_that_cannot_be_imported_is_tried_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each request fails until it can."""
    deferred = Deferred("wave:Error")
    monkeypatch.setitem(sys.modules, "wave", None)
    with pytest.raises(ImportError):
        await deferred.get()

    monkeypatch.delitem(sys.modules, "wave")

    assert isinstance(await deferred.get(), Exception)
