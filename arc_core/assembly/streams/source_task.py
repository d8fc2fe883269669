"""Draws deltas from an async iterable, in a task of its own, and closes it whatever happens."""

import asyncio
import inspect
from collections.abc import AsyncIterable, Awaitable
from typing import Any, Generic, Protocol, TypeVar

from arc_core.assembly.streams.state import StreamState

__all__ = ["SourceTask", "Stream"]

T = TypeVar("T")
T_contra = TypeVar("T_contra", contravariant=True)

_tasks: set["asyncio.Task[None]"] = set()
"""Those at work: an event loop itself holds its tasks weakly."""


class Stream(Protocol[T_contra]):
    """What the deltas are drawn for."""

    @property
    def is_open(self) -> bool:
        """Whether it takes deltas."""
        ...

    def accept(self, delta: T_contra) -> Awaitable[None] | None:
        """Take a delta; the result waits for the listener, None says that the stream has ended."""
        ...

    def settle(self, state: StreamState, error: BaseException | None = None) -> bool:
        """End it this way; False when it has ended another way."""
        ...

    def finish(self, failure: BaseException | None = None) -> Awaitable[None]:
        """The source is closed, or closing it failed; the result waits until all is over."""
        ...


class SourceTask(Generic[T]):
    """A task that lasts until the stream has ended and the source is closed."""

    def __init__(self, *, source: AsyncIterable[T], stream: Stream[T]) -> None:
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
