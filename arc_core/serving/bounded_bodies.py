"""Bounds the bodies of requests for ASGI applications that read them by themselves."""

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arc_core.interfaces.served_application import ServedApplication
from arc_core.serving.bodies import max_size_of, refuse_size
from arc_core.serving.problems import Problem
from arc_core.serving.responses import problem_response

__all__ = ["BoundedBodies"]


class BoundedBodies:
    """Reads a body as far as it may go, and hands it on whole; a larger one is answered with 413.

    Args:
        app: What a library gives to be mounted.
        application: Has the bounds.
    """

    def __init__(self, app: ASGIApp, application: ServedApplication) -> None:
        self._app, self._limit = app, max_size_of(application)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on, of ASGI."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            body = await self._read(Request(scope, receive))
        except Problem as problem:
            await problem_response(problem)(scope, receive, send)
            return
        await self._app(scope, _Replay(body, receive), send)

    async def _read(self, request: Request) -> bytes:
        body = bytearray()
        async for chunk in request.stream():
            body += chunk
            if len(body) > self._limit:
                refuse_size(self._limit)
        return bytes(body)


class _Replay:
    """The body once, then what else the client says: that it has left."""

    def __init__(self, body: bytes, receive: Receive) -> None:
        self._body: bytes | None = body
        self._receive = receive

    async def __call__(self) -> Message:
        if self._body is None:
            return await self._receive()
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}
