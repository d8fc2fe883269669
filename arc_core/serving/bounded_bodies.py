"""Receives bodies for ASGI applications that read them by themselves."""

from collections.abc import Collection

from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arc_core.serving.bodies import receive_body
from arc_core.serving.body_intake import get_intake
from arc_core.serving.problems import Problem
from arc_core.serving.responses import problem_response

__all__ = ["BoundedBodies"]


class BoundedBodies:
    """Receives a body of JSON, and hands it on whole, so that one that is refused begins nothing.

    Args:
        app: What a library gives to be mounted.
        attached_in: The names of the fields that have what is attached.
        max_items: How many values a body may have, if fewer than `server.max_body_items`.
    """

    def __init__(
        self, app: ASGIApp, *, attached_in: Collection[str] = (), max_items: int | None = None
    ) -> None:
        self._app, self._attached_in, self._max_items = app, attached_in, max_items

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on, of ASGI."""
        if scope["type"] != "http" or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        if self._max_items is not None:
            get_intake(scope).allow_items(self._max_items)
        try:
            body = await receive_body(Request(scope, receive), attached_in=self._attached_in)
        except Problem as problem:
            await problem_response(problem)(scope, receive, send)
        except ClientDisconnect:  # it has left, or was answered that the body is too large
            return
        else:
            await self._app(scope, _Replay(body, receive), send)


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
