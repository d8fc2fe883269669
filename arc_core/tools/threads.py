"""Runs a blocking or long function beside the event loop, without keeping the process alive."""

import asyncio
import contextvars
import threading
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

T = TypeVar("T")

MAX_THREADS = 256
MAX_THREADS_OF_ONE = MAX_THREADS // 2
_MAX_COMPUTING = 2  # more would leave the event loop too small a share of the interpreter
_turns: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()


class NoThreadFreeError(Exception):
    """As many functions as there may be have not ended yet."""


class _Threads:
    """Counts the threads that run, and those of each function.

    A function may hold no more of them than are left free: one that hangs takes half of them, a
    second one half of what is left, and so on, so that there are always some for another one.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._free = MAX_THREADS

    def take(self, own: "OwnThreads | None") -> None:
        """Take one, if there is one and the function's own are fewer than are left."""
        with self._lock:
            if self._free == 0:
                raise NoThreadFreeError(
                    f"{MAX_THREADS} synchronous functions have not ended; "
                    "give them time-outs of their own"
                )
            if own is not None:
                if own.count >= self._free:
                    raise NoThreadFreeError(
                        f"{own.count} calls have not ended; give what they wait for a time-out"
                    )
                own.count += 1
            self._free -= 1

    def give_back(self, own: "OwnThreads | None") -> None:
        with self._lock:
            self._free += 1
            if own is not None:
                own.count -= 1


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
    return await _run(partial(function, **arguments), _calling)


class OwnThreads:
    """The threads of one function: if its calls do not end, those of others still have some."""

    def __init__(self) -> None:
        self.count = 0

    async def run(self, function: Callable[..., Any], /, **arguments: Any) -> Any:
        """Call the function as `run_in_thread` does.

        Raises:
            NoThreadFreeError: As many calls of it run as threads are left free, at most
                `MAX_THREADS_OF_ONE`, or `MAX_THREADS` functions do.
            Exception: As in `run_in_thread`.
        """
        return await _run(partial(function, **arguments), _calling, own=self)


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
        value: T = await _run(partial(function, *values), _computing)
        return value


_calling, _computing = _Threads(), _Threads()


async def _run(call: partial[Any], threads: _Threads, *, own: OwnThreads | None = None) -> Any:
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Any] = loop.create_future()
    context, name = contextvars.copy_context(), getattr(call.func, "__name__", "call")

    def deliver(value: object, error: BaseException | None) -> None:
        if future.done():
            return
        if error is None:
            future.set_result(value)
        else:
            future.set_exception(error)

    def work() -> None:
        try:
            value, error = _get_outcome(lambda: context.run(call))
        finally:
            threads.give_back(own)
        try:
            loop.call_soon_threadsafe(deliver, value, error)
        except RuntimeError:  # the loop is closed: no task waits any more
            return

    threads.take(own)
    try:
        threading.Thread(target=work, name=f"arc-{name}", daemon=True).start()
    except BaseException:  # the system refuses another thread
        threads.give_back(own)
        raise
    return await future


def _get_outcome(call: Callable[[], object]) -> tuple[object, BaseException | None]:
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
