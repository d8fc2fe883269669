"""Cancellation always leaves, whatever a component does with it."""

import asyncio
from typing import Any
from weakref import WeakKeyDictionary

__all__ = ["cancel_only_with", "leave_if_cancelled", "wait_despite_cancellation"]

_OWNERS: WeakKeyDictionary[asyncio.Task[Any], asyncio.Task[Any]] = WeakKeyDictionary()


def cancel_only_with(task: asyncio.Task[Any], owner: asyncio.Task[Any]) -> None:
    """Note that a task is cancelled only if another one is, which it is part of.

    Before Python 3.13, a task in which a `TaskGroup` has failed stays marked as cancelled.
    """
    _OWNERS[task] = owner


def leave_if_cancelled() -> None:
    """Raise again the cancellation that a component swallowed or replaced by another exception.

    Raises:
        asyncio.CancelledError: This task has been cancelled.
    """
    task = asyncio.current_task()
    if task is not None and task.cancelling() and _OWNERS.get(task, task).cancelling():
        raise asyncio.CancelledError


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
