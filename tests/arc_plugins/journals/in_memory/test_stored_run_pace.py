"""A run waits for those who read it."""

import asyncio

import pytest

from arc_plugins.journals.in_memory.stored_run import Pace


async def test_without_readers_nothing_waits() -> None:
    """A run that is not read runs as it can."""
    await Pace(max_behind=1).wait(1_000)


async def test_the_nearest_reader_sets_the_pace() -> None:
    """One that is far behind does not hold up another."""
    pace = Pace(max_behind=1)

    with pace.reading(0), pace.reading(9):
        await pace.wait(10)


async def test_the_writer_goes_on_when_a_reader_comes_near() -> None:
    """It waits until then, and no longer."""
    pace = Pace(max_behind=1)

    with pace.reading(0) as reading:
        writing = asyncio.create_task(pace.wait(3))
        await asyncio.sleep(0)
        assert not writing.done()
        reading.take()
        reading.take()
        await writing


@pytest.mark.parametrize("way", ["leaves", "ends"])
async def test_the_writer_goes_on_without_readers(way: str) -> None:
    """The last reader leaves, or the run is to end."""
    pace = Pace(max_behind=1)

    with pace.reading(0):
        writing = asyncio.create_task(pace.wait(3))
        await asyncio.sleep(0)
        if way == "ends":
            pace.end()
            await writing
    await writing


async def test_patience_ends() -> None:
    """A reader that does not move holds up a run once, and for a while only."""
    pace = Pace(max_behind=1, patience_s=0.01)

    with pace.reading(0):
        await pace.wait(3)
        async with asyncio.timeout(30):
            await pace.wait(4)
