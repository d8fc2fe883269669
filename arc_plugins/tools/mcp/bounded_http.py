"""HTTP whose replies have a bound, as they are after decompression."""

from collections.abc import AsyncIterator, Awaitable, Callable

import httpx2

__all__ = ["IDENTITY", "ReplyTooLargeError", "bound_replies"]


class ReplyTooLargeError(httpx2.StreamError):
    """A reply was longer than it may be, or compressed, so that its length cannot be told."""


IDENTITY = {"accept-encoding": "identity"}
"""Headers that ask for replies whose length on the wire is their length."""


def bound_replies(
    max_reply_bytes: int, *, on_too_large: Callable[[], None]
) -> Callable[[httpx2.Response], Awaitable[None]]:
    """A hook for the responses of a client: reading one past its bound raises an error.

    A stream of events that answers no request may last as long as the application: of such a
    stream only the single event is bounded, by the reader.

    Args:
        max_reply_bytes: Of one reply, be it a document or a stream of events.
        on_too_large: Called for a longer one, before its reader is told.

    Returns:
        It makes the reader raise `ReplyTooLargeError`.
    """

    async def bound(response: httpx2.Response) -> None:
        is_compressed = response.headers.get("content-encoding", "identity") != "identity"
        if is_compressed:
            del response.headers["content-encoding"]  # nothing of it is decompressed
        room = None if response.request.method == "GET" else max_reply_bytes
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = _BoundedStream(
            response.stream, room=-1 if is_compressed else room, on_too_large=on_too_large
        )

    return bound


class _BoundedStream(httpx2.AsyncByteStream):
    def __init__(
        self,
        stream: httpx2.AsyncByteStream,
        *,
        room: int | None,
        on_too_large: Callable[[], None],
    ) -> None:
        self._stream, self._room, self._on_too_large = stream, room, on_too_large

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._stream:
            if self._room is not None:
                self._room -= len(chunk)
                if self._room < 0:
                    self._on_too_large()
                    raise ReplyTooLargeError("the reply is longer than llm.max_reply_bytes")
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()
