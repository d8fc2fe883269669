"""Readers that stop reading, over real sockets."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager

import httpx2
import pytest

from arc_autoconfig import Application, ArcSettings
from arc_core import AssistantMessage, ChatDelta, ChatModel, ChatRequest, ChatResponse, TokenUsage
from arc_core.log import get_logger
from arc_plugins.journals.in_memory.journals import InMemoryRunJournals
from tests.raw_http import connected, post
from tests.serving import client_of, events_in, serving_app

pytestmark = pytest.mark.slow

PIECE = "0123456789abcdef" * 512
PIECES = 2_000
MOST_SAID = 1_300
"""The buffers of the system, of the server and of the run hold less than this together."""

ASK = {"user_prompt": "Hi", "respond": "stream", "run_id": "r1"}


class TalkingModel(ChatModel):
    """Says 16 MB, and how far it is."""

    def __init__(self) -> None:
        self.said, self.moved, self.left = 0, asyncio.Event(), asyncio.Event()
        self.may_end = asyncio.Event()
        self.may_end.set()

    async def complete(self, request: ChatRequest) -> ChatResponse:
        return ChatResponse(AssistantMessage("said"), TokenUsage(1, 1))

    async def stream(self, request: ChatRequest) -> AsyncGenerator[ChatDelta]:
        try:
            for _ in range(PIECES):
                if self.said == PIECES - 1:
                    await self.may_end.wait()
                self.said += 1
                self.moved.set()
                yield ChatDelta(text=PIECE)
        finally:
            self.left.set()

    async def wait_until_it_stands(self) -> None:
        """Wait until it has said nothing for a while."""
        try:
            while True:
                self.moved.clear()
                async with asyncio.timeout(0.5):
                    await self.moved.wait()
        except TimeoutError:
            return


@asynccontextmanager
async def talking(*parts: object) -> AsyncIterator[tuple[str, TalkingModel]]:
    """The address of an application, and its model."""
    model = TalkingModel()
    app = Application(ArcSettings(_isolated=True), register=[model, *parts], plugins=False)
    async with serving_app(app.asgi()) as address:
        yield address, model


async def test_a_run_waits_for_its_only_reader_and_goes_on_with_it() -> None:
    """A few buffers are filled, and no more is said; then all of it comes."""
    async with talking() as (address, model), connected(address) as reader:
        await reader.send(post("/api/runs", ASK))
        head = await reader.read_until(b"event: message")
        await model.wait_until_it_stands()
        said = model.said
        rest = await reader.read_to_end()

    assert said < MOST_SAID
    assert (head + rest).count(b"event: message") == PIECES
    assert b"event: done" in rest


async def test_a_slow_reader_does_not_hold_up_another_and_reads_on_later() -> None:
    """Its connection is closed, and from its last event on it gets the rest."""
    async with talking() as (address, model), connected(address) as slow:
        await slow.send(post("/api/runs", ASK))
        model.may_end.clear()
        begin = await slow.read_until(b"event: message")
        await model.wait_until_it_stands()
        async with client_of(address) as client:
            reading = asyncio.create_task(client.get("/api/runs/r1/events"))
            await wait_for_streams(client, 2)
            await wait_for_streams(client, 1)
            model.may_end.set()
            other = await events_in(await reading)
            begin += await slow.read_to_end()
            last = begin.rpartition(b"\n\n")[0].rpartition(b"id: ")[2].partition(b"\n")[0]
            after = {"last-event-id": last.decode()}
            rest = await events_in(await client.get("/api/runs/r1/events", headers=after))

    assert [name for _, name, _ in other] == ["message"] * PIECES + ["done"]
    assert int(last) < PIECES
    assert rest == other[int(last) :]


async def wait_for_streams(client: httpx2.AsyncClient, count: int) -> None:
    """Ask for something else until the server sends so many streams."""
    names = ["arc-stream"] * count
    while [t.get_name() for t in asyncio.all_tasks() if t.get_name() == "arc-stream"] != names:
        await client.get("/api/approvals")


async def test_patience_with_a_slow_reader_ends() -> None:
    """The run goes on without it, and to its end."""
    journals = InMemoryRunJournals(logger=get_logger("test"), patience_s=0.2)
    async with talking(journals) as (address, model), connected(address) as slow:
        await slow.send(post("/api/runs", ASK))
        await slow.read_until(b"event: message")
        async with asyncio.timeout(20):
            await model.left.wait()

    assert model.said == PIECES


@pytest.mark.parametrize("way", ["cancel", "deadline", "leave"])
async def test_a_run_that_waits_for_a_reader_can_be_ended(way: str) -> None:
    """By a person, by its own deadline, and by its reader, who leaves."""
    limits = {"type": "limits", "deadline_s": 2}
    ask = {**ASK, "limits": limits} if way == "deadline" else ASK
    async with talking() as (address, model), client_of(address) as client:
        async with connected(address) as slow:
            await slow.send(post("/api/runs", ask))
            await slow.read_until(b"event: message")
            await model.wait_until_it_stands()
            if way == "cancel":
                await client.post("/api/runs/r1/cancel", json={})
            if way != "leave":
                async with asyncio.timeout(30):
                    await model.left.wait()
        async with asyncio.timeout(30):
            await model.left.wait()
            while (found := (await client.get("/api/runs/r1")).json())["result"] is None:
                pass

    codes = {"cancel": "CANCELLED", "deadline": "TIMEOUT", "leave": "CANCELLED"}
    assert found["result"]["error_code"] == codes[way], json.dumps(found)[:200]
    assert model.said < PIECES
