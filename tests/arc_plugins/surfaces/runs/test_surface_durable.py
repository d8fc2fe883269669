"""Durable runs over HTTP."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from arc_autoconfig import Application, ArcSettings
from arc_core import ChatDelta, ChatRequest
from arc_core.testing import ScriptedChatModel
from tests.serving import client_of, events_in, serving, serving_app

pytest.importorskip("croniter", reason="needs the extra durable")

from tests.arc_plugins.journals.sql.databases import runs_at
from tests.arc_plugins.journals.sql.proxy import proxied

pytestmark = pytest.mark.slow

ASK = {"user_prompt": "Hi", "run_id": "r1"}


@pytest.fixture
def postgres_database(postgres: str) -> Iterator[str]:
    """The address of an empty schema."""
    with runs_at(postgres) as url:
        yield url


class HeldModel(ScriptedChatModel):
    """Goes on after its first piece when it may."""

    def __init__(self, text: str) -> None:
        super().__init__([text])
        self.goes_on = asyncio.Event()

    async def stream(self, request: ChatRequest) -> AsyncGenerator[ChatDelta]:
        async for delta in super().stream(request):
            yield delta
            await self.goes_on.wait()


def application(url: str, model: ScriptedChatModel) -> Application:
    """One on a database."""
    durable = {"enabled": True, "url": url, "work": True}
    return Application(
        ArcSettings(_isolated=True, durable=durable), register=[model], plugins=False
    )


async def test_a_database_that_is_away_is_said(
    postgres_database: str, caplog: pytest.LogCaptureFixture
) -> None:
    """With 503 and when to try again; a stream is cut without a trace, and is read on later."""
    model = HeldModel("Hi there, Ann.")
    async with proxied(postgres_database) as proxy:
        app = application(proxy.url, model)
        async with serving_app(app.asgi()) as address, client_of(address) as client:
            reading = asyncio.create_task(read_until_cut(client, {**ASK, "respond": "stream"}))
            while (await client.get("/api/runs/r1")).status_code == 404:
                pass
            await proxy.cut()
            answers = [await client.get("/api/runs/r1"), await client.post("/api/runs", json=ASK)]
            await reading
            await proxy.listen()
            model.goes_on.set()
            events = await events_in(await client.get("/api/runs/r1/events"))

    assert [each.status_code for each in answers] == [503, 503]
    assert all("database" in each.json()["error"]["message"] for each in answers)
    assert all(each.headers["retry-after"] for each in answers)
    assert events[-1][1] == "done"
    cut = [each for each in caplog.records if "a stream was cut" in str(each.msg)]
    assert [each.exc_info for each in cut if each.levelno == logging.WARNING] == [None]


async def read_until_cut(client: httpx2.AsyncClient, body: dict[str, Any]) -> None:
    """Read a stream, whose connection breaks."""
    with pytest.raises(httpx2.RemoteProtocolError):
        await client.post("/api/runs", json=body)


async def test_nothing_goes_on_for_a_reader_that_has_left(tmp_path: Path) -> None:
    """The run goes on, as it is durable, and has no task of its reader."""
    model = HeldModel("Hi there, Ann.")
    app = application(f"sqlite:///{tmp_path / 'runs.db'}", model)
    async with serving_app(app.asgi()) as address, client_of(address) as client:
        await client.post("/api/runs", json={**ASK, "respond": "submit"})
        async with client.stream("GET", "/api/runs/r1/events") as response:
            await anext(response.aiter_bytes())
        async with asyncio.timeout(30):
            while any(each.get_name().startswith("arc-stream") for each in asyncio.all_tasks()):
                await client.get("/api/runs/r1")
        state = (await client.get("/api/runs/r1")).json()["state"]
        model.goes_on.set()
        events = await events_in(await client.get("/api/runs/r1/events"))

    assert state == "running"
    assert events[-1][1] == "done"


async def test_a_server_without_a_worker_says_that_a_run_needs_one(tmp_path: Path) -> None:
    """In the 202, in the stream of a run that is queued, and in a response."""
    durable = {"enabled": True, "url": f"sqlite:///{tmp_path / 'runs.db'}", "work": False}
    body = {"user_prompt": "Hi", "respond": "submit", "run_id": "r1"}
    asked = {"model": "default", "input": "Hi", "background": True}
    async with serving(durable=durable) as address, client_of(address) as client:
        submitted = (await client.post("/api/runs", json=body)).json()
        response = (await client.post("/v1/responses", json=asked)).json()
        async with client.stream("GET", "/api/runs/r1/events") as stream:
            lines = stream.aiter_lines()
            first = [await anext(lines), await anext(lines)]

    assert "when a worker takes it" in submitted["message"]
    assert response["metadata"]["message"] == submitted["message"]
    assert first[0] == "event: queued"
    assert submitted["message"] in first[1]
