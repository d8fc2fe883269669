"""A stream that keeps what has arrived, however it ends."""

import asyncio
import inspect
import logging
from collections.abc import AsyncGenerator, AsyncIterable, Awaitable
from typing import Any, Generic, Self, TypeVar, cast

from arc_core.assembly.assembler import Assembler
from arc_core.assembly.handle.assembled_stream import AssembledStream, StreamState
from arc_core.assembly.handle.listener import find_running_loop

T = TypeVar("T")

_tasks: set["asyncio.Task[None]"] = set()
"""Those at work: an event loop itself holds its tasks weakly."""


class SourceTask(Generic[T]):
    """A task that lasts until the stream has ended and the source is closed."""

    def __init__(self, *, source: AsyncIterable[T], stream: AssembledStream[T, Any]) -> None:
        self._source = source
        self._iterator = aiter(source)
        self._stream = stream
        self._is_drawing = False
        self._loop = asyncio.get_running_loop()
        self._task = self._loop.create_task(self._run())
        self._task.add_done_callback(self._leave)
        _tasks.add(self._task)

    def interrupt(self) -> None:
        """Stop waiting for the source, for the stream has ended; from any thread."""
        try:
            self._loop.call_soon_threadsafe(self._interrupt)
        except RuntimeError:  # the loop was closed under the task, which will never go on
            self._stream.finish()

    def _interrupt(self) -> None:
        if self._is_drawing:
            self._task.cancel()

    async def _run(self) -> None:
        try:
            await self._draw()
        except asyncio.CancelledError:
            self._stream.settle(StreamState.CANCELLED)
            raise
        except BaseException as error:  # the source is the user's code
            self._stream.settle(StreamState.FAILED, error)
            if not isinstance(error, Exception):
                raise
        finally:
            self._is_drawing = False
            await self._end()

    async def _draw(self) -> None:
        self._is_drawing = True
        while self._stream.is_open:
            try:
                delta = await anext(self._iterator)
            except StopAsyncIteration:
                self._stream.settle(StreamState.COMPLETED)
                return
            accepted = self._stream.accept(delta)
            if accepted is not None:
                await accepted

    async def _end(self) -> None:
        failure = None
        try:
            await _close(self._iterator)
            if self._source is not self._iterator:
                await _close(self._source)
        except Exception as error:  # noqa: BLE001 -- the source is the user's code
            failure = error
        finally:
            ended = self._stream.finish(failure)
        await ended

    def _leave(self, task: "asyncio.Task[None]") -> None:
        _tasks.discard(task)
        self._stream.settle(StreamState.CANCELLED)  # a task that was cancelled before it began
        self._stream.finish()


async def _close(source: Any) -> None:
    close = getattr(source, "aclose", None) or getattr(source, "close", None)
    if close is None:
        return
    closed = close()
    if inspect.isawaitable(closed):
        await closed


R = TypeVar("R")
D = TypeVar("D")  # D and M are T and R of class methods: pyright does not solve those there
M = TypeVar("M")

_log = logging.getLogger("arc.assembly")


