"""Who is let in: by host, by origin, by key; asked of every request before any surface.

Without keys only this machine may ask: the connection must come from it, and the `Host` header must
name it, since a page on the internet can have its own name lead here (DNS rebinding).
"""

import hmac
from collections.abc import Callable, Sequence
from hashlib import sha256
from ipaddress import ip_address

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.status import WS_1008_POLICY_VIOLATION
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from arc_autoconfig.settings.server_section import ApiKey, ServerSettings
from arc_core.interfaces.served_application import Caller
from arc_core.serving.callers import CALLER
from arc_core.serving.problems import Problem
from arc_core.serving.responses import problem_response

__all__ = ["AccessMiddleware", "Authenticate", "is_loopback"]

Authenticate = Callable[[HTTPConnection], Caller | None]
"""Who calls, by a program's own authentication; None is refused."""

_BEARER = "bearer "
_DENIAL = "websocket.http.response"
"""The extension of ASGI by which a WebSocket is refused with a response."""
_LOCAL = Caller(name="local", decide="own")


class AccessMiddleware:
    """Lets requests in, and notes who calls.

    Args:
        app: What comes after.
        settings: Keys and origins.
        is_public: Whether a path is served without a key.
        authenticate: In the place of the keys; None takes these.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        settings: ServerSettings,
        is_public: Callable[[str], bool],
        authenticate: Authenticate | None = None,
    ) -> None:
        self._app, self._settings, self._is_public = app, settings, is_public
        self._authenticate = authenticate or _Keys(settings.api_keys).caller_of
        self._is_open = authenticate is None and not settings.api_keys

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with what is wrong, or hand on; a WebSocket is let in as a request is."""
        try:
            self._check_place(scope)
            self._identify(scope)
        except Problem as problem:
            await _refusal_of(problem, scope)(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _check_place(self, scope: Scope) -> None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        is_local = _is_from_here(scope)
        if self._is_open and not is_local:
            raise Problem(
                403,
                "not_permitted",
                "This server has no keys, so that only its own machine may ask; set "
                "server.api_keys.",
            )
        if (self._is_open or is_loopback(_name_in(_address(scope)))) and not self._is_ours(host):
            raise Problem(
                421, "wrong_host", "The Host header names another host; ask by 127.0.0.1."
            )
        origin = headers.get("origin")
        if origin is not None and not self._is_allowed(origin, host):
            raise Problem(
                403, "wrong_origin", "Pages of this origin may not ask; see server.allowed_origins."
            )

    def _is_ours(self, host: str) -> bool:
        name = _name_in(host)
        return name == "localhost" or is_loopback(name) or name == self._settings.host.lower()

    def _is_allowed(self, origin: str, host: str) -> bool:
        named = origin.partition("://")[2].lower()
        return origin in self._settings.allowed_origins or (bool(named) and named == host.lower())

    def _identify(self, scope: Scope) -> None:
        caller = _LOCAL if self._is_open else self._authenticate(HTTPConnection(scope))
        if caller is not None:
            scope[CALLER] = caller
        elif not self._is_public(_path_of(scope)):
            raise Problem(
                401,
                "invalid_api_key",
                "The key is missing or wrong; send the header Authorization: Bearer <key>.",
                headers={"www-authenticate": "Bearer"},
            )


class _Keys:
    """The keys of the settings, compared in constant time."""

    def __init__(self, keys: Sequence[ApiKey]) -> None:
        self._callers = [
            (sha256(each.key.get_secret_value().encode()).digest(), each.caller) for each in keys
        ]

    def caller_of(self, connection: HTTPConnection) -> Caller | None:
        sent = connection.headers.get("authorization", "")
        if sent[: len(_BEARER)].lower() != _BEARER:
            return None
        digest = sha256(sent[len(_BEARER) :].strip().encode("latin-1", "replace")).digest()
        found = None
        for known, caller in self._callers:  # all of them, so that the time tells nothing
            if hmac.compare_digest(known, digest):
                found = caller
        return found


def _refusal_of(problem: Problem, scope: Scope) -> ASGIApp:
    """The response to what is not let in; a server that cannot say it closes a WebSocket."""
    if scope["type"] == "websocket" and _DENIAL not in scope.get("extensions", {}):
        return WebSocketClose(code=WS_1008_POLICY_VIOLATION)
    return problem_response(problem)


def _path_of(scope: Scope) -> str:
    """The path below the place where the application is mounted."""
    path: str = scope["path"]
    return path.removeprefix(scope.get("root_path", "")) or "/"


def _is_from_here(scope: Scope) -> bool:
    """Whether the connection comes from this machine; a socket in the file system always does."""
    client = scope.get("client")
    return client is None or is_loopback(client[0])


def _address(scope: Scope) -> str:
    server = scope.get("server")
    return "127.0.0.1" if server is None else server[0]


def _name_in(host: str) -> str:
    """A host without its port and the dot of the root: `[::1]:8010` is `::1`."""
    if host.startswith("["):
        name, closed, port = host[1:].partition("]")
        ends_well = not port or (port.startswith(":") and port[1:].isdigit())
        return name.lower() if closed and ends_well else host
    return (host if host.count(":") > 1 else host.partition(":")[0]).lower().removesuffix(".")


def is_loopback(name: str) -> bool:
    """Whether an address leads to this machine only; names count as addresses elsewhere."""
    if name == "localhost":
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False
