"""One answer, streamed: complete or said to be incomplete, and closed whatever happens."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

import pytest

from arc_core import (
    ChatDelta,
    ConfigurationError,
    IncompleteStreamError,
    InvalidResponseError,
    ModelError,
    ModelUnavailableError,
    RateLimitError,
    ToolCallDelta,
)
from arc_core.wire import MAX_STREAMED_CALLS, ServerSentEvent, model_stream


class Source:
    """A response that gives these pieces and then, perhaps, breaks or stalls."""

    def __init__(self, *pieces: bytes, end: Exception | asyncio.Event | None = None) -> None:
        self.headers = {"content-type": "text/html"}
        self.pieces = pieces
        self.end = end
        self.closed = 0
        self.read_to_end = False
        self.stalled = asyncio.Event()

    async def aiter_bytes(self) -> AsyncGenerator[bytes]:
        """The pieces, then the end."""
        for piece in self.pieces:
            yield piece
        if isinstance(self.end, Exception):
            raise self.end
        if self.end is not None:
            self.stalled.set()
            await self.end.wait()
        self.read_to_end = True

    async def aclose(self) -> None:
        """Count."""
        self.closed += 1


class Letters:
    """Each event's data is a text; `.` completes the answer, `!` ends the stream, `?` is odd."""

    def __init__(self) -> None:
        self.is_complete = False
        self.is_ended = False

    def decode(self, event: ServerSentEvent) -> ChatDelta | None:
        """A delta per letter."""
        text = event[1].decode()
        if text == "?":
            raise ValueError(text)
        self.is_complete = self.is_complete or text in ".!"
        self.is_ended = self.is_ended or text == "!"
        return ChatDelta(text) if text.isalpha() else None


def frames(letters: str) -> bytes:
    """An event per letter."""
    return "".join(f"data: {letter}\n\n" for letter in letters).encode()


def stream_of(source: Source | Exception) -> AsyncGenerator[ChatDelta]:
    """The deltas of a source."""

    async def connect() -> Source:
        if isinstance(source, Exception):
            raise source
        return source

    def translate(error: Exception) -> ModelError:
        return ModelUnavailableError(str(error))

    return model_stream(connect=connect, decoder=Letters(), translate=translate)


async def texts_of(source: Source | Exception) -> Sequence[str | None]:
    """All texts."""
    return [delta.text async for delta in stream_of(source)]


async def test_deltas_come_in_order() -> None:
    """Every event that says something becomes a delta."""
    assert await texts_of(Source(frames("ab"), frames("c.!"))) == ["a", "b", "c"]


@pytest.mark.parametrize("letters", ["", "ab"])
async def test_an_end_without_the_vendors_end_is_an_error(letters: str) -> None:
    """No SDK reports it: neither an answer that breaks off nor a page that is not a stream."""
    source = Source(frames(letters))

    with pytest.raises(IncompleteStreamError, match="text/html"):
        await texts_of(source)
    assert source.closed == 1


async def test_an_event_without_its_blank_line_counts() -> None:
    """A vendor may end right after its last event."""
    assert await texts_of(Source(b"data: a\n\ndata: .")) == ["a"]


async def test_an_event_cut_off_in_the_middle_is_incomplete() -> None:
    """What cannot be read at the very end was cut off, not garbled."""
    with pytest.raises(IncompleteStreamError):
        await texts_of(Source(frames("a") + b"data: ?"))


async def test_a_garbled_event_is_translated() -> None:
    """What the decoder cannot read in the middle is the vendor's failure."""
    with pytest.raises(ModelUnavailableError, match=r"\?") as caught:
        await texts_of(Source(frames("a?b.!")))

    assert isinstance(caught.value.__cause__, ValueError)


async def test_a_broken_connection_is_translated() -> None:
    """What had come before the break was handed out."""
    source = Source(frames("ab"), end=OSError("reset"))
    stream = stream_of(source)

    before = [(await anext(stream)).text, (await anext(stream)).text]
    with pytest.raises(ModelUnavailableError, match="reset"):
        await anext(stream)

    assert (before, source.closed) == (["a", "b"], 1)


async def test_a_break_after_the_whole_answer_is_not_a_failure() -> None:
    """Once the answer is whole, the connection has done its duty."""
    assert await texts_of(Source(frames("ab."), end=OSError("reset"))) == ["a", "b"]


async def test_after_the_end_the_body_is_read_to_its_end() -> None:
    """A connection can serve again only once its response has been read."""
    source = Source(frames("a!"), frames("x"))

    assert await texts_of(source) == ["a"]
    assert source.read_to_end


async def test_a_vendor_that_does_not_hang_up_is_not_waited_for() -> None:
    """After the vendor's end, a stall costs a moment and no error."""
    source = Source(frames("a!"), end=asyncio.Event())

    assert await texts_of(source) == ["a"]
    assert source.closed == 1


@pytest.mark.parametrize(
    "error", [RateLimitError("slow down"), ConfigurationError("no key", remedy="set it")]
)
async def test_errors_of_arc_pass_untranslated(error: Exception) -> None:
    """What already says what is wrong is not said again."""
    with pytest.raises(type(error)) as caught:
        await texts_of(error)

    assert caught.value is error


async def test_a_failed_connection_is_translated() -> None:
    """There is nothing to close yet."""
    with pytest.raises(ModelUnavailableError, match="refused"):
        await texts_of(ConnectionRefusedError("refused"))


async def test_leaving_early_closes_the_response() -> None:
    """A reader that stops gives the connection back."""
    source = Source(frames("abc.!"))

    async with aclosing(stream_of(source)) as deltas:
        await anext(deltas)

    assert source.closed == 1


async def test_cancellation_passes_and_closes_the_response() -> None:
    """A cancelled reader is cancelled, not told of a failure."""
    source = Source(frames("a"), end=asyncio.Event())
    stream = stream_of(source)
    await anext(stream)
    stalled = asyncio.create_task(anext(stream))
    await source.stalled.wait()
    stalled.cancel()

    with pytest.raises(asyncio.CancelledError):
        await stalled
    assert source.closed == 1


class Calls(Letters):
    """Each event begins a tool call."""

    count = 0

    def decode(self, event: ServerSentEvent) -> ChatDelta | None:
        """Another call."""
        self.count += 1
        return ChatDelta(tool_calls=(ToolCallDelta(self.count - 1, "id", "count"),))


async def test_a_flood_of_tool_calls_is_refused() -> None:
    """Each would be kept until the end, and hold up the event loop when memory is cleaned up."""
    source = Source(*[frames("a" * 1_000)] * 100)

    async def connect() -> Source:
        return source

    deltas = model_stream(connect=connect, decoder=Calls(), translate=_unexpected)
    for _ in range(MAX_STREAMED_CALLS):
        await anext(deltas)

    with pytest.raises(InvalidResponseError, match="more than 4096 tool calls"):
        await anext(deltas)
    assert source.closed == 1


def _unexpected(error: Exception) -> ModelError:
    raise error
