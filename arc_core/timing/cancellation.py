"""Cancellation always leaves, whatever a component does with it."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

T = TypeVar("T")

_OWNERS: WeakKeyDictionary[asyncio.Task[Any], asyncio.Task[Any]] = WeakKeyDictionary()


def cancel_only_with(task: asyncio.Task[Any], owner: asyncio.Task[Any]) -> None:
    """Note that a task is cancelled only if another one is, which it is part of.

    Before Python 3.13, a task in which a `TaskGroup` has failed stays marked as cancelled.
    """
    _OWNERS[task] = owner


def leave_if_cancelled() -> None:
    """Raise again the cancellation that a component swallowed or replaced by another exception."""
    task = asyncio.current_task()
    if task is not None and task.cancelling() and _OWNERS.get(task, task).cancelling():
        raise asyncio.CancelledError


async def wait_despite_cancellation(task: asyncio.Task[Any]) -> None:
    """Wait for the end of a task; a cancellation that comes in between leaves afterwards."""
    cancellation: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait((task,))
        except asyncio.CancelledError as error:
            cancellation = error
    if cancellation is not None:
        raise cancellation


_ENDING: dict[asyncio.Task[Any], bool] = {}
"""Tasks that end in order, and if one was to be cancelled meanwhile."""


def cancel_soon(task: asyncio.Task[Any]) -> None:
    """Cancel a task, but let it take its first step: one that never begins cannot end in order."""
    task.get_loop().call_soon(_cancel, task)


def _cancel(task: asyncio.Task[Any]) -> None:
    if task in _ENDING:
        _ENDING[task] = True
    else:
        task.cancel()


async def end_in_order(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run to the end in this task, where `cancel_soon` and `end_task` alone cancel it, afterwards.

    That takes no other task, unless this one has been cancelled, also if it goes on despite that.
    """
    task = asyncio.current_task()
    if task is None or task.cancelling():
        return await finish_despite_cancellation(coroutine)
    _ENDING[task] = False
    try:
        result = await coroutine
    finally:
        is_cancelled = _ENDING.pop(task)
    if is_cancelled:
        raise asyncio.CancelledError
    return result


async def finish_despite_cancellation(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run to the end in a task of its own; a cancellation in between leaves afterwards."""
    task = asyncio.create_task(coroutine)
    await wait_despite_cancellation(task)
    return task.result()


async def end_task(task: asyncio.Task[Any], abandon: Callable[[], None] | None = None) -> None:
    """Cancel a task whose caller has left, have it abandon its readers, and wait for its end."""
    if not task.done():
        cancel_soon(task)
    if abandon is not None:  # only after that: a task with room for all would go on to its end
        task.get_loop().call_soon(abandon)
    await wait_despite_cancellation(task)
