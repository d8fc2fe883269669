"""One writer and several readers of the events of a run."""

import asyncio
from collections.abc import AsyncGenerator

import pytest

from arc_core import AgentEvent, TextDelta
from arc_core.runs.live_events import BeginningLostError, EventBuffer


def event(number: int) -> TextDelta:
    """The event of a number."""
    return TextDelta(str(number))


EVENTS = [event(number) for number in range(10)]


async def fill(log: EventBuffer) -> None:
    """Write all events and close."""
    for each in EVENTS:
        await log.put(each)
    log.close()


async def read(log: EventBuffer) -> list[AgentEvent]:
    """Everything a reader gets."""
    return [each async for each in log.read()]


async def step() -> None:
    """Let every task that can go on do so."""
    for _ in range(20):
        await asyncio.sleep(0)


async def begin(
    log: EventBuffer,
) -> tuple[AsyncGenerator[AgentEvent], asyncio.Task[list[AgentEvent]], asyncio.Task[None]]:
    """A reader that has had one event, one that goes on to the end, and their writer."""
    slow = log.read()
    writing = asyncio.create_task(fill(log))
    quick = asyncio.create_task(read(log))
    await anext(slow)
    return slow, quick, writing


@pytest.mark.parametrize("capacity", [1, 2, 100])
async def test_every_reader_gets_every_event(capacity: int) -> None:
    """In their order, at the same time, whatever the log can keep."""
    log = EventBuffer(capacity)

    async with asyncio.TaskGroup() as group:
        readings = [group.create_task(read(log)) for _ in range(3)]
        group.create_task(fill(log))

    assert [reading.result() for reading in readings] == [EVENTS] * 3


async def test_a_reader_may_begin_late() -> None:
    """As long as nothing had to be dropped, it gets what the others got before."""
    log = EventBuffer(10)

    await fill(log)

    assert await read(log) == EVENTS
    assert await read(log) == EVENTS


async def test_a_reader_that_begins_too_late_is_told() -> None:
    """It gets an error instead of a part."""
    log = EventBuffer(3)
    async with asyncio.TaskGroup() as group:
        group.create_task(fill(log))
        group.create_task(read(log))

    with pytest.raises(BeginningLostError):
        await read(log)


async def test_the_writer_waits_for_the_slowest_reader() -> None:
    """Memory stays bounded, and nothing is lost."""
    slow, quick, writing = await begin(EventBuffer(3))

    await step()
    was_done = quick.done()
    rest = [each async for each in slow]

    assert not was_done
    assert rest == EVENTS[1:]
    assert await quick == EVENTS
    await writing


async def test_the_writer_waits_while_there_are_no_readers() -> None:
    """A run without readers does not fill memory."""
    log = EventBuffer(3)
    writing = asyncio.create_task(fill(log))

    await step()

    assert not writing.done()
    log.lift_bound()
    await writing


async def test_a_reader_that_leaves_does_not_hold_up_the_others() -> None:
    """What it has not read is not kept for it."""
    leaving, quick, writing = await begin(EventBuffer(3))

    await leaving.aclose()

    assert await quick == EVENTS
    await writing


async def test_without_a_bound_a_slow_reader_still_gets_all() -> None:
    """The writer goes on to the end, and what was begun to be read is kept."""
    log = EventBuffer(3)
    slow = log.read()
    writing = asyncio.create_task(fill(log))
    first = await anext(slow)

    log.lift_bound()
    await writing

    assert [first, *[each async for each in slow]] == EVENTS


async def test_a_failure_comes_after_the_events() -> None:
    """Every reader raises it, and so does who waits for the end."""
    log = EventBuffer()
    await log.put(EVENTS[0])
    log.close(ValueError("broken"))
    log.close()
    reading = log.read()

    assert await anext(reading) == EVENTS[0]
    with pytest.raises(ValueError, match="broken"):
        await anext(reading)
    with pytest.raises(ValueError, match="broken"):
        await log.wait_closed()


async def test_a_cancelled_reader_leaves_the_others_alone() -> None:
    """Its time-out is its own."""
    log = EventBuffer(3)
    waiting = asyncio.create_task(read(log))
    other = asyncio.create_task(read(log))
    await step()

    waiting.cancel()
    await fill(log)

    assert await other == EVENTS
    assert waiting.cancelled()
