"""Listens: `arc serve`, and `arc worker --port`."""

import asyncio
import math
import re
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from operator import itemgetter
from typing import Any, cast
from urllib.parse import urlsplit

import h11
import uvicorn
from h11 import _readers
from uvicorn.protocols.http.h11_impl import H11Protocol

from arc_autoconfig.application import Application
from arc_autoconfig.errors import ComponentError
from arc_autoconfig.server.access import has_keys, is_loopback
from arc_autoconfig.server.asgi import ArcServer
from arc_autoconfig.server.middleware import SLOWEST_BYTES_PER_S
from arc_autoconfig.settings.server_section import ServerSettings
from arc_core.interfaces.serving.surface import Surface
from arc_core.log import get_logger
from arc_core.timing.cancellation import wait_despite_cancellation

logger = get_logger("server")

_PATIENCE = 1.5
"""Times as long as for its reader, who answers that it is late, a body is awaited here."""
_BETWEEN_LINES_S = 1.0
ACCEPTED_AT_ONCE = 16
"""Connections in one round of the loop; more of them than there may be files stop the intake."""
_ACCEPTED_TOO_MANY = 5 * ACCEPTED_AT_ONCE
"""Those that are open for some rounds, until they are closed again."""
_OTHER_FILES = 64


class ConnectionLimits:
    """Makes the protocols of connections, within a number and a time for head and for body."""

    def __init__(self, *, max_connections: int, timeout_s: float) -> None:
        self.timeout_s = timeout_s
        self._max_connections = _affordable(max_connections)
        self._logged: dict[str, float] = {}
        self._unlogged = 0

    def open(self, **options: Any) -> asyncio.Protocol:
        """The protocol of a new connection, with what uvicorn gives it."""
        return _TimedProtocol(self, **options)

    def make_room(self, protocol: "_TimedProtocol") -> None:
        """Close one connection, if there are too many.

        It is the one whose request is the longest in coming, or else the longest idle one.
        """
        if len(protocol.connections) <= self._max_connections:
            return
        others = [each for each in protocol.connections if isinstance(each, _TimedProtocol)]
        others.remove(protocol)
        half_open = [(each.since, each) for each in others if each.since is not None]
        idle = [
            (each.timeout_keep_alive_task.when(), each)
            for each in others
            if each.timeout_keep_alive_task is not None
        ]
        _, closed = min(half_open or idle, key=itemgetter(0), default=(0.0, protocol))
        self.close(closed, "a connection was closed to make room, as there are too many")

    def close(self, protocol: "_TimedProtocol", reason: str) -> None:
        """Close a connection, and log it, in one line a second at most."""
        now = protocol.loop.time()
        if now - self._logged.get(reason, -_BETWEEN_LINES_S) < _BETWEEN_LINES_S:
            self._unlogged += 1
        else:
            client = protocol.client[0] if protocol.client else None
            logger.warning(reason, client=client, not_logged=self._unlogged)
            self._logged[reason], self._unlogged = now, 0
        protocol.stop()  # it is not chosen again before it is closed
        protocol.transport.abort()


class _TimedProtocol(H11Protocol):
    """HTTP/1.1, with a time in which the head of a request comes, and its body.

    Attributes:
        since: When the head or the body that is awaited began, by the clock of the loop; None
            awaits neither.
    """

    def __init__(self, limits: ConnectionLimits, **options: Any) -> None:
        super().__init__(**options)
        self.since: float | None = None
        self._limits, self._is_body, self._received = limits, False, 0
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._await(is_body=False)
        self._limits.make_room(self)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._received += len(data)
        is_body = self.conn.their_state is h11.SEND_BODY
        if not is_body and self.conn.their_state is not h11.IDLE:
            self.stop()
        elif self.since is None or is_body is not self._is_body:
            self._await(is_body=is_body)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        state = self.conn.their_state
        is_body = state is h11.SEND_BODY
        begun = is_body or (state is h11.IDLE and self.conn.trailing_data[0])
        if begun and self.since is None:  # the next request came with the last one, in part
            self._await(is_body=is_body)

    def send_400_response(self, msg: str) -> None:
        if self.conn.our_state in {h11.IDLE, h11.SEND_RESPONSE}:
            super().send_400_response(msg)
        else:
            self.transport.close()
        if self.cycle is not None:  # no answer can follow, and what makes it is told so at once
            self.cycle.disconnected = True
            self.cycle.message_event.set()

    def connection_lost(self, exc: Exception | None) -> None:
        self.stop()
        super().connection_lost(exc)

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        self.stop()
        super().handle_websocket_upgrade(event)

    def _await(self, *, is_body: bool) -> None:
        self.stop()
        self.since, self._is_body, self._received = self.loop.time(), is_body, 0
        self._timer = self.loop.call_later(self._limits.timeout_s, self._check)

    def stop(self) -> None:
        """Await nothing more."""
        self.since = None
        if self._timer is not None:
            self._timer.cancel()

    def _check(self) -> None:
        """Close the connection, unless what is awaited has more time."""
        assert self.since is not None, "the timer is stopped with what is awaited"
        if self.flow.read_paused:  # the body waits for its reader
            self.since = self.loop.time()
        allowed_s = self._limits.timeout_s
        if self._is_body:
            allowed_s = _PATIENCE * (allowed_s + self._received / SLOWEST_BYTES_PER_S)
        left_s = self.since + allowed_s - self.loop.time()
        if left_s > 0:
            self._timer = self.loop.call_later(left_s, self._check)
        else:
            self._limits.close(self, "a connection was closed, as its request did not come in time")


