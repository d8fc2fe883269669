"""Middleware of every request: its id and the access log, and the bounds of its body."""

import asyncio
import time
from collections.abc import Collection
from string import ascii_letters, digits
from uuid import uuid4

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from structlog.contextvars import bound_contextvars

from arc_core.log import get_logger
from arc_core.runs.callers import Caller
from arc_core.serving.problems import Problem
from arc_core.serving.requests import BODY, CALLER, BodyIntake, BodyLimits
from arc_core.serving.responses import problem_response

logger = get_logger("access")

LOGGED_PATH = "arc.logged_path"
"""The key of the ASGI scope under which the path stands as logs may show it."""

SLOWEST_BYTES_PER_S = 32_768
"""A body that comes as fast as this may take longer than the time that there is for any."""
_GONE: Message = {"type": "http.disconnect"}
_REQUEST_ID = "x-request-id"
_MAX_ID_CHARS = 128
_MAX_PATH_CHARS = 300
_ID_CHARS = frozenset(ascii_letters + digits + "-_.:~+=/@")
_UNAUTHORIZED = 401
_STATUS_OF_SOCKET = {"websocket.accept": 101, "websocket.close": 403}
_RESPONSES = frozenset({"http.response.start", "websocket.http.response.start"})


class PublicPaths:
    """The paths that need no key; those that end with `/` stand for everything below."""

    def __init__(self, paths: Collection[str]) -> None:
        self._below = tuple(path for path in paths if path.endswith("/") and path != "/")
        self._exact = frozenset(paths) - frozenset(self._below)

    def have(self, scope: Scope) -> bool:
        """Return whether a request needs no key."""
        path = _path_in(scope)
        return path in self._exact or path.startswith(self._below)

    def mask(self, scope: Scope) -> str:
        """Return the path of a request for a log: below a public one, the rest may be a secret."""
        path, full = _path_in(scope), str(scope["path"])
        below = next((each for each in self._below if path.startswith(each) and path != each), None)
        return full[:_MAX_PATH_CHARS] if below is None else f"{full.removesuffix(path)}{below}***"


class RequestLog:
    """Names each request, and logs it when it has ended: every one, or those without a key."""

    def __init__(self, app: ASGIApp, *, public_paths: PublicPaths, is_logged: bool) -> None:
        self._app, self._public_paths, self._is_logged = app, public_paths, is_logged

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on, of ASGI."""
        request_id = Headers(scope=scope).get(_REQUEST_ID, "")
        is_safe = 0 < len(request_id) <= _MAX_ID_CHARS and _ID_CHARS.issuperset(request_id)
        request_id = request_id if is_safe else uuid4().hex  # it could be read as more
        answer, began = _Answer(send, request_id), time.monotonic()
        scope[LOGGED_PATH] = self._public_paths.mask(scope)
        with bound_contextvars(request_id=request_id):
            try:
                await self._app(scope, receive, answer.send)
            finally:
                self._log(scope, answer, duration_s=time.monotonic() - began)

    def _log(self, scope: Scope, answer: "_Answer", *, duration_s: float) -> None:
        if not self._is_logged and answer.status != _UNAUTHORIZED:
            return
        caller: Caller | None = scope.get(CALLER)
        is_refused = answer.status == _UNAUTHORIZED
        (logger.warning if is_refused else logger.info)(
            "a request without a valid key was refused" if is_refused else "request",
            method=scope.get("method", "WEBSOCKET"),
            path=scope[LOGGED_PATH],
            status=answer.status,
            duration_ms=round(duration_s * 1000),
            bytes_sent=answer.bytes_sent,
            client=(scope.get("client") or (None,))[0],
            key="unknown" if caller is None else caller.name,
            **({} if answer.run_id is None else {"run_id": answer.run_id}),
        )


class _Answer:
    """Sends messages, which get the id of their request, and notes what the log says of them.

    Its status is None if nothing was sent, since the client has left.
    """

    def __init__(self, send: Send, request_id: str) -> None:
        self._send, self._request_id = send, request_id
        self.status: int | None = None
        self.run_id: str | None = None
        self.bytes_sent = 0

    async def send(self, message: Message) -> None:
        kind = message["type"]
        if kind in _RESPONSES or kind == "websocket.accept":
            message = {**message, "headers": list(message.get("headers", ()))}
            headers = MutableHeaders(scope=message)
            headers.setdefault(_REQUEST_ID, self._request_id)
            self.run_id = headers.get("x-run-id")
            self.status = message.get("status", _STATUS_OF_SOCKET.get(kind))
        elif self.status is None:
            self.status = _STATUS_OF_SOCKET.get(kind)
        self.bytes_sent += len(message.get("body", b""))
        await self._send(message)


def _path_in(scope: Scope) -> str:
    path: str = scope["path"]
    return path.removeprefix(scope.get("root_path", "")) or "/"


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
