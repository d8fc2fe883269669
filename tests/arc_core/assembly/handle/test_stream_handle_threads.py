"""One handle, several threads."""

import asyncio
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from arc_core.assembly import StreamHandle
from tests.arc_core.assembly.handle.fakes import AsyncRecorder, Joining, Recorder, Source, ends

Handle = StreamHandle[str, str]


@pytest.fixture
def many_switches() -> Iterator[None]:
    """Let threads take turns after a few instructions instead of after milliseconds."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


def test_a_thread_waits_for_what_another_feeds() -> None:
    """`get` blocks until the stream has ended."""
    handle: Handle = StreamHandle.manual(Joining())

    def feed() -> None:
        for text in "abc":
            handle.emit(text)
        handle.complete()

    with ThreadPoolExecutor() as pool:
        pool.submit(feed)

        assert handle.get(timeout_s=5) == "abc"


def test_a_thread_waits_no_longer_than_it_says() -> None:
    """A time-out leaves the stream as it is."""
    handle: Handle = StreamHandle.manual(Joining())

    with pytest.raises(TimeoutError, match="0 s"):
        handle.get(timeout_s=0)
    handle.emit("a")
    handle.complete()

    assert handle.get(timeout_s=0) == "a"


async def test_a_thread_gets_what_a_loop_draws() -> None:
    """The thread blocks, the loop goes on."""
    handle = StreamHandle.of(Source("abc"), Joining())

    assert await asyncio.to_thread(handle.get, 5) == "abc"


async def test_a_loop_is_not_blocked() -> None:
    """In the loop's own thread, `get` refuses to wait, and says what to write."""
    async with StreamHandle.of(Source(waits=True), Joining()) as handle:
        with pytest.raises(RuntimeError, match=r"await result\(\)"):
            handle.get()


async def test_what_has_ended_blocks_no_caller() -> None:
    """After the end, `get` is allowed everywhere."""
    handle = StreamHandle.of(Source("a"), Joining())
    await handle.result()

    assert handle.get() == "a"


async def test_a_thread_may_cancel() -> None:
    """A source that the loop waits for is left."""
    source = Source("ab", waits=True)
    handle = StreamHandle.of(source, Joining())
    await source.is_waiting.wait()

    await asyncio.to_thread(handle.cancel)

    assert (await handle.result(), source.closed) == ("ab", 1)


async def test_a_thread_may_feed_an_async_listener() -> None:
    """Its methods run in the loop that the handle was made in."""
    threads: set[int] = set()

    class Listening(AsyncRecorder):
        async def on_next(self, delta: str) -> None:  # type: ignore[override]
            await super().on_next(delta)
            threads.add(threading.get_ident())

    recorder = Listening()
    handle: Handle = StreamHandle.manual(Joining(), recorder)

    def feed() -> None:
        for text in "abc":
            handle.emit(text)
        handle.complete()

    await asyncio.to_thread(feed)
    await handle.result()

    assert recorder.calls == ["next a", "next b", "next c", "complete"]
    assert threads == {threading.get_ident()}


def test_a_listener_whose_loop_is_closed_is_an_error() -> None:
    """There is nowhere left to run it: the stream fails, and keeps what has arrived."""

    async def main() -> Handle:
        return StreamHandle.manual(Joining(), AsyncRecorder())

    with asyncio.Runner() as runner:
        handle = runner.run(main())
    handle.emit("a")

    assert (handle.get(), handle.is_error) == ("a", True)


async def test_a_thread_may_feed_who_iterates() -> None:
    """Each delta wakes the loop."""
    handle: Handle = StreamHandle.manual(Joining())

    def feed() -> None:
        for text in "abc" * 100:
            handle.emit(text)
        handle.complete()

    async with asyncio.TaskGroup() as group:
        group.create_task(asyncio.to_thread(feed))
        seen = [delta async for delta in handle]

    assert "".join(seen) == "abc" * 100


