"""Connections to a server: as a child process, or by streamable HTTP."""

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import anyio
import httpx2
from anyio.abc import ObjectReceiveStream
from mcp.client._transport import ReadStream
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCResponse, jsonrpc_message_adapter

from arc_core.wire import redact_addresses
from arc_plugins.tools.mcp.authorization import Challenge, read_challenge
from arc_plugins.tools.mcp.calls.task_messages import make_task_readable
from arc_plugins.tools.mcp.listing import make_readable
from arc_plugins.tools.mcp.settings import McpServerSettings
from arc_plugins.tools.mcp.stdio import ServerOutput, connect_to_child, mask_tokens


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


def tell_challenges(
    on_challenge: Callable[[Challenge], None],
) -> Callable[[httpx2.Response], Awaitable[None]]:
    """A hook for the responses of a client, which tells that a server wants a login."""

    async def tell(response: httpx2.Response) -> None:
        challenge = read_challenge(response)
        if challenge is not None:
            on_challenge(challenge)

    return tell


class _BoundedStream(httpx2.AsyncByteStream):
    def __init__(
        self, stream: httpx2.AsyncByteStream, *, room: int | None, on_too_large: Callable[[], None]
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


Item = SessionMessage | Exception


class WatchedStream(ObjectReceiveStream[Item]):
    """Reads from another stream; a server cannot say the tokens that it was given."""

    def __init__(
        self, stream: ReadStream[Item], *, on_end: Callable[[], None], tokens: Sequence[str] = ()
    ) -> None:
        self._stream, self._on_end, self._tokens = stream, on_end, tokens

    @property
    def last_context(self) -> Any:
        """The context in which the last item was sent, which the SDK asks for."""
        return getattr(self._stream, "last_context", None)

    async def receive(self) -> Item:
        """The next item."""
        try:
            item = await self._stream.receive()
        except (anyio.EndOfStream, anyio.ClosedResourceError, anyio.BrokenResourceError):
            self._on_end()
            raise
        if self._tokens and isinstance(item, SessionMessage):
            sent = item.message.model_dump(by_alias=True, mode="json", exclude_unset=True)
            item.message = jsonrpc_message_adapter.validate_python(mask_tokens(sent, self._tokens))
        if isinstance(item, SessionMessage) and isinstance(item.message, JSONRPCResponse):
            item.message.result = make_readable(make_task_readable(item.message.result))
        return item

    async def aclose(self) -> None:
        """Close the stream."""
        await self._stream.aclose()


_TIMEOUT = httpx2.Timeout(30, read=300)  # the read waits for the tool, which has its own time-out


@asynccontextmanager
async def transport_to(
    settings: McpServerSettings,
    *,
    max_reply_bytes: int,
    output: ServerOutput,
    on_end: Callable[[], None],
    on_too_large: Callable[[], None],
    on_challenge: Callable[[Challenge], None],
    tokens: Sequence[str] = (),
) -> AsyncGenerator[Any]:
    """A connection as the SDK's `Client` takes it; a child process ends with it.

    `max_reply_bytes` bounds one message of a child process, or one reply by HTTP; a longer one ends
    the connection it came by. `on_end` is called when the server has closed the connection, and
    `on_challenge` when it wants a login. What it sends has `tokens` masked.
    """
    async with AsyncExitStack() as stack:
        if settings.url is None:
            streams = connect_to_child(
                settings, max_line_bytes=max_reply_bytes, output=output, on_too_large=on_too_large
            )
        else:
            headers = {name: value.get_secret_value() for name, value in settings.headers.items()}
            client = httpx2.AsyncClient(
                headers={**headers, **IDENTITY},
                timeout=_TIMEOUT,
                max_redirects=0,  # the SDK would follow those that stay on the host
                event_hooks={
                    "response": [
                        bound_replies(max_reply_bytes, on_too_large=on_too_large),
                        tell_challenges(on_challenge),
                    ]
                },
            )
            redact_addresses()
            streams = streamable_http_client(
                settings.url.get_secret_value(),
                http_client=await stack.enter_async_context(client),
                max_sse_event_size=max_reply_bytes,
            )
        read, write = await stack.enter_async_context(streams)
        yield WatchedStream(read, on_end=on_end, tokens=tokens), write
