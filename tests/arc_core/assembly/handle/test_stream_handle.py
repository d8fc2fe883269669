"""The state table of a stream handle, cell by cell."""

import asyncio
import weakref
from collections.abc import Callable
from typing import Any

import pytest

from arc_core.assembly import AssemblyError, ReflectiveAssembler, StreamHandle
from tests.arc_core.assembly.chat_records import MessageDelta
from tests.arc_core.assembly.handle.fakes import (
    BOOM,
    END,
    Handle,
    Joining,
    Recorder,
    Source,
    ends,
    source_of,
)

EVENTS: dict[str, Callable[[Handle], Any]] = {**END, "emit": lambda handle: handle.emit("d")}
FLAGS = {"complete": (False, False), "fail": (True, False), "cancel": (False, True)}
LAST_CALLS = {"complete": "complete", "fail": "error", "cancel": "cancel"}


async def handle_of(end: str, **kwargs: Any) -> Handle:
    """A handle over `abc` that a source has ended in one of the three ways."""
    source = Source("abc", error=BOOM if end == "fail" else None, waits=end == "cancel")
    handle = StreamHandle.of(source, Joining(), **kwargs)
    if end == "cancel":
        await source.is_waiting.wait()
        handle.cancel()
    await handle.result()
    return handle


def manual(end: str | None = None, **kwargs: Any) -> Handle:
    """A handle that was fed `abc`, and has been ended."""
    handle: Handle = StreamHandle.manual(Joining(), **kwargs)
    for delta in "abc":
        handle.emit(delta)
    if end is not None:
        END[end](handle)
    return handle


@pytest.mark.parametrize("end", END)
async def test_a_source_ends_in_one_of_three_ways(end: str) -> None:
    """All ends keep what has arrived; they differ in their flags and the listener's last call."""
    recorder = Recorder()

    handle = await handle_of(end, listener=recorder)

    assert await handle.result() == "abc"
    assert (handle.is_error, handle.is_cancelled) == FLAGS[end]
    assert handle.error is (BOOM if end == "fail" else None)
    assert recorder.calls == ["next a", "next b", "next c", LAST_CALLS[end]]


@pytest.mark.parametrize("end", END)
async def test_a_manual_stream_ends_in_one_of_three_ways(end: str) -> None:
    """Feeding by hand has the same ends, at once."""
    recorder = Recorder()

    handle = manual(end, listener=recorder)

    assert ends(handle) == (True, *FLAGS[end])
    assert await handle.result() == "abc"
    assert handle.error is (BOOM if end == "fail" else None)
    assert recorder.calls == ["next a", "next b", "next c", LAST_CALLS[end]]


def test_an_open_stream_is_in_no_end() -> None:
    """Before an end, no flag is set and what has arrived can be seen."""
    handle = manual()

    assert ends(handle) == (False, False, False)
    assert (handle.error, handle.snapshot()) == (None, "abc")


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("end", END)
async def test_later_events_are_ignored_with_a_warning(
    end: str, event: str, caplog: pytest.LogCaptureFixture
) -> None:
    """An end is final: neither state, error nor result changes, and the listener hears nothing."""
    recorder = Recorder()
    handle = manual(end, listener=recorder)
    calls = list(recorder.calls)

    EVENTS[event](handle)

    assert ends(handle) == (True, *FLAGS[end])
    assert (await handle.result(), handle.error) == ("abc", BOOM if end == "fail" else None)
    assert recorder.calls == calls
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert event in caplog.text


@pytest.mark.parametrize("end", END)
async def test_cancelling_an_ended_source_is_ignored(
    end: str, caplog: pytest.LogCaptureFixture
) -> None:
    """A source's end is as final as one by hand."""
    handle = await handle_of(end)

    handle.cancel()

    assert ends(handle) == (True, *FLAGS[end])
    assert "cancel ignored" in caplog.text


@pytest.mark.parametrize("end", END)
async def test_the_result_may_be_asked_for_again(end: str) -> None:
    """`result`, `get` and `snapshot` give the same object after an end, every time."""
    handle = manual(end)

    result = await handle.result()

    assert all(
        other is result for other in (await handle.result(), handle.get(), handle.snapshot())
    )


@pytest.mark.parametrize("end", END)
async def test_nothing_is_a_result_too(end: str) -> None:
    """A stream that ends before its first delta gives an empty result."""
    handle: Handle = StreamHandle.manual(Joining())

    END[end](handle)

    assert await handle.result() == ""


async def test_a_snapshot_is_what_has_arrived() -> None:
    """Snapshots grow with the stream and keep what they are."""
    handle = StreamHandle.manual(ReflectiveAssembler.of(MessageDelta))
    handle.emit(MessageDelta(content="He"))
    early = handle.snapshot()

    handle.emit(MessageDelta(content="llo"))

    assert (early.content, handle.snapshot().content) == ("He", "Hello")


async def test_a_timeout_leaves_the_stream_alone() -> None:
    """Waiting too short is an error; waiting again finds the stream as if nothing had been."""
    handle = manual()

    with pytest.raises(TimeoutError):
        await handle.result(timeout_s=0)
    handle.emit("d")
    handle.complete()

    assert await handle.result(timeout_s=0) == "abcd"


async def test_cancelling_who_waits_leaves_the_stream_alone() -> None:
    """The stream belongs to the handle, not to the caller that asks for its result."""
    handle = manual()
    waiting = asyncio.create_task(handle.result())
    await asyncio.sleep(0)

    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    handle.complete()

    assert await handle.result() == "abc"


