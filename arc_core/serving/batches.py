"""What is ready at once, in one piece: writing costs by the piece, not by the event."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import TypeVar

from arc_core.cancellation import wait_despite_cancellation

__all__ = ["batches"]

T = TypeVar("T")

_MAX_AHEAD = 256
_PAUSE_S = 0.01
_QUIET_S = 15.0


async def batches(
    source: AsyncGenerator[T],
    *,
    pause_s: float = _PAUSE_S,
    quiet_s: float = _QUIET_S,
    max_ahead: int = _MAX_AHEAD,
) -> AsyncGenerator[Sequence[T]]:
    """The items of a source, as many at once as are there; none after a long silence.

    The first item comes at once, and then whatever has come within the pause.

    Args:
        source: Is read by a task of its own, and closed.
        pause_s: How long items may wait for others, in seconds.
        quiet_s: After how many seconds without an item an empty batch comes, so that a writer can
            keep its connection alive.
        max_ahead: How many items are read before they are asked for.
    """
    ready: list[T] = []
    news, room = asyncio.Event(), asyncio.Event()

    async def fill() -> None:
        try:
            async with aclosing(source) as items:
                async for item in items:
                    ready.append(item)
                    news.set()
                    while len(ready) >= max_ahead:
                        room.clear()
                        await room.wait()
        finally:
            news.set()

    task = asyncio.create_task(fill(), name="arc-batches")
    try:
        while ready or not task.done():
            if not ready:
                news.clear()
                try:
                    async with asyncio.timeout(quiet_s):
                        await news.wait()
                except TimeoutError:
                    yield ()
                    continue
            batch = ready.copy()
            ready.clear()
            room.set()
            if batch:
                yield batch
                await asyncio.sleep(pause_s)
        task.result()
    finally:
        task.cancel()
        await wait_despite_cancellation(task)
