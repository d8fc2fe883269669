"""Drawing from a source, and closing it on every end."""

import asyncio
import contextlib
import gc
import weakref
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from arc_core.assembly import AssemblyError, StreamHandle
from tests.arc_core.assembly.handle.fakes import (
    AsyncRecorder,
    Joining,
    Recorder,
    Source,
    ends,
    source_of,
)

ENDS: dict[str, Callable[[], tuple[Source, Joining, object]]] = {
    "complete": lambda: (Source("ab"), Joining(), None),
    "source fails": lambda: (Source("ab", error=OSError()), Joining(), None),
    "assembler fails": lambda: (Source("axb", waits=True), Joining(bad_delta="x"), None),
    "listener fails": lambda: (Source("ab", waits=True), Joining(), Recorder(raises_in="next")),
    "async listener fails": lambda: (
        Source("ab", waits=True),
        Joining(),
        AsyncRecorder(raises_in="next"),
    ),
    "last call fails": lambda: (Source("ab"), Joining(), Recorder(raises_in="complete")),
    "build fails": lambda: (Source("ab"), Joining(build_error=OSError()), None),
}


@pytest.mark.parametrize("end", ENDS)
async def test_the_source_is_closed_on_every_end(end: str) -> None:
    """However a stream ends by itself, its source is closed once, before the result is there."""
    source, assembler, listener = ENDS[end]()
    handle = StreamHandle.of(source, assembler, listener)

    with contextlib.suppress(AssemblyError):  # there is no result when the build fails
        await handle.result()

    assert source.closed == 1


async def test_the_source_is_closed_when_it_is_cancelled() -> None:
    """A source that is waited for is left at once."""
    source = Source("ab", waits=True)
    handle = StreamHandle.of(source, Joining())
    await source.is_waiting.wait()

    handle.cancel()

    assert await handle.result() == "ab"
    assert source.closed == 1


async def test_a_stream_may_be_cancelled_before_it_begins() -> None:
    """Nothing is drawn, and the source is closed."""
    recorder, source = Recorder(), Source("ab")
    handle = StreamHandle.of(source, Joining(), recorder)

    handle.cancel()

    assert handle.is_cancelled
    assert await handle.result() == ""
    assert (recorder.calls, source.closed) == (["cancel"], 1)


async def test_a_generator_is_closed() -> None:
    """Its `finally` runs, in the task that ran its body."""
    tasks: list[object] = []

    async def generator() -> AsyncIterator[str]:
        tasks.append(asyncio.current_task())
        try:
            yield "a"
            await asyncio.Event().wait()
        finally:
            tasks.append(asyncio.current_task())

    async with StreamHandle.of(generator(), Joining()) as handle:
        async for _ in handle:
            break

    assert len(tasks) == 2
    assert tasks[0] is tasks[1]


class Wrapping:
    """An iterable that is not its own iterator, with a plain `close`, as some SDKs have."""

    def __init__(self) -> None:
        self.closed: list[str] = []

    async def __aiter__(self) -> AsyncIterator[str]:
        try:
            async for text in source_of("ab"):
                yield text
            await asyncio.Event().wait()
        finally:
            self.closed.append("iterator")

    def close(self) -> None:
        """Close what the iterator reads from."""
        self.closed.append("source")


async def test_iterator_and_source_are_closed() -> None:
    """The iterator first, for it reads from the source."""
    source = Wrapping()

    async with StreamHandle.of(source, Joining()) as handle:
        async for delta in handle:
            if delta == "b":
                break

    assert source.closed == ["iterator", "source"]


async def test_a_source_that_swallows_cancellation_is_left_all_the_same() -> None:
    """What it still gives is ignored: the stream has ended."""

    async def stubborn() -> AsyncIterator[str]:
        yield "a"
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:  # a source that breaks the rules
            yield "late"
            raise

    async with StreamHandle.of(stubborn(), Joining()) as handle:
        async for _ in handle:
            break

    assert (handle.snapshot(), ends(handle)) == ("a", (True, False, True))


async def test_a_cancellation_inside_the_source_cancels() -> None:
    """A source whose own work was cancelled ends its stream like a caller would."""
    handle = StreamHandle.of(Source("a", error=asyncio.CancelledError()), Joining())

    assert await handle.result() == "a"
    assert ends(handle) == (True, False, True)


async def test_the_source_needs_no_close() -> None:
    """An iterable without `aclose` or `close` is drawn from like any other."""

    class Bare:
        def __init__(self) -> None:
            self._texts = ["b", "a"]

        def __aiter__(self) -> "Bare":
            return self

        async def __anext__(self) -> str:
            if not self._texts:
                raise StopAsyncIteration
            return self._texts.pop()

    assert await StreamHandle.of(Bare(), Joining()).result() == "ab"


def test_a_source_needs_a_loop() -> None:
    """Drawing happens in a task."""
    with pytest.raises(RuntimeError, match="event loop"):
        StreamHandle.of(Source("a"), Joining())


async def test_a_source_is_an_async_iterable() -> None:
    """A list is refused where it is passed."""
    source: Any = ["a"]

    with pytest.raises(TypeError):
        StreamHandle.of(source, Joining())


@pytest.mark.parametrize("listener_type", [Recorder, AsyncRecorder])
def test_the_end_of_the_loop_cancels(listener_type: type[Recorder]) -> None:
    """A program that leaves its loop keeps what has arrived, and the listener is told."""
    recorder = listener_type()

    async def main() -> tuple[StreamHandle[str, str], Source]:
        source = Source("ab", waits=True)
        handle = StreamHandle.of(source, Joining(), recorder)
        await source.is_waiting.wait()
        return handle, source

    with asyncio.Runner() as runner:
        handle, source = runner.run(main())

    assert (handle.get(), ends(handle)) == ("ab", (True, False, True))
    assert (recorder.calls[-1], source.closed) == ("cancel", 1)


async def test_a_task_that_never_ran_has_ended() -> None:
    """A loop that cancels its tasks before they begin leaves no handle open."""
    handle = StreamHandle.of(Source("ab"), Joining())

    for task in asyncio.all_tasks() - {asyncio.current_task()}:
        task.cancel()

    assert await handle.result() == ""
    assert ends(handle) == (True, False, True)


def test_a_loop_that_was_closed_too_early_blocks_no_caller() -> None:
    """Without the loop the source cannot be closed; what has arrived can be had all the same."""

    async def main() -> StreamHandle[str, str]:
        source = Source("ab", waits=True)
        handle = StreamHandle.of(source, Joining())
        await source.is_waiting.wait()
        return handle

    loop = asyncio.new_event_loop()
    handle = loop.run_until_complete(main())
    loop.close()
    handle.cancel()

    assert (handle.get(timeout_s=0), ends(handle)) == ("ab", (True, False, True))


async def test_a_handle_without_references_goes_on() -> None:
    """The task stays alive, though an event loop itself holds its tasks weakly."""
    events: list[weakref.ref[asyncio.Event]] = []

    async def waiting() -> AsyncIterator[str]:
        event = asyncio.Event()
        events.append(weakref.ref(event))
        await event.wait()
        yield "a"

    StreamHandle.of(waiting(), Joining())
    await asyncio.sleep(0)
    gc.collect()
    event = events[0]()

    assert event is not None
    event.set()
