"""How long a component holds the event loop, on which all other runs wait."""

import asyncio
import time
from collections.abc import Awaitable, Callable

__all__ = ["check_loop_is_free"]

_HOLDS_AT_MOST_S = 0.1
_ATTEMPTS = 5


async def check_loop_is_free(call: Callable[[], Awaitable[object]]) -> None:
    """Fail for a call that holds the loop for more than a tenth of a second, each time.

    Args:
        call: Made up to five times, so that a busy machine is not taken for a slow component.

    Raises:
        AssertionError: No attempt left the loop to others in time.
    """
    holds: list[float] = []
    for _ in range(_ATTEMPTS):
        holds.append(await _longest_hold(call))
        if holds[-1] <= _HOLDS_AT_MOST_S:
            return
    assert min(holds) <= _HOLDS_AT_MOST_S, (
        f"it blocks the event loop for {min(holds):.1f} s: use asyncio.to_thread for what waits"
    )


async def _longest_hold(call: Callable[[], Awaitable[object]]) -> float:
    """Seconds between two turns of the loop, the longest while a call is under way."""
    longest, task = 0.0, asyncio.ensure_future(call())
    while not task.done():
        before = time.perf_counter()
        await asyncio.sleep(0)
        longest = max(longest, time.perf_counter() - before)
    await task
    return longest
