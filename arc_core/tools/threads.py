"""Runs a blocking or long function beside the event loop, without keeping the process alive."""

import asyncio
import contextvars
import threading
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

__all__ = [
    "MAX_THREADS",
    "MAX_THREADS_OF_ONE",
    "NoThreadFreeError",
    "OwnThreads",
    "compute_in_thread",
    "run_in_thread",
]

T = TypeVar("T")

MAX_THREADS = 256
MAX_THREADS_OF_ONE = MAX_THREADS // 2
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
    return await _run(partial(function, **arguments), _name_of(function), slots=(_free_threads,))


class OwnThreads:
    """The threads of one function: if its calls do not end, those of others still have some."""

    def __init__(self) -> None:
        self._free = threading.BoundedSemaphore(MAX_THREADS_OF_ONE)

    async def run(self, function: Callable[..., Any], /, **arguments: Any) -> Any:
        """Call the function as `run_in_thread` does.

        Raises:
            NoThreadFreeError: `MAX_THREADS_OF_ONE` calls of it run already, heard or unheard, or
                `MAX_THREADS` functions do.
            Exception: As in `run_in_thread`.
        """
        slots = (self._free, _free_threads)
        return await _run(partial(function, **arguments), _name_of(function), slots=slots)


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
        value: T = await _run(call, _name_of(function), slots=(_free_computing,))
        return value


def _name_of(function: Callable[..., Any]) -> str:
    return getattr(function, "__name__", "call")


async def _run(
    call: Callable[[], Any], name: str, *, slots: tuple[threading.BoundedSemaphore, ...]
) -> Any:
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
            _release(slots)
        _call_soon(loop, lambda: deliver(value, error))

    _start(threading.Thread(target=work, name=f"arc-{name}", daemon=True), slots)
    return await future


def _start(thread: threading.Thread, slots: tuple[threading.BoundedSemaphore, ...]) -> None:
    for place, each in enumerate(slots):
        if not each.acquire(blocking=False):
            _release(slots[:place])
            raise NoThreadFreeError(_describe(is_own=place < len(slots) - 1))
    try:
        thread.start()
    except BaseException:  # the system refuses another thread
        _release(slots)
        raise


def _release(slots: tuple[threading.BoundedSemaphore, ...]) -> None:
    for each in slots:
        each.release()


def _describe(*, is_own: bool) -> str:
    if is_own:
        return f"{MAX_THREADS_OF_ONE} calls have not ended; give what they wait for a time-out"
    return f"{MAX_THREADS} synchronous functions have not ended; give them time-outs of their own"


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
