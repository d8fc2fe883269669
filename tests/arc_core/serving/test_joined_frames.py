"""Frames that are ready at once come in one piece."""

import asyncio
from collections.abc import AsyncGenerator

import pytest

from arc_core.serving.joined_frames import JoinedFrames


async def frames(*texts: bytes) -> AsyncGenerator[bytes]:
    """A stream that is ready at once."""
    for text in texts:
        yield text


async def test_what_is_ready_comes_in_one_piece() -> None:
    """Nothing is lost, and the order stays."""
    joined = JoinedFrames(frames(b"a", b"b", b"c"), alive=b"", pause_s=0)

    assert [piece async for piece in joined.read()] == [b"abc"]


async def test_a_silence_is_filled() -> None:
    """A connection without events is kept alive."""
    goes_on = asyncio.Event()

    async def late() -> AsyncGenerator[bytes]:
        await goes_on.wait()
        yield b"late"

    pieces = JoinedFrames(late(), alive=b":", pause_s=0, quiet_s=0.01).read()
    first = await anext(pieces)
    goes_on.set()

    assert (first, [piece async for piece in pieces][-1]) == (b":", b"late")


async def test_a_slow_reader_makes_the_source_wait() -> None:
    """No more than the bound and one frame is held, with what is being sent."""
    taken = 0

    async def endless() -> AsyncGenerator[bytes]:
        nonlocal taken
        while True:
            taken += 1
            yield b"x" * 10

    joined = JoinedFrames(endless(), alive=b"", pause_s=0, max_bytes=100)
    pieces = joined.read()
    await anext(pieces)
    await joined.is_full.wait()

    assert taken <= 11
    await pieces.aclose()


async def test_a_failure_comes_after_what_was_before_it() -> None:
    """The reader gets the frames, then the error."""

    async def failing() -> AsyncGenerator[bytes]:
        yield b"a"
        raise ValueError("broken")

    pieces = JoinedFrames(failing(), alive=b"", pause_s=0).read()

    assert await anext(pieces) == b"a"
    with pytest.raises(ValueError, match="broken"):
        await anext(pieces)


async def test_leaving_closes_the_source() -> None:
    """Also while it waits for its next frame."""
    closed = asyncio.Event()

    async def hanging() -> AsyncGenerator[bytes]:
        try:
            yield b"a"
            await asyncio.Event().wait()
        finally:
            closed.set()

    pieces = JoinedFrames(hanging(), alive=b"", pause_s=0).read()
    await anext(pieces)
    await pieces.aclose()

    assert closed.is_set()
