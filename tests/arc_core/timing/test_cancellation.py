"""A swallowed cancellation is raised again."""

import asyncio

import pytest

from arc_core.timing.cancellation import leave_if_cancelled


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
