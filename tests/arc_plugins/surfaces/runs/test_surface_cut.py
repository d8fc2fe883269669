"""One run, read by several at once, each of whom loses its connection five times."""

import asyncio
import json
from collections.abc import AsyncGenerator, Iterator
from contextlib import ExitStack, aclosing
from pathlib import Path
from typing import Any

import httpx2
import pytest

from arc_autoconfig import Application, ArcSettings
from arc_core import Agent, ChatDelta, ChatRequest, ToolCall
from arc_core.testing import ScriptedChatModel
from tests.serving import client_of, serving_app

pytest.importorskip("croniter", reason="needs the extra durable")

from tests.arc_plugins.journals.sql.databases import runs_at

pytestmark = pytest.mark.slow

READERS, CUTS = 4, 5
ASKED = " ".join(f"asked{number}" for number in range(60))
ANSWER = " ".join(f"word{number}" for number in range(120))
CALL = [ToolCall("c1", "ask_refunds", '{"task": "May it be refunded?"}')]
Event = tuple[str, str, str]


class FollowedModel(ScriptedChatModel):
    """Is never far ahead of those who read."""

    def __init__(self) -> None:
        super().__init__([CALL, ASKED, ANSWER])
        self._said, self._read, self._news = 0, 0, asyncio.Condition()

    async def stream(self, request: ChatRequest) -> AsyncGenerator[ChatDelta]:
        async for delta in super().stream(request):
            async with self._news:
                await self._news.wait_for(lambda: self._said < 2 * self._read + 20)
            self._said += 1
            yield delta

    async def note_read(self, count: int) -> None:
        """A reader has so many events."""
        async with self._news:
            self._read = max(self._read, count)
            self._news.notify_all()


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def durable(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[dict[str, Any]]:
    """The settings of the journals."""
    with ExitStack() as stack:
        url = f"sqlite:///{tmp_path / 'runs.db'}"
        if request.param == "postgres":
            url = stack.enter_context(runs_at(request.getfixturevalue("postgres")))
        yield {"enabled": request.param != "memory", "url": url, "work": True}


async def test_readers_that_are_cut_read_the_same(durable: dict[str, Any]) -> None:
    """Every event once, in one order, also those of an agent that was asked."""
    model = FollowedModel()
    settings = ArcSettings(_isolated=True, durable=durable)
    agents = [
        Agent("refunds", description="Decides about refunds.", tools=[]),
        Agent("desk", tools=[], delegates=["refunds"]),
    ]
    app = Application(settings, register=[model, *agents], plugins=False)
    async with serving_app(app.asgi()) as address:
        async with client_of(address) as client:
            body = {"user_prompt": "Hi", "agent": "desk", "respond": "submit", "run_id": "r1"}
            await client.post("/api/runs", json=body)
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(read_cut(address, model, n)) for n in range(READERS)]
        async with client_of(address) as client:
            whole = [each async for each in events_after(client, "")]

    assert [task.result() for task in tasks] == [whole] * READERS
    assert len({number for number, _, _ in whole}) == len(whole)
    assert sum("." in number for number, _, _ in whole) > 50
    assert text_in(whole) == [ASKED, ANSWER]


async def read_cut(address: str, model: FollowedModel, reader: int) -> list[Event]:
    """All events, in six connections; readers are cut at different places."""
    found: list[Event] = []
    for cut in range(CUTS + 1):
        until = 10_000 if cut == CUTS else (cut + 1) * 30 + 3 * reader
        last = found[-1][0] if found else ""
        async with client_of(address) as client, aclosing(events_after(client, last)) as events:
            async for event in events:
                found.append(event)
                await model.note_read(len(found))
                if len(found) >= until:
                    break
    return found


async def events_after(client: httpx2.AsyncClient, last: str) -> AsyncGenerator[Event]:
    """The events as they come: the id, the name and the data of each."""
    headers = {"last-event-id": last} if last else {}
    fields: dict[str, str] = {}
    async with client.stream("GET", "/api/runs/r1/events", headers=headers) as response:
        assert response.status_code == 200
        async for line in response.aiter_lines():
            name, _, value = line.partition(": ")
            if name and line:
                fields[name] = value
            elif "event" in fields:
                yield fields["id"], fields["event"], fields["data"]
                fields = {}


def text_in(events: list[Event]) -> list[str]:
    """The texts of the runs, that of the agent that was asked first."""
    texts: dict[bool, str] = {True: "", False: ""}
    for number, name, data in events:
        if name in {"message", "delegated_message"}:
            texts["." in number] += json.loads(data)["text"]
    return list(texts.values())
