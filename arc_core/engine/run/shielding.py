"""Finish what a cancelled run still has to do, and let the cancellation leave afterwards."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from arc_core.engine.event_channel import EventChannel
from arc_core.timing.cancellation import wait_despite_cancellation

T = TypeVar("T")


def cancel_soon(task: asyncio.Task[Any]) -> None:
    """Cancel a task, but let it take its first step: one that never begins cannot end in order."""
    task.get_loop().call_soon(task.cancel)


async def finish_despite_cancellation(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run to the end in a task of its own; a cancellation that comes in between leaves afterwards.

    Raises:
        asyncio.CancelledError: The caller was cancelled meanwhile.
    """
    task = asyncio.create_task(coroutine)
    await wait_despite_cancellation(task)
    return task.result()


async def end_run(task: asyncio.Task[Any], channel: EventChannel | None = None) -> None:
    """Cancel a run whose caller has left before it, and wait for its end.

    Args:
        task: Of the run.
        channel: Of its events, if they have a reader of their own.
    """
    if not task.done():
        cancel_soon(task)
    if channel is not None:  # only after that: a run with room for all would go on to its end
        task.get_loop().call_soon(channel.abandon)
    await wait_despite_cancellation(task)
