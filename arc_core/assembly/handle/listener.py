"""Calls of a listener: one at a time, in order, async or not."""

import asyncio
import inspect
import threading
from collections import deque
from collections.abc import Awaitable, Callable, Generator
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar


class Latch:
    """Set once, from any thread; everything that waits goes on."""

    __slots__ = ("_event", "_lock", "_waiters")

    def __init__(self) -> None:
        self._event = threading.Event()
        self._lock = threading.Lock()
        self._waiters: set[asyncio.Future[None]] = set()

    @property
    def is_set(self) -> bool:
        """True if it has happened."""
        return self._event.is_set()

    def set(self) -> None:
        """Let it happen; again does nothing."""
        with self._lock:
            self._event.set()
            waiters, self._waiters = self._waiters, set()
        for waiter in waiters:
            try:
                waiter.get_loop().call_soon_threadsafe(_wake, waiter)
            except RuntimeError:  # its loop is closed: nothing waits any more
                continue

    async def wait(self) -> None:
        """Wait in an event loop."""
        with self._lock:
            if self._event.is_set():
                return
            waiter = asyncio.get_running_loop().create_future()
            self._waiters.add(waiter)
        try:
            await waiter
        finally:
            with self._lock:
                self._waiters.discard(waiter)

    def __await__(self) -> Generator[Any, None, None]:
        return self.wait().__await__()

    def wait_in_thread(self, timeout_s: float | None) -> bool:
        """Block the thread; False when `timeout_s` seconds were not enough."""
        return self._event.wait(timeout_s)


def _wake(waiter: "asyncio.Future[None]") -> None:
    if not waiter.done():
        waiter.set_result(None)


T_contra = TypeVar("T_contra", contravariant=True)

Then = Callable[[BaseException | None], None]
"""Called when the listener has returned, with what it raised."""


class StreamListener(Generic[T_contra]):
    """Methods a `StreamHandle` calls, one at a time and in order, outside of any lock.

    Override what you need, with plain or `async` methods; any object that has some of these methods
    will do as well. Async ones are awaited in the event loop that the handle was made in. What a
    method raises ends the stream as a `ListenerError`.
    """

    def on_next(self, delta: T_contra, /) -> Awaitable[None] | None:
        """A delta has been assembled: it is part of `snapshot()` already."""

    def on_error(self, error: BaseException, /) -> Awaitable[None] | None:
        """The source, the assembler or this listener failed; the last call."""

    def on_complete(self) -> Awaitable[None] | None:
        """The source has ended; the last call."""

    def on_cancel(self) -> Awaitable[None] | None:
        """The stream was cancelled; the last call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Delivery:
    method: str
    arguments: tuple[Any, ...]
    then: Then
    made: Latch = field(default_factory=Latch)


class Deliveries:
    """A queue of calls; the thread that finds it idle makes them.

    An async call is awaited in the event loop the queue was made in, or else in the one it is made
    from; the calls behind it wait.
    """

    def __init__(self, listener: object) -> None:
        self._listener = listener
        self._loop = find_running_loop()
        self._lock = threading.Lock()
        self._queue: deque[_Delivery] = deque()
        self._is_busy = False
        self._awaited: asyncio.Future[Any] | None = None

    def wants(self, method: str) -> bool:
        """True if the listener has this method."""
        return hasattr(self._listener, method)

    def enqueue(self, method: str, *arguments: Any, then: Then) -> Latch:
        """Add a call, made by `deliver`, which belongs outside of every lock."""
        delivery = _Delivery(method=method, arguments=arguments, then=then)
        with self._lock:
            self._queue.append(delivery)
        return delivery.made

    def drop(self) -> None:
        """Forget the calls that have not been made."""
        with self._lock:
            dropped, self._queue = self._queue, deque()
        for delivery in dropped:
            delivery.made.set()

    def deliver(self) -> None:
        """Make all calls that are due, unless some thread, or an outer call, is at it."""
        while (delivery := self._next()) is not None:
            waited_for = self._call(delivery)
            if waited_for is not None and self._await(delivery, waited_for):
                return

    def _next(self) -> _Delivery | None:
        with self._lock:
            if self._is_busy or not self._queue:
                return None
            self._is_busy = True
            return self._queue.popleft()

    def _call(self, delivery: _Delivery) -> Awaitable[Any] | None:
        method = getattr(self._listener, delivery.method, None)
        try:
            returned = None if method is None else method(*delivery.arguments)
        except BaseException as error:  # the listener is the user's code
            self._settle(delivery, error)
            if isinstance(error, Exception):
                return None
            raise
        if inspect.isawaitable(returned):
            return returned
        self._settle(delivery, None)
        return None

    def _await(self, delivery: _Delivery, waited_for: Awaitable[Any]) -> bool:
        """Await in the event loop, and go on from there; False when there is none."""

        def start() -> None:
            self._awaited = asyncio.ensure_future(waited_for)
            self._awaited.add_done_callback(settle)

        def settle(future: "asyncio.Future[Any]") -> None:
            self._settle(delivery, None if future.cancelled() else future.exception())
            self.deliver()

        here = find_running_loop()
        loop = self._loop or here
        try:
            if loop is not None:
                start() if loop is here else loop.call_soon_threadsafe(start)
                return True
        except RuntimeError as error:  # the loop is closed
            self._give_up(delivery, waited_for, error)
        else:
            reason = RuntimeError("an async listener needs an event loop: make the handle in one")
            self._give_up(delivery, waited_for, reason)
        return False

    def _give_up(
        self, delivery: _Delivery, waited_for: Awaitable[Any], error: RuntimeError
    ) -> None:
        if inspect.iscoroutine(waited_for):
            waited_for.close()
        self._settle(delivery, error)

    def _settle(self, delivery: _Delivery, error: BaseException | None) -> None:
        delivery.then(error)
        with self._lock:
            self._is_busy = False
        delivery.made.set()


def find_running_loop() -> asyncio.AbstractEventLoop | None:
    """The event loop of this thread; None if it runs none."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
