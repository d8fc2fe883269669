"""What a cancelled run still has to do is done, and the cancellation leaves afterwards."""

import asyncio
from collections.abc import Coroutine
from typing import Any

__all__ = ["finish_despite_cancellation"]


async def finish_despite_cancellation(coroutine: Coroutine[Any, Any, None]) -> None:
    """Run to the end in a task of its own; a cancellation that comes in between leaves afterwards.

    Raises:
        asyncio.CancelledError: The caller was cancelled meanwhile.
    """
    task = asyncio.create_task(coroutine)
    cancellation: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait((task,))
        except asyncio.CancelledError as error:
            cancellation = error
    if cancellation is not None:
        raise cancellation
    task.result()
