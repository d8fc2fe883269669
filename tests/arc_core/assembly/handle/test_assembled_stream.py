"""Failures while a stream is ending: in `build`, and in closing the source."""

import pytest

from arc_core.assembly import AssemblyError, StreamHandle
from tests.arc_core.assembly.handle.fakes import BOOM, END, Handle, Joining, Recorder, Source, ends


def unbuildable(end: str, listener: object = None) -> Handle:
    """A handle whose result cannot be built, ended."""
    handle: Handle = StreamHandle.manual(Joining(build_error=ValueError("odd")), listener)
    handle.emit("a")
    END[end](handle)
    return handle


async def test_a_complete_stream_that_cannot_be_built_has_failed() -> None:
    """The listener hears of an error, and asking for the result raises it."""
    recorder = Recorder()

    handle = unbuildable("complete", recorder)

    assert ends(handle) == (True, True, False)
    assert recorder.calls == ["next a", "error"]
    assert isinstance(handle.error, AssemblyError)
    assert isinstance(handle.error.__cause__, ValueError)
    with pytest.raises(AssemblyError):
        await handle.result()


async def test_a_failed_stream_keeps_its_error() -> None:
    """That it cannot be built either is attached; asking for the result raises the original."""
    recorder = Recorder()

    handle = unbuildable("fail", recorder)

    assert handle.error is recorder.error is BOOM
    assert [type(failure) for failure in handle.ending_failures] == [AssemblyError]
    assert any("AssemblyError" in note for note in BOOM.__notes__)
    with pytest.raises(ConnectionError):
        await handle.result()


async def test_a_cancelled_stream_stays_cancelled() -> None:
    """Its error says why there is no result."""
    recorder = Recorder()

    handle = unbuildable("cancel", recorder)

    assert ends(handle) == (True, False, True)
    assert recorder.calls == ["next a", "cancel"]
    with pytest.raises(AssemblyError):
        await handle.result()


@pytest.mark.parametrize("end", END)
def test_threads_get_the_same_error(end: str) -> None:
    """`get` and `snapshot` raise what `result` raises."""
    handle = unbuildable(end)

    with pytest.raises(type(handle.error or OSError())):
        handle.get()
    with pytest.raises(type(handle.error or OSError())):
        handle.snapshot()


def test_a_snapshot_of_what_cannot_be_built_raises() -> None:
    """Before the end, a snapshot raises what the assembler raises."""
    handle: Handle = StreamHandle.manual(Joining(build_error=ValueError("odd")))

    with pytest.raises(ValueError, match="odd"):
        handle.snapshot()


async def test_a_source_that_fails_to_close_has_given_all() -> None:
    """A complete stream stays complete; the failure can be read."""
    failure = OSError("still open")
    handle = StreamHandle.of(Source("ab", close_error=failure), Joining())

    result = await handle.result()

    assert (result, ends(handle)) == ("ab", (True, False, False))
    assert handle.ending_failures == (failure,)


async def test_a_failure_to_close_is_attached_to_the_error() -> None:
    """The error of the source stays the error of the stream."""
    error, failure = ConnectionError("first"), OSError("second")
    handle = StreamHandle.of(Source("a", error=error, close_error=failure), Joining())

    await handle.result()

    assert (handle.error, handle.ending_failures) == (error, (failure,))
    assert "second" in error.__notes__[0]