class StreamHandle(Generic[T, R]):
    """Ties a source of deltas, an assembler and a listener together, and loses nothing.

    It ends once, in one of three ways; what comes later is ignored, with a warning in the log.

    ```
    the stream       result() returns      is_error   is_cancelled
    was completed    the full result       no         no
    failed           the partial result    yes        no
    was cancelled    the partial result    no         yes
    ```

    Made by `of` or `manual`; its methods may be called from any thread. `async with` cancels the
    stream when it is left. `async for` sees all deltas, and ends when the stream does, however that
    is. It begins before the first delta, since a delta is forgotten once it is assembled and every
    iteration has seen it; with `keep_deltas` it may begin at any time, as often as wanted.
    """

    def __init__(self, *, stream: AssembledStream[T, R], is_fed: bool = False) -> None:
        self._stream = stream
        self._is_fed = is_fed

    @classmethod
    def of(
        cls,
        source: AsyncIterable[D],
        assembler: Assembler[D, M],
        listener: object = None,
        *,
        keep_deltas: bool = False,
    ) -> "StreamHandle[D, M]":
        """A handle that draws deltas from `source`, at once, in a task of its own.

        Args:
            source: Closed (`aclose` or `close`, if it has one) on every end.
            assembler: A fresh one, such as `ReflectiveAssembler.of(MessageDelta)`.
            listener: A `StreamListener`, or anything with some of its methods. The next delta is
                drawn when it has returned.
            keep_deltas: Whether the deltas are kept beside what is made of them, so that
                `async for` may begin late, or again.

        Raises:
            RuntimeError: There is no running event loop.
            TypeError: `source` is not an async iterable.
        """
        stream = AssembledStream(assembler=assembler, listener=listener, keep_deltas=keep_deltas)
        stream.stop = SourceTask(source=source, stream=stream).interrupt
        return cls._around(stream, is_fed=True)

    @classmethod
    def manual(
        cls, assembler: Assembler[D, M], listener: object = None, *, keep_deltas: bool = False
    ) -> "StreamHandle[D, M]":
        """A handle that is fed by `emit`, `complete` and `fail`; arguments as for `of`."""
        stream = AssembledStream(assembler=assembler, listener=listener, keep_deltas=keep_deltas)
        return cls._around(stream, is_fed=False)

    @classmethod
    def _around(cls, stream: AssembledStream[D, M], *, is_fed: bool) -> "StreamHandle[D, M]":
        handle: StreamHandle[D, M] = cast("Any", cls)(stream=stream, is_fed=is_fed)
        return handle

    def emit(self, delta: T) -> Awaitable[None]:
        """Assemble a delta and tell the listener; for `manual` handles.

        Returns:
            Something that may be awaited, and then waits for an async listener.
        """
        self._check_manual("emit")
        accepted = self._stream.accept(delta)
        if accepted is None:
            self._ignore("emit")
        return accepted or self._stream.ended

    def complete(self) -> Awaitable[None]:
        """End the stream with its full result; for `manual` handles.

        Returns:
            Something that may be awaited, and then waits until everything is over.
        """
        self._check_manual("complete")
        return self._end("complete", StreamState.COMPLETED)

    def fail(self, error: BaseException) -> Awaitable[None]:
        """End the stream as failed; for `manual` handles. Returns what `complete` returns."""
        self._check_manual("fail")
        return self._end("fail", StreamState.FAILED, error)

    def cancel(self) -> Awaitable[None]:
        """End the stream where it is. Returns what `complete` returns."""
        return self._end("cancel", StreamState.CANCELLED)

    @property
    def is_done(self) -> bool:
        """True if everything is over: source closed, result built, listener told."""
        return self._stream.ended.is_set

    @property
    def is_error(self) -> bool:
        """True if the stream failed; `error` says why."""
        return self._stream.state is StreamState.FAILED

    @property
    def is_cancelled(self) -> bool:
        """True if the stream was cancelled."""
        return self._stream.state is StreamState.CANCELLED

    @property
    def error(self) -> BaseException | None:
        """Why the stream failed; also what went wrong while a cancelled one was ending."""
        return self._stream.error

    @property
    def ending_failures(self) -> tuple[BaseException, ...]:
        """The errors while ending, beside `error`, which has a note about each."""
        return self._stream.failures

    def snapshot(self) -> R:
        """The result so far.

        Raises:
            AssemblyError: Nothing has arrived, and the class has fields without defaults.
        """
        return self._stream.build()

    async def result(self, *, timeout_s: float | None = None) -> R:
        """The result: full, or what had arrived when the stream failed or was cancelled.

        Cancelling the task that awaits this leaves the stream alone.

        Args:
            timeout_s: Seconds to wait; None waits to the end.

        Raises:
            TimeoutError: The stream has not ended yet; it goes on, and this may be called again.
            BaseException: There is no result, for building it failed: the stream's `error`.
        """
        async with asyncio.timeout(timeout_s):
            await self._stream.ended
        return self._stream.build()

    def get(self, timeout_s: float | None = None) -> R:
        """`result` for threads: blocks the one it is called from.

        Args:
            timeout_s: Seconds to wait; None waits to the end.

        Raises:
            TimeoutError: As for `result`.
            BaseException: As for `result`.
            RuntimeError: The thread runs an event loop, which would stand still.
        """
        if not self.is_done and find_running_loop() is not None:
            raise RuntimeError("get() would block the event loop of this thread: await result()")
        if not self._stream.ended.wait_in_thread(timeout_s):
            raise TimeoutError(f"the stream has not ended within {timeout_s} s")
        return self._stream.build()

    async def __aiter__(self) -> AsyncGenerator[T]:
        reader = self._stream.open_reader()
        try:
            while True:
                deltas, more = self._stream.read(reader)
                for delta in deltas:
                    yield delta
                if more is not None and not deltas:
                    await more
                elif not deltas:
                    return
        finally:
            self._stream.close_reader(reader)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, exc_type: object, exc: BaseException | None, traceback: object
    ) -> None:
        self._stream.end(StreamState.CANCELLED)
        await self._stream.ended

    def _end(
        self, event: str, state: StreamState, error: BaseException | None = None
    ) -> Awaitable[None]:
        if not self._stream.end(state, error):
            self._ignore(event)
        return self._stream.ended

    def _ignore(self, event: str) -> None:
        _log.warning("%s ignored: the stream has ended as %s", event, self._stream.state.name)

    def _check_manual(self, event: str) -> None:
        if self._is_fed:
            raise RuntimeError(f"{event}() is for StreamHandle.manual: a source feeds this handle")
