"""A thread with an event loop, for callers who have none or whose own is busy running them."""

import asyncio
import os
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager
from typing import Any, Generic, TypeVar

from arc_autoconfig.errors import ApplicationStateError

T = TypeVar("T")

_END: Any = object()


class LoopThread:
    """Keeps an asynchronous context open on an event loop of its own, and works there.

    Lives once. The thread does not keep the process alive. A process that is forked from this one
    has no such thread: there, work is refused, and closing does nothing.
    """

    def __init__(self, context: AbstractAsyncContextManager[Any]) -> None:
        self._context, self._process = context, os.getpid()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._live, name="arc-blocking", daemon=True)
        self._lock = threading.Lock()
        self._is_open = False
        self._started: Future[None] = Future()
        self._stopping = asyncio.Event()
        self._task: asyncio.Task[Any] | None = None
        self._calls: set[_Call[Any]] = set()
        self._failure: BaseException | None = None

    @property
    def is_open(self) -> bool:
        """True if the context is entered and not being left, in this process."""
        return self._is_open and not self._is_forked

    def start(self) -> None:
        """Enter the context; if that raises, the thread has ended."""
        try:
            self._thread.start()
            self._started.result()
        except BaseException:
            self._stop()
            if self._thread.ident is None:
                self._loop.close()
            else:
                self._thread.join()
            raise

    def close(self) -> None:
        """Leave the context, cancel what still goes on, and wait for the end of the thread."""
        if self._is_forked:
            return
        self._stop()
        self._thread.join()
        if self._failure is not None:
            raise self._failure

    def call(self, work: Callable[[], Awaitable[T]]) -> T:
        """Do some work on the loop and wait for it; an interrupted caller waits for its end.

        Raises:
            ApplicationStateError: The context is left, or is being left meanwhile; the caller is
                on the loop itself, and would wait for itself; or it is in a forked process.
        """
        if self._is_forked:
            raise ApplicationStateError(
                "the application was started before this process was forked",
                evidence=["its event loop runs in a thread, and threads are not forked"],
                remedy="make and start an application in each process after the fork, or start "
                "processes with multiprocessing's method `spawn`",
            )
        if threading.current_thread() is self._thread:
            raise ApplicationStateError(
                "code that runs on the event loop of the application waits for that loop",
                remedy="use `await app.execute(…)` in asynchronous tools and hooks",
            )
        call = _Call(work, self._calls.discard)
        try:
            self._begin(call)
            return call.outcome.result()
        except BaseException:
            if call in self._calls:  # the caller is interrupted, by Ctrl-C for example
                self._loop.call_soon_threadsafe(call.stop)
                call.outcome.exception()
            raise

    def iterate(self, source: AsyncGenerator[T]) -> Generator[T]:
        """Yield what an asynchronous generator gives, and close it afterwards."""

        async def get() -> T:
            return await anext(source, _END)

        try:
            while (item := self.call(get)) is not _END:
                yield item
        finally:
            self._drop(source)

    @property
    def _is_forked(self) -> bool:
        return self._process != os.getpid()

    def _drop(self, source: AsyncGenerator[Any]) -> None:
        if threading.current_thread() is self._thread:  # the garbage collector runs anywhere
            self._calls.add(call := _Call(source.aclose, self._calls.discard))
            call.start()
        elif self.is_open:
            self.call(source.aclose)

    def _begin(self, call: "_Call[Any]") -> None:
        with self._lock:
            if not self._is_open:
                raise ApplicationStateError(
                    "the application is closed",
                    remedy="use it inside of `with app.blocking() as blocking:`",
                )
            self._calls.add(call)
            self._loop.call_soon_threadsafe(call.start)

    def _stop(self) -> None:
        with self._lock:
            self._is_open = False
            if not self._loop.is_closed():
                self._loop.call_soon_threadsafe(self._leave)

    def _leave(self) -> None:
        self._stopping.set()
        if self._task is not None and not self._started.done():
            self._task.cancel()

    def _live(self) -> None:
        try:
            with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
                runner.run(self._serve())
        except BaseException as error:  # noqa: BLE001 -- the thread that closes it raises it
            self._failure = error
        for call in tuple(self._calls):  # what the loop had no time for any more
            call.give_up()
        if not self._started.done():
            self._started.set_exception(self._failure or asyncio.CancelledError())

    async def _serve(self) -> None:
        self._task = asyncio.current_task()
        try:
            if not self._stopping.is_set():
                async with self._context:
                    self._open()
                    await self._stopping.wait()
        finally:
            with self._lock:
                self._is_open = False

    def _open(self) -> None:
        with self._lock:
            self._is_open = not self._stopping.is_set()
        self._started.set_result(None)


class _Call(Generic[T]):
    """Work on the loop that a thread waits for."""

    def __init__(
        self, work: Callable[[], Awaitable[T]], forget: Callable[["_Call[Any]"], None]
    ) -> None:
        self.outcome: Future[T] = Future()
        self._work, self._forget = work, forget
        self._task: asyncio.Task[T] | None = None

    def start(self) -> None:
        """Begin the work; on the loop."""
        self._task = asyncio.get_running_loop().create_task(self._run())
        self._task.add_done_callback(self._settle)

    def stop(self) -> None:
        """Cancel the work, which may still have things to do; on the loop."""
        if self._task is None:  # the caller was interrupted before it could start it
            self.give_up()
        else:
            self._task.cancel()

    def give_up(self) -> None:
        """Tell the thread that there is no outcome."""
        self._forget(self)
        if not self.outcome.done():
            self.outcome.set_exception(
                ApplicationStateError(
                    "the application was closed, or the run cancelled, before its end",
                    remedy="leave `with app.blocking():` after all threads are done with it",
                )
            )

    async def _run(self) -> T:
        return await self._work()

    def _settle(self, task: asyncio.Task[T]) -> None:
        if task.cancelled():
            self.give_up()
            return
        self._forget(self)
        error = task.exception()
        if error is None:
            self.outcome.set_result(task.result())
        else:
            self.outcome.set_exception(error)
