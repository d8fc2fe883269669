"""The gate of every request, before any surface: its host, its origin and its key.

Without keys only this machine may ask: the connection must come from it, and the `Host` header must
name it, since a page on the internet can have its own name lead here (DNS rebinding).
"""

import asyncio
from collections.abc import Awaitable, Callable
from ipaddress import IPv4Address, IPv6Address, ip_address
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.status import WS_1008_POLICY_VIOLATION
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from arc_autoconfig.application import Application
from arc_autoconfig.settings.server_section import KnownKeys, ServerSettings
from arc_core.interfaces.serving.api_keys import ApiKeys
from arc_core.log import get_logger
from arc_core.runs.callers import Caller
from arc_core.serving.problems import Problem, get_problem
from arc_core.serving.requests import CALLER
from arc_core.serving.responses import problem_response

logger = get_logger("server")

Authenticate = Callable[[HTTPConnection], Caller | Awaitable[Caller | None] | None]
"""A program's own authentication, which gives the caller; None is refused."""

_DENIAL = "websocket.http.response"
"""The extension of ASGI by which a WebSocket is refused with a response; others are closed."""
_BEARER = "bearer "
_PORTS = {"http": 80, "https": 443}
_LOCAL = Caller(name="local", decide="own")


class AccessMiddleware:
    """Lets requests in, and notes who calls; without `authenticate`, only from this machine."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        settings: ServerSettings,
        is_public: Callable[[Scope], bool],
        authenticate: Authenticate | None = None,
    ) -> None:
        self._app, self._settings, self._is_public = app, settings, is_public
        self._authenticate, self._is_open = authenticate, authenticate is None
        self._hosts = _Hosts(settings, is_open=self._is_open)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with what is wrong, or hand on; a WebSocket is let in as a request is."""
        try:
            self._check_place(scope)
            await self._identify(scope)
        except Problem as problem:
            refusal: ASGIApp = problem_response(problem)
            if scope["type"] == "websocket" and _DENIAL not in scope.get("extensions", {}):
                refusal = WebSocketClose(code=WS_1008_POLICY_VIOLATION)
            await refusal(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _check_place(self, scope: Scope) -> None:
        headers, client, server = Headers(scope=scope), scope.get("client"), scope.get("server")
        host, address = headers.get("host", ""), "127.0.0.1" if server is None else server[0]
        is_local = client is None or is_loopback(client[0])  # a socket in the file system is
        if self._is_open and not is_local:
            raise Problem(
                403,
                "not_permitted",
                "This server has no keys, so that only its own machine may ask; set "
                "server.api_keys.",
            )
        if not self._hosts.have(host, address=address):
            raise Problem(
                421,
                "wrong_host",
                "The Host header names another host; ask by 127.0.0.1, or name it in "
                "server.allowed_hosts or server.public_url.",
            )
        origin = headers.get("origin")
        if origin is not None and not self._is_allowed(origin, host):
            raise Problem(
                403,
                "wrong_origin",
                "Pages of this origin may not ask; if it is the server's own address, set "
                "server.public_url, else see server.allowed_origins.",
            )

    def _is_allowed(self, origin: str, host: str) -> bool:
        return origin in self._settings.allowed_origins or _place_of(origin) in {
            _place_of(self._settings.public_url or ""),
            _place_of(f"{origin.partition('://')[0]}://{host}"),
        } - {None}

    async def _identify(self, scope: Scope) -> None:
        caller: Caller | None = _LOCAL
        if self._authenticate is not None:
            found = self._authenticate(HTTPConnection(scope))
            caller = await found if isinstance(found, Awaitable) else found
        if caller is not None:
            scope[CALLER] = caller
        elif not self._is_public(scope):
            raise Problem(
                401,
                "invalid_api_key",
                "The key is missing or wrong; send the header Authorization: Bearer <key>.",
                headers={"www-authenticate": "Bearer"},
            )


class _Hosts:
    """The names by which the server may be asked.

    Any name, if it listens for other machines and `server.allowed_hosts` is empty: it has keys
    then. Without keys, none but those of this machine.
    """

    def __init__(self, settings: ServerSettings, *, is_open: bool) -> None:
        public = urlsplit(settings.public_url or "").hostname
        known = () if is_open else (*settings.allowed_hosts, *filter(None, [public]))
        self._names = frozenset({settings.host.lower(), "localhost", *known})
        self._ends = tuple(each.removeprefix("*") for each in known if each.startswith("*."))
        self._is_strict = is_open or bool(settings.allowed_hosts)

    def have(self, host: str, *, address: str) -> bool:
        """Return whether a Host header is one of them, or the address that was connected to."""
        name = _name_in(host)
        if not (self._is_strict or is_loopback(_name_in(address))):
            return True
        if name in self._names or is_loopback(name) or name.endswith(self._ends):
            return True
        return _parse(name) is not None and _parse(name) == _parse(_name_in(address))


def _place_of(url: str) -> tuple[str, str | None, int | None] | None:
    """The origin of an address, its port named; None if it has none."""
    try:
        parts = urlsplit(url)
        port = parts.port or _PORTS.get(parts.scheme)
    except ValueError:
        return None
    return (parts.scheme, parts.hostname, port) if parts.hostname else None


def _name_in(host: str) -> str:
    """A host without its port and the dot of the root: `[::1]:8010` is `::1`."""
    if host.startswith("["):
        name, closed, port = host[1:].partition("]")
        ends_well = not port or (port.startswith(":") and port[1:].isdigit())
        return name.lower() if closed and ends_well else host
    return (host if host.count(":") > 1 else host.partition(":")[0]).lower().removesuffix(".")


def is_loopback(name: str) -> bool:
    """Return whether an address leads to this machine only; names count as addresses elsewhere."""
    address = _parse(name)
    return name == "localhost" or (address is not None and address.is_loopback)


def _parse(name: str) -> IPv4Address | IPv6Address | None:
    """The address that a name is, an IPv4 address in the form of IPv6 as what it is."""
    try:
        address = ip_address(name)
    except ValueError:
        return None
    return (address.ipv4_mapped if isinstance(address, IPv6Address) else None) or address


def has_keys(application: Application) -> bool:
    """Return whether callers of an application need a key."""
    settings = application.settings.server
    return bool(
        settings.api_keys or settings.api_keys_file is not None or application.provides(ApiKeys)
    )


class KeyCheck:
    """Finds the caller of a request, by the keys of the settings, of the file, and by `ApiKeys`."""

    def __init__(self, application: Application) -> None:
        self._known = KnownKeys(application.settings.server)
        self._own: ApiKeys | None = application.component(ApiKeys)
        self._timeout_s = application.settings.concurrency.component_timeout_s

    async def find_caller(self, connection: HTTPConnection) -> Caller | None:
        """Return who calls; None without a key, or with a wrong one."""
        sent = connection.headers.get("authorization", "")
        if sent[: len(_BEARER)].lower() != _BEARER:
            return None
        key = sent[len(_BEARER) :].strip()
        found = self._known.find(key)
        if found is not None or self._own is None:
            return found
        try:
            async with asyncio.timeout(self._timeout_s):
                return await self._own.find(key)
        except OSError as error:  # a time-out is one, too
            logger.error(  # noqa: TRY400 -- the text may show an address with a password
                "the component that knows the keys is away",
                component=type(self._own).__qualname__,
                error_type=type(error).__name__,
            )
            raise get_problem(error) from None