@pytest.mark.usefixtures("many_switches")
def test_threads_may_feed_together() -> None:
    """No delta is lost, and the listener is told of each, one at a time, in the result's order."""
    recorder = Recorder()
    handle: Handle = StreamHandle.manual(Joining(), recorder)

    def feed(letter: str) -> None:
        for _ in range(200):
            handle.emit(letter)

    with ThreadPoolExecutor() as pool:
        list(pool.map(feed, "abcd"))
    handle.complete()

    assert recorder.calls[:-1] == [f"next {text}" for text in handle.get()]
    assert sorted(handle.get()) == sorted("abcd" * 200)


def race(handles: list[Handle], *events: Callable[[Handle], object]) -> None:
    """Let each event happen to each handle, each in a thread of its own."""
    meeting = threading.Barrier(len(events))

    def run(event: Callable[[Handle], object]) -> None:
        for number, handle in enumerate(handles):
            if number % 10 == 0:
                meeting.wait()
            event(handle)

    with ThreadPoolExecutor(len(events)) as pool:
        list(pool.map(run, events))


@pytest.mark.usefixtures("many_switches")
def test_cancelling_may_race_completing() -> None:
    """A thousand times, from two threads at once: one end, one last call, nothing lost."""
    recorders = [Recorder() for _ in range(1_000)]
    handles: list[Handle] = [StreamHandle.manual(Joining(), each) for each in recorders]
    for handle in handles:
        handle.emit("a")

    race(handles, StreamHandle.complete, StreamHandle.cancel)

    for handle, recorder in zip(handles, recorders, strict=True):
        assert (handle.get(timeout_s=0), handle.is_error) == ("a", False)
        last = "cancel" if handle.is_cancelled else "complete"
        assert recorder.calls == ["next a", last]


@pytest.mark.usefixtures("many_switches")
def test_failing_may_race_cancelling() -> None:
    """The error belongs to the stream only if it came first."""
    handles: list[Handle] = [StreamHandle.manual(Joining()) for _ in range(500)]

    race(handles, lambda handle: handle.fail(OSError("gone")), StreamHandle.cancel)

    assert all(handle.is_error != handle.is_cancelled for handle in handles)
    assert all((handle.error is not None) == handle.is_error for handle in handles)


@pytest.mark.usefixtures("many_switches")
def test_a_delta_may_race_the_end() -> None:
    """It is either in the result and told before the last call, or it is ignored."""
    recorders = [Recorder() for _ in range(500)]
    handles: list[Handle] = [StreamHandle.manual(Joining(), each) for each in recorders]

    race(handles, lambda handle: handle.emit("a"), StreamHandle.complete)

    for handle, recorder in zip(handles, recorders, strict=True):
        told = [f"next {text}" for text in handle.get(timeout_s=0)]
        assert recorder.calls == [*told, "complete"]


def test_a_cancel_during_the_end_is_too_late() -> None:
    """While one thread builds the result of a completed stream, another cannot cancel it."""
    building, go_on = threading.Event(), threading.Event()

    class Slow(Joining):
        def build(self) -> str:
            building.set()
            go_on.wait(timeout=60)
            return super().build()

    recorder = Recorder()
    handle: Handle = StreamHandle.manual(Slow(), recorder)
    with ThreadPoolExecutor(2) as pool:
        completing = pool.submit(handle.complete)
        building.wait(timeout=60)
        cancelling = pool.submit(handle.cancel)
        go_on.set()
        completing.result()
        cancelling.result()

    assert ends(handle) == (True, False, False)
    assert recorder.calls == ["complete"]


@pytest.mark.usefixtures("many_switches")
async def test_cancelling_may_race_a_sources_end() -> None:
    """From a thread, while the loop draws: one end, one last call, the source closed once."""
    for _ in range(200):
        recorder, source = Recorder(), Source("a")
        handle = StreamHandle.of(source, Joining(), recorder)

        async with asyncio.TaskGroup() as group:
            group.create_task(asyncio.to_thread(handle.cancel))
            await handle.result()

        last = "cancel" if handle.is_cancelled else "complete"
        assert recorder.calls[-1] == last
        assert source.closed == 1
