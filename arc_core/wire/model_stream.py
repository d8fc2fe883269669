"""From an open response to the deltas of a chat model, the same for every vendor."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import replace
from typing import Any, Protocol

from arc_core.errors import ArcError, IncompleteStreamError, InvalidResponseError, ModelError
from arc_core.interfaces.models.chat_model import ChatDelta
from arc_core.interfaces.models.host import FrameDecoder
from arc_core.wire.sse import EventStreamDecoder, ServerSentEvent

_DRAIN_S = 0.1
MAX_STREAMED_CALLS = 4_096
"""Far above what an honest vendor asks for in one answer, far below what the loop would feel."""


class StreamSource(Protocol):
    """A response whose body has not been read; `httpx2.Response` is one."""

    @property
    def headers(self) -> Mapping[str, str]:
        """Told apart without regard to case."""
        ...

    def aiter_bytes(self) -> AsyncGenerator[bytes]:
        """The body, decompressed, as it comes."""
        ...

    async def aclose(self) -> None:
        """Give the connection back, or close it if the body was not read to its end."""
        ...


class StreamDecoder(Protocol):
    """Turns one vendor's events into deltas; serves one stream.

    Attributes:
        is_complete: The answer is whole: its finish reason or its terminator was seen.
        is_ended: The vendor said that nothing follows.
    """

    is_complete: bool
    is_ended: bool

    def decode(self, event: ServerSentEvent) -> ChatDelta | None:
        """Return the delta that an event adds to the answer; None for nothing.

        Raises:
            ModelError: The event says that the vendor failed.
            Exception: The event has not the form it should have.
        """


def unless_empty(delta: ChatDelta) -> ChatDelta | None:
    """A delta; None if it adds nothing."""
    return None if delta == ChatDelta() else delta


def _open_no_frames(_content_type: str) -> FrameDecoder | None:
    return None


async def _no_rest() -> StreamSource | None:
    return None


async def model_stream(
    *,
    connect: Callable[[], Awaitable[StreamSource]],
    decoder: StreamDecoder,
    translate: Callable[[Exception], ModelError],
    mark: Callable[[Any], Any] = lambda content: content,
    resume: Callable[[], Awaitable[StreamSource | None]] = _no_rest,
    open_frames: Callable[[str], FrameDecoder | None] = _open_no_frames,
) -> AsyncGenerator[ChatDelta]:
    """The deltas of one answer, as they come.

    The response is closed whenever the iteration ends, is left or is cancelled.

    Args:
        connect: Sends the request.
        decoder: A new one.
        translate: Finds the counterpart of an exception, a decoder's and a transport's too.
        mark: Adds to the vendor's own content which server has sent it.
        resume: Asks for the rest of an answer that the vendor has paused, and gives None if there
            is none.
        open_frames: Gives a decoder for a content type; None for server-sent events.

    Raises:
        ModelError: The vendor failed, or its end is missing (`IncompleteStreamError`). A
            connection that breaks once the answer is whole is not a failure.
    """
    content_type = "no content type"
    try:
        source: StreamSource | None = await connect()
        while source is not None:
            content_type = source.headers.get("content-type", content_type)
            async with aclosing(source), aclosing(source.aiter_bytes()) as pieces:
                events = open_frames(source.headers.get("content-type", "")) or EventStreamDecoder()
                async for piece in pieces:
                    for event in events.feed(piece):
                        delta = decoder.decode(event)
                        if delta is not None:
                            if delta.tool_calls:
                                _check_calls(delta)
                            yield delta if delta.vendor_content is None else _mark(delta, mark)
                    if decoder.is_ended:
                        await _drain(pieces)
            for delta in _decode_rest(events, decoder):
                yield delta if delta.vendor_content is None else _mark(delta, mark)
            source = await resume()
    except Exception as error:  # noqa: BLE001 -- what a vendor's bytes do to us is its failure
        _raise_counterpart(error, decoder, translate)
    if not decoder.is_complete:
        raise IncompleteStreamError(
            f"the response ({content_type}) ended before the answer was complete"
        )


def _check_calls(delta: ChatDelta) -> None:
    """Refuse an answer with very many tool calls, since each takes memory until its end."""
    if (
        len(delta.tool_calls) > MAX_STREAMED_CALLS
        or delta.tool_calls[-1].index >= MAX_STREAMED_CALLS
    ):
        raise InvalidResponseError(
            f"the server asked for more than {MAX_STREAMED_CALLS} tool calls in one answer"
        )


def _raise_counterpart(
    error: Exception, decoder: StreamDecoder, translate: Callable[[Exception], ModelError]
) -> None:
    if isinstance(error, ArcError):
        raise error
    if not decoder.is_complete:
        raise translate(error) from error


def _mark(delta: ChatDelta, mark: Callable[[Any], Any]) -> ChatDelta:
    return replace(delta, vendor_content=mark(delta.vendor_content))


async def _drain(pieces: AsyncGenerator[bytes]) -> None:
    """Read what follows the last event, so that the connection can serve again."""
    try:
        async with asyncio.timeout(_DRAIN_S):
            async for _ in pieces:
                pass
    except TimeoutError:
        return


def _decode_rest(events: FrameDecoder, decoder: StreamDecoder) -> list[ChatDelta]:
    try:
        deltas = [decoder.decode(event) for event in events.close()]
    except ValueError:  # cut off in the middle of an event
        return []
    return [delta for delta in deltas if delta is not None]
