"""What a listener is told, when, and what happens when it raises."""

import asyncio
import threading
from typing import Any

import pytest

from arc_core.assembly import ListenerError, StreamHandle, StreamListener
from tests.arc_core.assembly.handle.fakes import AsyncRecorder, Joining, Recorder, Source, ends

RECORDERS = [Recorder, AsyncRecorder]
Handle = StreamHandle[str, str]


async def manual(listener: object, *texts: str) -> Handle:
    """A handle that was fed some texts."""
    handle: Handle = StreamHandle.manual(Joining(), listener)
    for text in texts:
        await handle.emit(text)
    return handle


@pytest.mark.parametrize("recorder_type", RECORDERS)
async def test_sync_and_async_listeners_hear_the_same(recorder_type: type[Recorder]) -> None:
    """All deltas in order, then the one last call, before the result is there."""
    recorder = recorder_type()
    handle = StreamHandle.of(Source("abc"), Joining(), recorder)

    await handle.result()

    assert recorder.calls == ["next a", "next b", "next c", "complete"]


async def test_async_calls_keep_their_order_without_being_awaited() -> None:
    """A caller that feeds by hand need not wait: the calls queue up."""
    recorder = AsyncRecorder()
    handle: Handle = StreamHandle.manual(Joining(), recorder)

    for text in "abc":
        handle.emit(text)
    handle.complete()

    assert (handle.snapshot(), handle.is_done) == ("abc", False)
    assert await handle.result() == "abc"
    assert recorder.calls == ["next a", "next b", "next c", "complete"]


async def test_awaiting_an_emit_waits_for_the_listener() -> None:
    """A producer can go at the pace of an async listener."""
    recorder = AsyncRecorder()
    handle: Handle = StreamHandle.manual(Joining(), recorder)

    await handle.emit("a")

    assert recorder.calls == ["next a"]


async def test_a_source_goes_at_the_pace_of_its_listener() -> None:
    """The next delta is drawn when the listener has returned."""
    gate = asyncio.Event()

    class Slow:
        async def on_next(self, delta: str) -> None:
            await gate.wait()

    handle = StreamHandle.of(Source("abc"), Joining(), Slow())
    for _ in range(10):
        await asyncio.sleep(0)
    early = handle.snapshot()
    gate.set()

    assert early == "a"
    assert await handle.result() == "abc"


async def test_every_method_is_optional() -> None:
    """A listener has the methods it needs, and no others."""

    class OnlyNext:
        def __init__(self) -> None:
            self.seen: list[str] = []

        def on_next(self, delta: str) -> None:
            self.seen.append(delta)

    listener = OnlyNext()
    handle = await manual(listener, "a")
    handle.fail(ValueError())

    assert (listener.seen, handle.is_done) == (["a"], True)


@pytest.mark.parametrize("end", ["complete", "cancel", "fail"])
async def test_the_listener_class_does_nothing(end: str) -> None:
    """All methods of `StreamListener` may be left as they are."""
    handle = await manual(StreamListener[str](), "a")

    handle.fail(ValueError()) if end == "fail" else getattr(handle, end)()

    assert handle.is_done
    assert await handle.result() == "a"


async def test_the_delta_is_in_the_result_before_the_listener_is_told() -> None:
    """A listener sees the state that its delta led to."""
    seen: list[str] = []

    class Looking:
        def on_next(self, delta: str) -> None:
            seen.append(handle.snapshot())

    handle: Handle = StreamHandle.manual(Joining(), Looking())
    handle.emit("a")
    handle.emit("b")

    assert seen == ["a", "ab"]


async def test_the_listener_runs_outside_of_any_lock() -> None:
    """While it is told of a delta, other threads may use the handle."""
    snapshots: list[str] = []

    class Asking:
        def on_next(self, delta: str) -> None:
            thread = threading.Thread(target=lambda: snapshots.append(handle.snapshot()))
            thread.start()
            thread.join(timeout=60)

    handle: Handle = StreamHandle.manual(Joining(), Asking())
    handle.emit("a")

    assert snapshots == ["a"]


class Cancelling(Recorder):
    """Cancels its stream at a delta."""

    handle: Handle

    def on_next(self, delta: str) -> None:
        """Cancel at b."""
        super().on_next(delta)
        if delta == "b":
            self.handle.cancel()


class AsyncCancelling(AsyncRecorder):
    """Cancels its stream at a delta, and goes on for a while."""

    handle: Handle

    async def on_next(self, delta: str) -> None:  # type: ignore[override]
        """Cancel at b."""
        await super().on_next(delta)
        if delta == "b":
            self.handle.cancel()
            await asyncio.sleep(0)
            self.calls.append("after cancel")


@pytest.mark.parametrize(
    ("listener", "middle"), [(Cancelling(), []), (AsyncCancelling(), ["after cancel"])]
)
async def test_a_listener_may_cancel_inside_on_next(listener: Any, middle: list[str]) -> None:
    """The delta it cancels at is in the result, its call runs to the end, the next never comes."""
    source = Source("abc")
    listener.handle = StreamHandle.of(source, Joining(), listener)

    result = await listener.handle.result()

    assert (result, ends(listener.handle)) == ("ab", (True, False, True))
    assert listener.calls == ["next a", "next b", *middle, "cancel"]
    assert source.closed == 1


