"""Time-outs of what is awaited while the event loop is on time, and while it is late."""

import asyncio
import time

import pytest

from arc_core.timing.loop_timeout import LoopTimeout


class LateClock:
    """The clock of an event loop, which goes ahead as if the loop had been busy so long."""

    def __init__(self) -> None:
        self.late_s = 0.0

    def __call__(self) -> float:
        return time.monotonic() + self.late_s


@pytest.fixture
async def late_clock(monkeypatch: pytest.MonkeyPatch) -> LateClock:
    """That of the running loop."""
    clock = LateClock()
    monkeypatch.setattr(asyncio.get_running_loop(), "time", clock)
    return clock


async def test_what_takes_too_long_is_a_timeout() -> None:
    """As with the time-out of asyncio."""
    patience = LoopTimeout(0.01)

    with pytest.raises(TimeoutError):
        async with patience:
            await asyncio.Event().wait()

    assert patience.expired()


@pytest.mark.parametrize("seconds", [60, None])
async def test_what_ends_in_time_does_not_timeout(seconds: float | None) -> None:
    """And no alarm is left behind; without a bound there is none."""
    async with LoopTimeout(seconds) as nothing:
        await asyncio.sleep(0)

    assert nothing is None


async def test_rounds_that_take_long_are_counted_and_not_timed(late_clock: LateClock) -> None:
    """A minute is at least twenty rounds of the loop, each of which takes an hour here."""
    rounds = 0

    async def work() -> None:
        nonlocal rounds
        while True:
            late_clock.late_s += 3_600
            await asyncio.sleep(0)
            rounds += 1

    async def work_with_patience() -> None:
        async with LoopTimeout(60):
            await work()

    with pytest.raises(TimeoutError):
        await work_with_patience()

    assert 19 <= rounds <= 60


async def test_a_cancellation_is_none_of_its_own() -> None:
    """It leaves as it is."""
    patience = LoopTimeout(60)

    async def wait() -> None:
        async with patience:
            await asyncio.Event().wait()

    task = asyncio.create_task(wait())
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait({task})

    assert (task.cancelled(), patience.expired()) == (True, False)
