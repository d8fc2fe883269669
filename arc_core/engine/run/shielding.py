"""What a cancelled run still has to do is done, and the cancellation leaves afterwards."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

__all__ = ["cancel", "finish_despite_cancellation", "wait_despite_cancellation"]

T = TypeVar("T")


def cancel(task: asyncio.Task[Any]) -> None:
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


async def wait_despite_cancellation(task: asyncio.Task[Any]) -> None:
    """Wait for the end of a task; a cancellation that comes in between leaves afterwards.

    Raises:
        asyncio.CancelledError: The caller was cancelled meanwhile.
    """
    cancellation: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait((task,))
        except asyncio.CancelledError as error:
            cancellation = error
    if cancellation is not None:
        raise cancellation