_LINEAR = (
    ("header_field_re", rb":[ \t]*(?P<field_value>", rb":[ \t]*+(?P<field_value>"),
    ("chunk_header_re", rb"(?P<chunk_ext>;.*)?", rb"(?P<chunk_ext>;[^\r\n]*+)?"),
)


def _bound_parsing() -> None:
    """Have h11 read a field of a head, and the head of a chunk, in a time linear in its length.

    Before its patterns refuse one with many blanks, they divide those in each way there is: 64 KB
    hold the loop for 11 s (h11 0.16), before any key is looked at.
    """
    for name, quadratic, linear in _LINEAR:
        pattern = getattr(_readers, name).pattern
        setattr(_readers, name, re.compile(pattern.replace(quadratic, linear)))


def _affordable(wanted: int) -> int:
    """As many connections as there may be open files, which databases and pipes need, too."""
    try:
        import resource  # noqa: PLC0415 -- Windows has none, and no such bound
    except ImportError:
        return wanted
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = wanted + _OTHER_FILES + _ACCEPTED_TOO_MANY
    if soft != resource.RLIM_INFINITY and soft < needed:
        soft = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        return max(wanted - (needed - soft), 1)
    return wanted


_KEEP_ALIVE_S = 620
"""Longer than proxies keep theirs (Caddy 120 s, Google 600 s), so that they close them first."""
_BACKLOG = 2_048
_ENDING_S = 2.0  # for readers to be told of the end of their runs


async def serve(
    application: Application,
    *,
    ending: asyncio.Event,
    tell: Callable[[str], object],
    address: tuple[str, int] | None = None,
) -> None:
    """Start the application, and serve it until it is told to end.

    Then no more connections are taken. Runs go on for `server.shutdown_timeout_s`; those that have
    not ended by then are cancelled, or left to others if they are durable.

    Args:
        application: Not started.
        ending: Set when the server is to end.
        tell: Is told once at which address the server is reached.
        address: Host and port in the place of those of the settings.

    Raises:
        ConfigurationError: It cannot be started, or may not listen there.
    """
    settings = application.settings.server
    with listen(application, *(address or (settings.host, settings.port))) as listener:
        async with application:
            await serve_until_end(application, listener, ending=ending, tell=tell)


async def serve_until_end(
    application: Application,
    listener: socket.socket,
    *,
    ending: asyncio.Event,
    tell: Callable[[str], object],
    kind: Any = Surface,
) -> None:
    """Serve an application that has started, as `serve` does, by surfaces of a kind."""
    app, settings = ArcServer(application, None, kind=kind), application.settings.server
    await app.open()
    host, port = listener.getsockname()[:2]
    tell(f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}")
    server = _Server(_configure(app, settings))
    serving = asyncio.create_task(server.serve(sockets=[listener]), name="arc-serve")
    told = asyncio.create_task(ending.wait(), name="arc-serve-ending")
    try:
        await asyncio.wait((serving, told), return_when=asyncio.FIRST_COMPLETED)
        server.should_exit = True
        await asyncio.wait((serving,), timeout=settings.shutdown_timeout_s)
        app.cancel_runs()
    finally:
        told.cancel()
        server.should_exit = True
        await wait_despite_cancellation(serving)
    serving.result()


def _configure(app: ArcServer, settings: ServerSettings) -> uvicorn.Config:
    _bound_parsing()
    connections = ConnectionLimits(
        max_connections=settings.max_connections, timeout_s=settings.receive_timeout_s
    )
    return uvicorn.Config(
        app,
        http=cast("type[asyncio.Protocol]", connections.open),
        backlog=ACCEPTED_AT_ONCE,
        ws_max_size=settings.max_body_bytes,
        lifespan="off",
        timeout_keep_alive=_KEEP_ALIVE_S,
        log_config=None,
        access_log=False,
        server_header=False,
        forwarded_allow_ips=list(settings.trusted_proxies),
        timeout_graceful_shutdown=math.ceil(settings.shutdown_timeout_s + _ENDING_S),
    )


def _check_is_local(settings: ServerSettings, host: str) -> None:
    public = urlsplit(settings.public_url or "").hostname
    foreign = [each for each in (*settings.allowed_hosts, public) if each and not is_loopback(each)]
    if not is_loopback(host):
        raise ComponentError(
            f"the server must not listen on {host} without keys",
            evidence=["server.api_keys is empty, so that everyone who reaches it could ask"],
            remedy="set server.api_keys, or leave server.host at 127.0.0.1",
        )
    if foreign:
        raise ComponentError(
            f"the server must not be asked as {foreign[0]} without keys",
            evidence=[
                "server.allowed_hosts or server.public_url names it, and server.api_keys is empty"
            ],
            remedy="set server.api_keys; a proxy that knows its users can send a key for them",
        )


class _Server(uvicorn.Server):
    """Leaves signals to others: uvicorn's handlers would end the process before all is closed."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for listener in sockets or ():  # others wait in the kernel while a few are accepted
            listener.listen(_BACKLOG)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def listen(application: Application, host: str, port: int) -> socket.socket:
    """Return the socket at which an application can be asked.

    Raises:
        ConfigurationError: It may not listen there, or cannot.
    """
    if not has_keys(application):
        _check_is_local(application.settings.server, host)
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except OSError as error:
        raise ComponentError(
            f"the server cannot listen on {host}, port {port}",
            evidence=[error.strerror or type(error).__name__],
            remedy="stop what listens there, or choose another port (--port, server.port)",
        ) from error
