"""Runs a blocking or long function beside the event loop, without keeping the process alive."""

import asyncio
import contextvars
import threading
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

__all__ = ["MAX_THREADS", "NoThreadFreeError", "compute_in_thread", "run_in_thread"]

T = TypeVar("T")

MAX_THREADS = 256
_free_threads = threading.BoundedSemaphore(MAX_THREADS)

_MAX_COMPUTING = 2  # more would leave the event loop too small a share of the interpreter
_free_computing = threading.BoundedSemaphore(MAX_THREADS)
_turns: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()


class NoThreadFreeError(Exception):
    """As many functions as there may be have not ended yet."""


async def run_in_thread(function: Callable[..., Any], /, **arguments: Any) -> Any:
    """Call `function(**arguments)` in a daemon thread, with the caller's context variables.

    A thread cannot be stopped: when the caller is cancelled or times out, the function runs on
    unheard. A thread of a pool would then delay the end of the event loop and of the process; a
    daemon thread delays neither.

    Raises:
        NoThreadFreeError: `MAX_THREADS` functions run already, heard or unheard.
        Exception: Whatever the function raises; a `RuntimeError` for what is not an `Exception`,
            since an exit of the function must not become one of the caller.
    """
    return await _run(partial(function, **arguments), _name_of(function), slots=_free_threads)


async def compute_in_thread(function: Callable[..., T], /, *values: Any) -> T:
    """Call `function(*values)`, which computes for long but not without end, in a daemon thread.

    Two functions compute at once for an event loop, the others wait for their turn. They need not
    wait for what `run_in_thread` runs.

    Raises:
        NoThreadFreeError: `MAX_THREADS` functions compute unheard.
        Exception: As in `run_in_thread`.
    """
    loop = asyncio.get_running_loop()
    turns = _turns.setdefault(loop, asyncio.Semaphore(_MAX_COMPUTING))
    async with turns:
        call = partial(function, *values)
        value: T = await _run(call, _name_of(function), slots=_free_computing)
        return value


def _name_of(function: Callable[..., Any]) -> str:
    return getattr(function, "__name__", "call")


async def _run(call: Callable[[], Any], name: str, *, slots: threading.BoundedSemaphore) -> Any:
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Any] = loop.create_future()
    context = contextvars.copy_context()

    def deliver(value: object, error: BaseException | None) -> None:
        if future.done():
            return
        if error is None:
            future.set_result(value)
        else:
            future.set_exception(error)

    def work() -> None:
        try:
            value, error = _outcome_of(lambda: context.run(call))
        finally:
            slots.release()
        _call_soon(loop, lambda: deliver(value, error))

    _start(threading.Thread(target=work, name=f"arc-{name}", daemon=True), slots)
    return await future


def _start(thread: threading.Thread, slots: threading.BoundedSemaphore) -> None:
    if not slots.acquire(blocking=False):
        raise NoThreadFreeError(
            f"{MAX_THREADS} synchronous functions have not ended; give them time-outs of their own"
        )
    try:
        thread.start()
    except BaseException:  # the system refuses another thread
        slots.release()
        raise


def _outcome_of(call: Callable[[], object]) -> tuple[object, BaseException | None]:
    try:
        return call(), None
    except StopIteration as error:  # a future refuses it
        return None, _harmless(error)
    except Exception as error:  # noqa: BLE001 -- raised again in the caller's task
        return None, error
    except BaseException as error:  # noqa: BLE001 -- would end the caller's run, or its event loop
        return None, _harmless(error)


def _harmless(error: BaseException) -> RuntimeError:
    return RuntimeError(f"{type(error).__name__} raised in a thread")


def _call_soon(loop: asyncio.AbstractEventLoop, callback: Callable[[], None]) -> None:
    try:
        loop.call_soon_threadsafe(callback)
    except RuntimeError:  # the loop is closed: no task waits any more
        return
