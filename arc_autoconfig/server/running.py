"""Listens: `arc serve`."""

import asyncio
import math
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import cast
from urllib.parse import urlsplit

import uvicorn

from arc_autoconfig.application import Application
from arc_autoconfig.errors import ComponentError
from arc_autoconfig.server.access import has_keys, is_loopback
from arc_autoconfig.server.asgi import ArcServer
from arc_autoconfig.server.connections import ACCEPTED_AT_ONCE, ConnectionLimits
from arc_autoconfig.settings.server_section import ServerSettings
from arc_core.timing.cancellation import wait_despite_cancellation

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
    host, port = address or (settings.host, settings.port)
    if not has_keys(application):
        _check_is_local(settings, host)
    with _listen(host, port) as listener:
        app = ArcServer(application, None)
        async with application:
            await app.open()
            host, port = listener.getsockname()[:2]
            tell(f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}")
            await _serve(app, listener, ending=ending, settings=settings)


async def _serve(
    app: ArcServer, listener: socket.socket, *, ending: asyncio.Event, settings: ServerSettings
) -> None:
    timeout_s = settings.shutdown_timeout_s
    connections = ConnectionLimits(
        max_connections=settings.max_connections, timeout_s=settings.receive_timeout_s
    )
    config = uvicorn.Config(
        app,
        http=cast("type[asyncio.Protocol]", connections.open),
        backlog=ACCEPTED_AT_ONCE,
        ws_max_size=settings.max_body_bytes,
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        forwarded_allow_ips=list(settings.trusted_proxies),
        timeout_graceful_shutdown=math.ceil(timeout_s + _ENDING_S),
    )
    server = _Server(config)
    serving = asyncio.create_task(server.serve(sockets=[listener]), name="arc-serve")
    told = asyncio.create_task(ending.wait(), name="arc-serve-ending")
    try:
        await asyncio.wait((serving, told), return_when=asyncio.FIRST_COMPLETED)
        server.should_exit = True
        await asyncio.wait((serving,), timeout=timeout_s)
        app.cancel_runs()
    finally:
        told.cancel()
        server.should_exit = True
        await wait_despite_cancellation(serving)
    serving.result()


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


def _listen(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except OSError as error:
        raise ComponentError(
            f"the server cannot listen on {host}, port {port}",
            evidence=[error.strerror or type(error).__name__],
            remedy="stop what listens there, or set server.port to another one",
        ) from error
