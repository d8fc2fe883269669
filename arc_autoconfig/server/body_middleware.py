"""Bounds the size of bodies and the time they take, on every route and for every reader."""

import asyncio

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arc_core.serving.problems import Problem
from arc_core.serving.requests import BODY, BodyIntake, BodyLimits
from arc_core.serving.responses import problem_response

SLOWEST_BYTES_PER_S = 32_768
"""A body that comes as fast as this may take longer than the time that there is for any."""

_GONE: Message = {"type": "http.disconnect"}


class BodyMiddleware:
    """Bounds how much the body of a request may have, and how long its sender may take."""

    def __init__(self, app: ASGIApp, *, limits: BodyLimits, timeout_s: float) -> None:
        self._app, self._limits, self._timeout_s = app, limits, timeout_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on, of ASGI."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        intake = BodyIntake(self._limits, headers=Headers(scope=scope))
        exchange = _Exchange(scope, receive, send, intake=intake, timeout_s=self._timeout_s)
        await self._app({**scope, BODY: intake}, exchange.receive, exchange.send)


class _Exchange:
    """A request whose body may be refused: then it is answered here, and its client is gone.

    That holds for readers of every kind: an exception would be an answer of theirs.
    """

    def __init__(
        self, scope: Scope, receive: Receive, send: Send, *, intake: BodyIntake, timeout_s: float
    ) -> None:
        self._scope, self._receive, self._send = scope, receive, send
        self._intake, self._timeout_s, self._waited_s = intake, timeout_s, 0.0
        self._is_answered = self._is_refused = self._is_whole = False

    async def receive(self) -> Message:
        if self._is_refused:
            return _GONE
        if self._is_whole:
            return await self._receive()
        try:
            self._intake.check_size()
            message = await self._receive_in_time()
            if message["type"] == "http.request":
                self._intake.take(message.get("body", b""))
                self._is_whole = not message.get("more_body", False)
            return message
        except Problem as problem:
            self._is_refused = True
            if not self._is_answered:
                await problem_response(problem)(self._scope, self._receive, self._send)
            return _GONE

    async def send(self, message: Message) -> None:
        """Send, of ASGI, unless the request was refused."""
        if not self._is_refused:
            self._is_answered = True
            await self._send(message)

    async def _receive_in_time(self) -> Message:
        """The next message; only the time that the sender takes counts."""
        clock, allowed_s = asyncio.get_running_loop().time, self._timeout_s
        allowed_s += self._intake.received / SLOWEST_BYTES_PER_S - self._waited_s
        since = clock()
        try:
            async with asyncio.timeout(allowed_s):
                return await self._receive()
        except TimeoutError:
            told = f"The body did not come within {self._timeout_s:g} s; send it again."
            raise Problem(408, "timeout", told) from None
        finally:
            self._waited_s += clock() - since
