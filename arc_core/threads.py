"""Runs a blocking function beside the event loop, without keeping the process alive for it."""

import asyncio
import contextvars
import threading
from collections.abc import Callable
from typing import Any

__all__ = ["MAX_THREADS", "NoThreadFreeError", "run_in_thread"]

MAX_THREADS = 256
_free_threads = threading.BoundedSemaphore(MAX_THREADS)


class NoThreadFreeError(Exception):
    """As many functions as there may be have not ended yet."""


async def run_in_thread(function: Callable[..., Any], /, **arguments: Any) -> Any:
    """Call `function(**arguments)` in a daemon thread, with the caller's context variables.

    A thread cannot be stopped: when the caller is cancelled or times out, the function runs on
    unheard. A thread of a pool would then delay the end of the event loop and of the process; a
    daemon thread delays neither.

    Raises:
        NoThreadFreeError: `MAX_THREADS` functions run already, heard or unheard.
        Exception: Whatever the function raises; a `RuntimeError` for what is no `Exception`, since
            an exit of the function must not become one of the caller.
    """
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
            value, error = _outcome_of(lambda: context.run(function, **arguments))
        finally:
            _free_threads.release()
        _call_soon(loop, lambda: deliver(value, error))

    name = getattr(function, "__name__", "call")
    _start(threading.Thread(target=work, name=f"arc-{name}", daemon=True))
    return await future


def _start(thread: threading.Thread) -> None:
    if not _free_threads.acquire(blocking=False):
        raise NoThreadFreeError(
            f"{MAX_THREADS} synchronous functions have not ended; give them time-outs of their own"
        )
    try:
        thread.start()
    except BaseException:  # the system refuses another thread
        _free_threads.release()
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
    except RuntimeError:  # the loop is closed: nobody waits any more
        return
