"""How a server is reached: as a child process, or by streamable HTTP."""

import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import httpx2
from mcp import StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from arc_core.settings import McpServerSettings
from arc_plugins.tools.mcp.watched_stream import WatchedStream

__all__ = ["transport_to"]

_MAX_EVENT_BYTES = 64 * 1024 * 1024
_TIMEOUT = httpx2.Timeout(30, read=300)  # the read waits for the tool, which has its own time-out


@asynccontextmanager
async def transport_to(
    settings: McpServerSettings, *, on_end: Callable[[], None]
) -> AsyncGenerator[Any]:
    """A connection as the SDK's `Client` takes it; a child process ends with it.

    Args:
        settings: What is started, or called. A child process sees `env` and what the SDK deems
            harmless (`PATH`, `HOME` and the like), not the variables of this process.
        on_end: Called when the server has closed the connection.
    """
    async with AsyncExitStack() as stack:
        if settings.url is None:
            streams = stdio_client(_parameters(settings), errlog=sys.__stderr__ or sys.stderr)
        else:
            headers = {name: value.get_secret_value() for name, value in settings.headers.items()}
            client = httpx2.AsyncClient(headers=headers, timeout=_TIMEOUT)
            streams = streamable_http_client(
                settings.url.get_secret_value(),
                http_client=await stack.enter_async_context(client),
                max_sse_event_size=_MAX_EVENT_BYTES,
            )
        read, write = await stack.enter_async_context(streams)
        yield WatchedStream(read, on_end=on_end), write


def _parameters(settings: McpServerSettings) -> StdioServerParameters:
    assert settings.command is not None
    return StdioServerParameters(
        command=settings.command,
        args=list(settings.args),
        env={name: value.get_secret_value() for name, value in settings.env.items()},
        cwd=settings.cwd,
    )