async def test_a_listener_may_cancel_a_manual_stream() -> None:
    """By hand it is the same: the last call comes after the one that cancels."""
    listener = Cancelling()
    listener.handle = StreamHandle.manual(Joining(), listener)

    for text in "ab":
        listener.handle.emit(text)

    assert listener.calls == ["next a", "next b", "cancel"]


@pytest.mark.parametrize("recorder_type", RECORDERS)
async def test_raising_in_on_next_ends_the_stream(recorder_type: type[Recorder]) -> None:
    """It is a failure of the stream; the delta is in the result already."""
    recorder = recorder_type(raises_in="next")
    source = Source("abc")
    handle = StreamHandle.of(source, Joining(), recorder)

    result = await handle.result()

    assert (result, ends(handle)) == ("a", (True, True, False))
    assert isinstance(handle.error, ListenerError)
    assert (handle.error.method, str(handle.error.__cause__)) == (
        "on_next",
        "listener fails in next",
    )
    assert recorder.calls == ["next a", "error"]
    assert source.closed == 1


@pytest.mark.parametrize("recorder_type", RECORDERS)
async def test_raising_in_on_next_by_hand(recorder_type: type[Recorder]) -> None:
    """Deltas that wait behind the failing call are kept, but not told any more."""
    recorder = recorder_type(raises_in="next")
    handle: Handle = StreamHandle.manual(Joining(), recorder)

    first, second = handle.emit("a"), handle.emit("b")
    await first
    await second

    assert await handle.result() in {"a", "ab"}
    assert isinstance(handle.error, ListenerError)
    assert recorder.calls == ["next a", "error"]


@pytest.mark.parametrize("recorder_type", RECORDERS)
async def test_raising_in_on_complete_is_a_failure(recorder_type: type[Recorder]) -> None:
    """The result is full, and the stream has not ended well."""
    recorder = recorder_type(raises_in="complete")
    handle = await manual(recorder, "a")

    await handle.complete()

    assert (await handle.result(), ends(handle)) == ("a", (True, True, False))
    assert isinstance(handle.error, ListenerError)
    assert handle.error.method == "on_complete"
    assert recorder.calls == ["next a", "complete"]


@pytest.mark.parametrize("recorder_type", RECORDERS)
async def test_raising_in_on_cancel_leaves_it_cancelled(recorder_type: type[Recorder]) -> None:
    """Who cancelled gets what he wanted, and can read what went wrong."""
    recorder = recorder_type(raises_in="cancel")
    handle = await manual(recorder, "a")

    await handle.cancel()

    assert (await handle.result(), ends(handle)) == ("a", (True, False, True))
    assert isinstance(handle.error, ListenerError)
    assert handle.error.method == "on_cancel"


@pytest.mark.parametrize("recorder_type", RECORDERS)
async def test_raising_in_on_error_is_attached(recorder_type: type[Recorder]) -> None:
    """The original error stays, with a note and the other failure beside it."""
    recorder = recorder_type(raises_in="error")
    handle = await manual(recorder, "a")
    original = ValueError("original")

    await handle.fail(original)

    assert handle.error is original
    assert [type(failure) for failure in handle.ending_failures] == [ListenerError]
    assert "on_error" in original.__notes__[0]


@pytest.mark.parametrize("recorder_type", RECORDERS)
async def test_raising_in_on_next_after_a_cancel_is_attached(
    recorder_type: type[Recorder], caplog: pytest.LogCaptureFixture
) -> None:
    """A stream that was cancelled meanwhile stays cancelled, and its last call is made."""

    class Both(recorder_type):  # type: ignore[misc, valid-type]
        def on_next(self, delta: str) -> Any:
            handle.cancel()
            return super().on_next(delta)

    recorder = Both(raises_in="next")
    handle: Handle = StreamHandle.manual(Joining(), recorder)

    await handle.emit("a")

    assert await handle.result() == "a"
    assert ends(handle) == (True, False, True)
    assert [type(failure) for failure in handle.ending_failures] == [ListenerError]
    assert recorder.calls == ["next a", "cancel"]
    assert "a failure while a stream was ending" in caplog.text


def test_an_async_listener_needs_a_loop() -> None:
    """Without one, the error says where to make the handle."""
    handle: Handle = StreamHandle.manual(Joining(), AsyncRecorder())

    handle.emit("a")

    assert isinstance(handle.error, ListenerError)
    assert "event loop" in str(handle.error.__cause__)
    assert handle.get() == "a"


def test_an_interrupt_leaves_the_listener() -> None:
    """What is not an ordinary exception, such as Ctrl-C, ends the stream and goes on its way."""

    class Interrupted:
        def on_next(self, delta: str) -> None:
            raise KeyboardInterrupt

    handle: Handle = StreamHandle.manual(Joining(), Interrupted())

    with pytest.raises(KeyboardInterrupt):
        handle.emit("a")

    assert handle.is_error
    assert handle.snapshot() == "a"


async def test_a_listener_may_return_any_awaitable() -> None:
    """A future will do as well as a coroutine."""
    future: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    class Waiting:
        def on_next(self, delta: str) -> asyncio.Future[None]:
            return future

    handle: Handle = StreamHandle.manual(Joining(), Waiting())
    told = handle.emit("a")
    handle.complete()
    early = handle.is_done
    future.set_result(None)
    await told

    assert not early
    assert await handle.result() == "a"
