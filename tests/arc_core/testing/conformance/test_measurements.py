"""Blocking calls are found."""

import asyncio
import time

import pytest

from arc_core.testing.conformance.measurements import check_loop_is_free


async def test_a_call_that_blocks_is_found() -> None:
    """However often it is tried."""

    async def block() -> None:
        time.sleep(0.11)  # noqa: ASYNC251 -- this is what must be found

    with pytest.raises(AssertionError, match="blocks the event loop"):
        await check_loop_is_free(block)


async def test_a_call_that_waits_is_fine() -> None:
    """Others run meanwhile."""

    async def wait() -> None:
        await asyncio.to_thread(time.sleep, 0.11)

    await check_loop_is_free(wait)


async def test_a_busy_machine_is_not_a_blocking_call() -> None:
    """One attempt that leaves the loop to others is enough."""
    holds = iter([0.11, 0.0])

    async def block_once() -> None:
        time.sleep(next(holds))  # noqa: ASYNC251 -- the first is what a busy machine does

    await check_loop_is_free(block_once)


async def test_an_exception_of_the_call_leaves() -> None:
    """It is the component's failure, and no question of time."""

    async def fail() -> None:
        raise ConnectionError

    with pytest.raises(ConnectionError):
        await check_loop_is_free(fail)
