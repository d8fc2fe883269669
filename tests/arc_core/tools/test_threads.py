"""Blocking functions beside the event loop."""

import asyncio
import contextvars
import functools
import threading

import pytest

from arc_core.tools.threads import (
    MAX_THREADS,
    MAX_THREADS_OF_ONE,
    NoThreadFreeError,
    OwnThreads,
    run_in_thread,
)

user: contextvars.ContextVar[str] = contextvars.ContextVar("user")


def add(a: int, b: int) -> int:
    """A sum."""
    return a + b


async def test_the_value_comes_back() -> None:
    """The function's value is the value of the call."""
    assert await run_in_thread(add, a=1, b=2) == 3


async def test_exceptions_come_back() -> None:
    """What the function raises is raised in the caller."""

    def fails() -> None:
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        await run_in_thread(fails)


@pytest.mark.parametrize(
    "exception", [StopIteration, SystemExit, KeyboardInterrupt, asyncio.CancelledError]
)
async def test_a_thread_does_not_end_the_loop_or_the_run(exception: type[BaseException]) -> None:
    """A function that exits or raises what the event loop acts on has only failed itself."""

    def fails() -> None:
        raise exception

    with pytest.raises(RuntimeError, match=exception.__name__):
        await run_in_thread(fails)


async def test_context_variables_are_seen() -> None:
    """The function sees the values of the run that called it, and cannot change them."""
    user.set("ann")

    def read_and_change() -> str:
        before = user.get()
        user.set("bob")
        return before

    assert await run_in_thread(read_and_change) == "ann"
    assert user.get() == "ann"


async def test_a_cancelled_caller_does_not_wait() -> None:
    """The caller leaves at once; the function runs on and its end disturbs no other call."""
    started, released, ended = asyncio.Event(), threading.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    def blocks() -> None:
        loop.call_soon_threadsafe(started.set)
        released.wait()
        ended.set()

    task = asyncio.ensure_future(run_in_thread(blocks))
    await started.wait()
    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
    assert not ended.is_set()
    released.set()
    ended.wait()


def test_a_running_function_does_not_hold_up_the_end_of_the_loop() -> None:
    """A loop that is closed while a function still runs ends at once and in silence."""
    released, ended = threading.Event(), threading.Event()

    def blocks() -> None:
        released.wait()
        ended.set()

    async def leave_early() -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await run_in_thread(blocks)

    with asyncio.Runner() as runner:
        runner.run(leave_early())
    assert not ended.is_set()
    released.set()
    for thread in threading.enumerate():
        if thread.name == "arc-blocks":
            thread.join()
    assert ended.is_set()


async def test_functions_without_a_name_run_too() -> None:
    """A partial function has no name of its own and needs none."""
    assert await run_in_thread(functools.partial(add, 1), b=2) == 3


async def test_functions_that_do_not_end_hold_a_bounded_number_of_threads() -> None:
    """Past it a call fails at once, and says so; when one has ended, there is room again."""
    released = threading.Event()
    waiting = [asyncio.ensure_future(run_in_thread(released.wait)) for _ in range(MAX_THREADS)]
    await asyncio.sleep(0)

    with pytest.raises(NoThreadFreeError, match="256 synchronous functions"):
        await run_in_thread(add, a=1, b=2)

    released.set()
    await asyncio.wait(waiting)
    assert await run_in_thread(add, a=1, b=2) == 3


async def test_one_function_has_half_of_the_threads() -> None:
    """It is refused then, others are not; when a call of it has ended, another may begin."""
    released, threads = threading.Event(), OwnThreads()
    waiting = [asyncio.ensure_future(threads.run(released.wait)) for _ in range(MAX_THREADS_OF_ONE)]
    await asyncio.sleep(0)

    with pytest.raises(NoThreadFreeError, match="128 calls have not ended"):
        await threads.run(add, a=1, b=2)
    assert await OwnThreads().run(add, a=1, b=2) == 3

    released.set()
    await asyncio.wait(waiting)
    assert await threads.run(add, a=1, b=2) == 3


async def test_functions_that_hang_together_leave_threads_to_others() -> None:
    """Each takes half of what those before it have left."""
    released, hanging = threading.Event(), [OwnThreads() for _ in range(4)]
    waiting: list[asyncio.Future[object]] = []
    for each in hanging:
        calls = [asyncio.ensure_future(each.run(released.wait)) for _ in range(MAX_THREADS)]
        await asyncio.sleep(0)
        waiting += calls

    held = [each.count for each in hanging]
    assert await OwnThreads().run(add, a=1, b=2) == 3

    released.set()
    done, _ = await asyncio.wait(waiting)
    assert held == [128, 64, 32, 16]
    assert sum(each.exception() is not None for each in done) == 4 * MAX_THREADS - sum(held)
