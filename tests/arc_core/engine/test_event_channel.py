"""The buffer between a run and its reader: bounded, ordered, and left by either side."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arc_core import AgentEvent, TextDelta
from arc_core.engine.event_channel import EventChannel


def text(number: int) -> TextDelta:
    """An event that can be told from others."""
    return TextDelta(str(number))


async def all_of(channel: EventChannel) -> list[AgentEvent | str]:
    """Read to the end."""
    events: list[AgentEvent | str] = []
    while (event := await channel.get()) is not None:
        events.append(event)
    return events


async def write(channel: EventChannel, numbers: range) -> None:
    """Put events, waiting for room."""
    for number in numbers:
        await channel.put(text(number))


class CountingChannel(EventChannel):
    """Counts how often a writer tries."""

    tries = 0

    def offer(self, event: AgentEvent | str) -> bool:
        self.tries += 1
        return super().offer(event)


async def test_writers_that_wait_do_not_compete_for_every_place() -> None:
    """A thousand of them try twice each, and not as often as there are others."""
    channel = CountingChannel(8)
    writers = [asyncio.create_task(channel.put(text(number))) for number in range(1_000)]
    await asyncio.sleep(0)

    events = [await channel.get() for _ in writers]

    assert {str(event) for event in events} == {str(text(number)) for number in range(1_000)}
    assert channel.tries <= 2 * len(writers)


@pytest.mark.parametrize("is_woken", [False, True], ids=["waiting", "woken"])
async def test_a_cancelled_writer_leaves_its_room_to_another(*, is_woken: bool) -> None:
    """Also if it was to have it just then."""
    channel = EventChannel(1)
    channel.offer("first")
    writers = [asyncio.create_task(channel.put(text(number))) for number in range(2)]
    await asyncio.sleep(0)

    if is_woken:
        assert channel.poll() == "first"
    writers[0].cancel()
    await asyncio.wait(writers[:1])
    events = [await channel.get() for _ in range(1 if is_woken else 2)]

    assert events[-1] == text(1)


async def test_what_is_there_can_be_had_without_waiting() -> None:
    """Polling gives the next event, or None at once."""
    channel = EventChannel()
    await channel.put(text(1))

    polled = [channel.poll(), channel.poll()]

    assert polled == [text(1), None]


@pytest.mark.slow
@given(capacity=st.integers(1, 8), number=st.integers(0, 30), pauses=st.lists(st.integers(0, 3)))
def test_every_event_arrives_in_order(capacity: int, number: int, pauses: list[int]) -> None:
    """Whatever the capacity and the pace, the reader gets what was written, and then the end."""

    async def scenario() -> list[AgentEvent | str]:
        channel = EventChannel(capacity)

        async def writer() -> None:
            for position in range(number):
                for _ in range(pauses[position % len(pauses)] if pauses else 0):
                    await asyncio.sleep(0)
                await channel.put(text(position))
            channel.close()

        async with asyncio.TaskGroup() as group:
            reader = group.create_task(all_of(channel))
            group.create_task(writer())
        return reader.result()

    with asyncio.Runner() as runner:
        assert runner.run(scenario()) == [text(position) for position in range(number)]


async def test_a_full_channel_takes_no_more() -> None:
    """A writer waits for room; nothing is dropped and nothing is kept beyond the capacity."""
    channel = EventChannel(2)
    writer = asyncio.create_task(write(channel, range(3)))
    await asyncio.sleep(0)

    assert not writer.done()
    assert not channel.offer(text(9))

    assert await channel.get() == text(0)
    await writer
    assert [await channel.get(), await channel.get()] == [text(1), text(2)]


async def test_several_writers_wait_for_room_and_all_get_it() -> None:
    """The tool calls of one turn write at once, even through a channel for a single event."""
    channel = EventChannel(1)
    async with asyncio.TaskGroup() as group:
        reader = group.create_task(all_of(channel))
        async with asyncio.TaskGroup() as writers:
            for start in range(0, 20, 5):
                writers.create_task(write(channel, range(start, start + 5)))
        channel.close()

    assert set(reader.result()) == {text(number) for number in range(20)}


async def test_what_was_written_before_the_end_is_read_after_it() -> None:
    """Closing loses nothing."""
    channel = EventChannel()
    await write(channel, range(2))
    channel.close()

    assert await all_of(channel) == [text(0), text(1)]
    assert await channel.get() is None


async def test_a_reader_that_waits_learns_of_the_end() -> None:
    """Closing wakes the reader."""
    channel = EventChannel()
    reader = asyncio.create_task(channel.get())
    await asyncio.sleep(0)

    channel.close()

    assert await reader is None


async def test_a_reader_that_gave_up_misses_nothing() -> None:
    """A `get` that was cancelled takes no event with it."""
    channel = EventChannel()
    reader = asyncio.create_task(channel.get())
    await asyncio.sleep(0)

    reader.cancel()
    await channel.put(text(1))
    await asyncio.wait({reader})

    assert await channel.get() == text(1)


async def test_a_writer_that_gave_up_writes_nothing() -> None:
    """A `put` that was cancelled leaves no event, and the room to others."""
    channel = EventChannel(1)
    await channel.put(text(0))
    gone, patient = (asyncio.create_task(channel.put(text(number))) for number in (1, 2))
    await asyncio.sleep(0)

    gone.cancel()
    first = await channel.get()
    await patient
    channel.close()

    assert [first, *await all_of(channel)] == [text(0), text(2)]


async def test_nothing_is_written_for_a_reader_that_has_left() -> None:
    """Writers that wait for room go on, and what they write is dropped."""
    channel = EventChannel(1)
    writers = [asyncio.create_task(write(channel, range(3))) for _ in range(2)]
    await asyncio.sleep(0)

    channel.abandon()
    await asyncio.wait(writers)
    channel.close()

    assert channel.offer(text(9))
    assert await all_of(channel) == []