async def test_everyone_who_waits_gets_the_result() -> None:
    """Any number of tasks may wait."""
    handle = manual()
    async with asyncio.TaskGroup() as group:
        waiting = [group.create_task(handle.result()) for _ in range(3)]
        await asyncio.sleep(0)
        handle.complete()

    assert [task.result() for task in waiting] == ["abc"] * 3


@pytest.mark.parametrize("end", END)
async def test_iterating_sees_all_deltas(end: str) -> None:
    """From the first to the last, also after the stream if they are kept, however it ends."""
    handle = manual(end, keep_deltas=True)

    assert [delta async for delta in handle] == ["a", "b", "c"]
    assert [delta async for delta in handle] == ["a", "b", "c"]


async def test_iterating_follows_the_stream() -> None:
    """Who iterates early gets each delta as it comes."""
    handle = StreamHandle.of(source_of("abc"), Joining())

    seen = [(delta, handle.snapshot()) async for delta in handle]

    assert [delta for delta, _ in seen] == ["a", "b", "c"]
    assert all(delta in snapshot for delta, snapshot in seen)


@pytest.mark.parametrize("end", END)
async def test_who_iterates_sees_the_end(end: str) -> None:
    """An end without a last delta wakes the callers that wait for one."""
    handle = manual(keep_deltas=True)
    async with asyncio.TaskGroup() as group:
        seeing = group.create_task(_all_of(handle))
        await asyncio.sleep(0)
        END[end](handle)

    assert seeing.result() == ["a", "b", "c"]


async def _all_of(handle: Handle) -> list[str]:
    return [delta async for delta in handle]


async def test_deltas_are_not_kept_beside_the_result() -> None:
    """Iterating too late says so, and how to have them."""
    handle = manual("complete")

    with pytest.raises(RuntimeError, match=r"3 deltas .* keep_deltas=True"):
        await anext(aiter(handle))
    assert await handle.result() == "abc"


class Piece:
    """A delta."""


class Counting:
    """Counts deltas, and keeps none."""

    def __init__(self) -> None:
        self._count = 0

    def apply_delta(self, _: Piece, /) -> None:
        """Count one more."""
        self._count += 1

    def build(self) -> int:
        """Return the count."""
        return self._count


async def test_a_delta_is_forgotten_once_all_who_iterate_have_seen_it() -> None:
    """The slowest of them decides; when it leaves, nothing is kept for it."""
    handle: StreamHandle[Piece, int] = StreamHandle.manual(Counting())
    quick, slow = aiter(handle), aiter(handle)
    async with asyncio.TaskGroup() as group:
        for each in (quick, slow):
            group.create_task(each.asend(None))
        await asyncio.sleep(0)
        handle.emit(Piece())
    handle.emit(piece := Piece())
    gone = weakref.ref(piece)
    del piece
    await anext(quick)
    handle.emit(Piece())
    await anext(quick)

    assert gone() is not None
    await slow.aclose()
    assert gone() is None
    assert handle.snapshot() == 3


async def test_leaving_the_context_cancels() -> None:
    """`async with` ends a stream that is not wanted any more, and waits for its end."""
    source = Source("abc", waits=True)

    async with StreamHandle.of(source, Joining()) as handle:
        await source.is_waiting.wait()

    assert ends(handle) == (True, False, True)
    assert (handle.snapshot(), source.closed) == ("abc", 1)


@pytest.mark.parametrize("end", END)
async def test_leaving_the_context_after_an_end_changes_nothing(
    end: str, caplog: pytest.LogCaptureFixture
) -> None:
    """There is nothing to cancel, and nothing to warn of."""
    async with manual(end) as handle:
        pass

    assert ends(handle) == (True, *FLAGS[end])
    assert caplog.records == []


async def test_an_exception_in_the_context_cancels_and_leaves() -> None:
    """What went wrong in the block is raised, after the stream has ended."""
    handle = manual()

    with pytest.raises(KeyError):
        async with handle:
            raise KeyError

    assert ends(handle) == (True, False, True)


async def test_ends_may_be_awaited() -> None:
    """`emit`, `complete` and `cancel` do their work at once, and may be awaited all the same."""
    handle: Handle = StreamHandle.manual(Joining())

    await handle.emit("a")
    await handle.complete()
    await handle.emit("b")
    await handle.cancel()

    assert await handle.result() == "a"


@pytest.mark.parametrize("event", ["emit", "complete", "fail"])
async def test_a_source_alone_feeds_its_handle(event: str) -> None:
    """Two feeders would mix up the deltas: the error says which handle is meant."""
    async with StreamHandle.of(Source(waits=True), Joining()) as handle:
        with pytest.raises(RuntimeError, match=r"StreamHandle\.manual"):
            EVENTS[event](handle)


async def test_an_assembler_that_fails_ends_the_stream() -> None:
    """The delta that does not fit is not told to the listener; what came before is the result."""
    recorder = Recorder()
    handle = StreamHandle.of(Source("abxc"), Joining(bad_delta="x"), recorder)

    result = await handle.result()

    assert (result, handle.is_error) == ("ab", True)
    assert recorder.calls == ["next a", "next b", "error"]
    assert isinstance(handle.error, AssemblyError)
    assert recorder.error is handle.error
    assert isinstance(handle.error.__cause__, ValueError)


async def test_an_assembly_error_is_the_error() -> None:
    """What the assembler says is not wrapped once more."""
    error = AssemblyError(class_name="Call", problem="", remedy="")
    handle = StreamHandle.of(Source("ax"), Joining(bad_delta="x", error=error))

    assert await handle.result() == "a"
    assert handle.error is error
