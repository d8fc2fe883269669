"""Two servers on one PostgreSQL and one Redis, and one that comes after another."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx2
import pytest

from arc_autoconfig import Application, ArcSettings
from arc_core.interfaces.optional import UpgradesSchema
from tests.arc_autoconfig.server.program import WORDS
from tests.arc_autoconfig.server.server_processes import server_process
from tests.serving import client_of, events_in

pytest.importorskip("croniter", reason="needs the extra durable")
pytest.importorskip("redis", reason="needs the extra redis")

from tests.arc_plugins.journals.sql.databases import runs_at
from tests.arc_plugins.postgres_server import schema_at
from tests.arc_plugins.redis_server import redis_url

pytestmark = pytest.mark.slow

TALK = " ".join(f"word{number}" for number in range(WORDS))


@pytest.fixture
async def shared(tmp_path: Path, postgres: str) -> AsyncIterator[dict[str, Any]]:
    """The settings of processes that share all that matters."""
    with ExitStack() as stack:
        redis = stack.enter_context(redis_url(tmp_path))
        conversation = {"url": stack.enter_context(schema_at(postgres))}
        settings = ArcSettings(_isolated=True, conversation=conversation)
        store = Application(settings, plugins=False).container.conversation_store()
        assert isinstance(store, UpgradesSchema)
        await store.upgrade_schema()
        yield {
            "durable": {
                "enabled": True,
                "url": stack.enter_context(runs_at(postgres)),
                "work": True,
            },
            "conversation": conversation,
            "guard": {"rate_limit_redis_url": redis, "rate_limit_per_minute": 5},
            "logging": {"level": "ERROR"},
        }


def text_in(events: list[tuple[str, str, str]]) -> str:
    """What the model has said."""
    return "".join(json.loads(data)["text"] for _, name, data in events if name == "message")


async def test_two_servers_are_one(shared: dict[str, Any]) -> None:
    """A conversation goes on in the other process, and the rate limit counts once."""
    asked = {"user_id": f"u{uuid4().hex}", "session_id": "s1"}
    with server_process(**shared) as one, server_process(**shared) as two:
        async with client_of(one.address) as here, client_of(two.address) as there:
            answers = [
                await client.post("/api/chat", json={"message": f"n{number}", **asked})
                for number, client in enumerate([here, there, here, there, here, there])
            ]

    assert answers[1].json()["content"] == "I was told: n0; n1"
    assert answers[4].json()["content"] == "I was told: n0; n1; n2; n3; n4"
    assert [each.status_code for each in answers] == [200] * 5 + [429]


async def test_a_client_reconnects_to_a_stream_in_the_other_process(shared: dict[str, Any]) -> None:
    """From the last event on, while the run goes on in the first one, whose reader has left."""
    body = {"user_prompt": "talk", "respond": "stream", "run_id": "r1"}
    with server_process(**shared) as one, server_process(**shared) as two:
        async with client_of(one.address) as here, client_of(two.address) as there:
            begin = await read_some(here, body, events=40)
            after = {"last-event-id": begin[-1][0]}
            rest = await events_in(await there.get("/api/runs/r1/events", headers=after))

    assert text_in([*begin, *rest]) == TALK
    assert rest[-1][1] == "done"


async def test_a_decision_in_one_lets_a_run_of_the_other_go_on(shared: dict[str, Any]) -> None:
    """It is seen there as waiting, decided there, and its end is read in both."""
    with server_process(**shared) as one, server_process(**shared) as two:
        async with client_of(one.address) as here, client_of(two.address) as there:
            waiting = await here.post("/api/runs", json={"user_prompt": "pay", "run_id": "r1"})
            (request,) = (await there.get("/api/approvals")).json()["requests"]
            decision = {"key": request["key"], "approve": True, "arguments": {"amount": 2}}
            where = f"/api/runs/{request['run_id']}"
            decided = await there.post(f"{where}/decisions", json=decision)
            ends = [
                (await events_in(await each.get(f"{where}/events")))[-1] for each in (here, there)
            ]

    assert (waiting.status_code, decided.status_code) == (202, 200)
    assert all("Result: paid 2" in data for _, _, data in ends)


async def test_a_client_reconnects_to_a_stream_after_a_restart(shared: dict[str, Any]) -> None:
    """SIGTERM leaves the run to the next server, and nothing of it is lost."""
    body = {"user_prompt": "talk", "respond": "stream", "run_id": "r1"}
    hurry = {**shared, "server": {"port": 0, "shutdown_timeout_s": 0}}
    with server_process(**hurry) as one:
        async with client_of(one.address) as client:
            begin = await read_some(client, body, events=40)
        code = one.end()
    with server_process(**hurry) as two:
        async with client_of(two.address) as client:
            events = await events_in(await client.get("/api/runs/r1/events"))
            found = (await client.get("/api/runs/r1")).json()

    assert code == 0
    assert [number for number, _, _ in events][: len(begin)] == [each for each, _, _ in begin]
    assert (found["state"], found["result"]["content"]) == ("finished", TALK)


async def test_what_was_submitted_waits_for_a_worker(shared: dict[str, Any]) -> None:
    """It is queued until one comes, and a reader that came before reads it to its end."""
    idle = {**shared, "durable": {**shared["durable"], "work": False}}
    with server_process(**idle) as server:
        async with client_of(server.address) as client, asyncio.TaskGroup() as group:
            body = {"user_prompt": "talk", "respond": "submit", "run_id": "r1"}
            await client.post("/api/runs", json=body)
            queued = await client.get("/api/runs/r1")
            reading = group.create_task(client.get("/api/runs/r1/events"))
            with server_process(**shared):
                events = await events_in(await reading)
            finished = await client.get("/api/runs/r1")

    assert (queued.status_code, queued.json()["state"]) == (202, "queued")
    assert (text_in(events), events[-1][1]) == (TALK, "done")
    assert (finished.status_code, finished.json()["state"]) == (200, "finished")


async def read_some(
    client: httpx2.AsyncClient, body: dict[str, Any], *, events: int
) -> list[tuple[str, str, str]]:
    """So many events of a run that is begun, whose connection is then cut."""
    found, fields = list[tuple[str, str, str]](), dict[str, str]()
    async with client.stream("POST", "/api/runs", json=body) as response:
        async for line in response.aiter_lines():
            name, _, value = line.partition(": ")
            if name:
                fields[name] = value
            elif "event" in fields:
                found.append((fields["id"], fields["event"], fields["data"]))
                if len(found) == events:
                    break
    return found
