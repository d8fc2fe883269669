"""Cancellation always leaves, whatever a component does with it."""

import asyncio

__all__ = ["leave_if_cancelled"]


def leave_if_cancelled() -> None:
    """Raise again the cancellation that a component swallowed or replaced by another exception.

    Raises:
        asyncio.CancelledError: Somebody has cancelled this task.
    """
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError
