"""A swallowed cancellation is raised again, and the last work of a task is not cut."""

import asyncio

import pytest

from arc_core.timing.cancellation import cancel_soon, end_in_order, end_task, leave_if_cancelled


async def test_nothing_happens_to_a_task_that_is_not_cancelled() -> None:
    """A task that is not cancelled goes on."""
    leave_if_cancelled()


async def test_a_cancellation_leaves_without_waiting_for_anything() -> None:
    """A run does not go on, not even to its next await, once it is cancelled."""
    reached: list[str] = []

    async def run() -> None:
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        leave_if_cancelled()
        reached.append("the end")

    task = asyncio.create_task(run())
    with pytest.raises(asyncio.CancelledError):
        await task

    assert reached == []


class LastWork:
    """A task whose last work waits until it may end."""

    def __init__(self, *, swallows: bool = False) -> None:
        self.may_end, self.has_ended = asyncio.Event(), False
        self._swallows = swallows
        self.task = asyncio.create_task(self._run())

    async def _run(self) -> None:
        try:
            await asyncio.sleep(0)
        except asyncio.CancelledError:
            if not self._swallows:
                raise
        await end_in_order(self._work())

    async def _work(self) -> None:
        leave_if_cancelled()
        await self.may_end.wait()
        self.has_ended = True


async def begun(*, swallows: bool = False) -> LastWork:
    """Return one that waits in its last work."""
    last = LastWork(swallows=swallows)
    await asyncio.sleep(0)
    if swallows:
        last.task.cancel()
    for _ in range(3):
        await asyncio.sleep(0)
    return last


async def test_the_last_work_is_done_before_a_cancellation_leaves() -> None:
    """The task ends as cancelled, but in order."""
    last = await begun()

    cancel_soon(last.task)
    await asyncio.sleep(0)
    assert not last.task.cancelling()
    last.may_end.set()

    with pytest.raises(asyncio.CancelledError):
        await last.task
    assert last.has_ended


async def test_a_task_that_has_swallowed_a_cancellation_ends_in_order() -> None:
    """Its last work does not see that it was cancelled before."""
    last = await begun(swallows=True)

    last.may_end.set()
    await last.task

    assert last.has_ended


async def test_who_ends_a_task_waits_for_its_last_work() -> None:
    """It is not cut, and no cancellation reaches the one who waits."""
    last = await begun()
    ending = asyncio.create_task(end_task(last.task))
    await asyncio.sleep(0)

    last.may_end.set()
    await ending

    assert last.has_ended
    assert last.task.cancelled()
