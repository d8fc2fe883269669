"""The frames of a stream: joined, kept alive, bounded, and let go of."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Any, cast

from starlette.types import Message

from arc_core import RunHandle
from arc_core.serving import RunStreamResponse


class IdleRun:
    """A run whose frames come from elsewhere."""

    id, readers = "r1", 1

    async def aclose(self) -> None:
        """Let go of nothing."""


class QuickResponse(RunStreamResponse):
    """Waits for nothing."""

    pause_s = 0.0


class Client:
    """A client over ASGI that takes what it is sent, until it leaves."""

    def __init__(self) -> None:
        self.pieces: list[bytes] = []
        self.has_all = False
        self.has_left, self.has_some = asyncio.Event(), asyncio.Event()
        self.may_take = asyncio.Event()
        self.may_take.set()

    async def receive(self) -> Message:
        await self.has_left.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.body":
            await self.may_take.wait()
            if message["body"]:
                self.pieces.append(message["body"])
                self.has_some.set()
            self.has_all = not message["more_body"]

    async def read(
        self, frames: AsyncGenerator[bytes], kind: type[RunStreamResponse] = QuickResponse
    ) -> None:
        run = cast("RunHandle[Any]", IdleRun())
        scope: dict[str, Any] = {"type": "http"}
        await kind(run, frames)(scope, self.receive, self.send)


async def test_what_is_ready_comes_in_one_piece() -> None:
    """Nothing is lost, and the order stays."""
    client = Client()

    async def ready() -> AsyncGenerator[bytes]:
        for text in (b"a", b"b", b"c"):
            yield text

    await client.read(ready())

    assert (client.pieces, client.has_all) == ([b"abc"], True)


async def test_a_silence_is_filled() -> None:
    """A connection without events is kept alive."""
    client = Client()

    class Impatient(QuickResponse):
        quiet_s = 0.01

    async def late() -> AsyncGenerator[bytes]:
        await client.has_some.wait()
        yield b"late"

    await client.read(late(), Impatient)

    assert client.pieces[0].startswith(b":")
    assert client.pieces[-1] == b"late"


async def test_a_slow_reader_makes_the_source_wait() -> None:
    """No more than the bound and one frame is held, with what is being sent."""
    client, taken, stands = Client(), 0, asyncio.Event()
    client.may_take.clear()

    class Small(QuickResponse):
        max_held_bytes = 100

        async def _wait_for_room(self) -> None:
            stands.set()
            await super()._wait_for_room()

    async def endless() -> AsyncGenerator[bytes]:
        nonlocal taken
        while True:
            taken += 1
            yield b"x" * 10

    reading = asyncio.create_task(client.read(endless(), Small))
    await stands.wait()
    client.has_left.set()
    await reading

    assert taken <= 11


async def test_a_failure_comes_after_what_was_before_it() -> None:
    """The reader gets the frames, and no end; it may read on from there."""
    client = Client()

    async def failing() -> AsyncGenerator[bytes]:
        yield b"a"
        raise ConnectionError("broken")

    await client.read(failing())

    assert (client.pieces, client.has_all) == ([b"a"], False)


async def test_leaving_closes_the_source() -> None:
    """Also while it waits for its next frame."""
    client, closed = Client(), asyncio.Event()

    async def hanging() -> AsyncGenerator[bytes]:
        try:
            yield b"a"
            client.has_left.set()
            await asyncio.Event().wait()
        finally:
            closed.set()

    await client.read(hanging())

    assert closed.is_set()
