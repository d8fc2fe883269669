"""Keeps the sessions of HTTP clients in a task of their own, so that any task can close them."""

import asyncio

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.requests import HTTPConnection
from starlette.types import Receive, Scope, Send

from arc_core import Logger, ServedApplication
from arc_core.serving import caller_of
from arc_plugins.surfaces.mcp.offer import make_server

_MAX_SESSIONS = 1_000


class Sessions:
    """An ASGI application that starts with its first request."""

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
