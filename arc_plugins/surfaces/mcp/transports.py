"""MCP over HTTP, and over standard input and output."""

import asyncio
import os
import threading
from collections.abc import AsyncIterator
from typing import Any, cast

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.requests import HTTPConnection
from starlette.types import Receive, Scope, Send

from arc_core import Logger, ServedApplication
from arc_core.serving import caller_of
from arc_plugins.surfaces.mcp.offer import make_server

_MAX_SESSIONS = 1_000


class Sessions:
    """An ASGI application that starts with its first request.

    The sessions of clients live in a task of their own, so that any task can close them.
    """

    def __init__(self, application: ServedApplication, *, logger: Logger, idle_s: float) -> None:
        self._manager = StreamableHTTPSessionManager(
            make_server(application, logger=logger),
            session_idle_timeout=idle_s,
            max_sessions=_MAX_SESSIONS,
            max_request_body_size=application.max_body_bytes,
        )
        self._task: asyncio.Task[None] | None = None
        self._ready, self._ending = asyncio.Event(), asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve, of ASGI; a session belongs to the key that has begun it."""
        if self._task is None:
            self._task = asyncio.create_task(self._live(), name="arc-mcp-sessions")
        await self._ready.wait()
        token = AccessToken(token="", client_id=caller_of(HTTPConnection(scope)).name, scopes=[])
        scope["user"] = AuthenticatedUser(token)
        await self._manager.handle_request(scope, receive, send)

    async def aclose(self) -> None:
        """Cancel what goes on, and wait for it."""
        self._ending.set()
        if self._task is not None:
            await asyncio.wait((self._task,))

    async def _live(self) -> None:
        async with self._manager.run():
            self._ready.set()
            await self._ending.wait()


async def serve_stdio(application: ServedApplication, *, logger: Logger) -> None:
    """Serve the program that has started this one, until it closes standard input."""
    server = make_server(application, logger=logger)
    lines = cast("Any", _read_lines(max_bytes=application.max_body_bytes))
    async with stdio_server(stdin=lines) as (read, write):
        await server.run(read, write, server.create_initialization_options())


async def _read_lines(*, max_bytes: int) -> AsyncIterator[str]:
    """Each line; the end of the input, or a line that is too long, is the end.

    A thread reads, which does not outlive the process: one of a pool would keep a process that is
    told to end from ending. Programs that are started meanwhile read nothing.
    """
    loop, lines = asyncio.get_running_loop(), asyncio.Queue[bytes](maxsize=1)
    taken = threading.Semaphore(1)
    wire = os.fdopen(os.dup(0), "rb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)

    def read() -> None:
        line = b"\n"
        while line.endswith(b"\n") and taken.acquire():
            line = wire.readline(max_bytes)
            try:
                loop.call_soon_threadsafe(lines.put_nowait, line)
            except RuntimeError:  # the loop is closed
                return

    threading.Thread(target=read, name="arc-stdin", daemon=True).start()
    while (line := await lines.get()).endswith(b"\n"):
        yield line.decode("utf-8", "replace")
        taken.release()
