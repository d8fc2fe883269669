"""What a cancelled run still has to do is done, and the cancellation leaves afterwards."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from arc_core.cancellation import wait_despite_cancellation

__all__ = ["cancel", "finish_despite_cancellation"]

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
