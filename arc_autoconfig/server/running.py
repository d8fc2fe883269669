"""Listens: `arc serve`."""

import socket
from collections.abc import Callable

import uvicorn

from arc_autoconfig.application import Application
from arc_autoconfig.errors import ComponentError
from arc_autoconfig.server.access import is_loopback
from arc_autoconfig.server.asgi import ArcServer

__all__ = ["serve"]


async def serve(application: Application, *, tell: Callable[[str], object]) -> None:
    """Start the application, and serve it until SIGTERM or Ctrl-C.

    Then no more connections are taken. Runs go on for `server.shutdown_timeout_s`; those that have
    not ended by then are cancelled, or left to others if they are durable.

    Args:
        application: Not started.
        tell: Is told once where the server listens.

    Raises:
        ConfigurationError: It cannot be started, or may not listen there.
    """
    settings = application.settings.server
    if not (is_loopback(settings.host) or settings.api_keys):
        raise ComponentError(
            f"the server must not listen on {settings.host} without keys",
            evidence=["server.api_keys is empty, so that everyone who reaches it could ask"],
            remedy="set server.api_keys, or leave server.host at 127.0.0.1",
        )
    listener = _listen(settings.host, settings.port)
    with listener:
        app = ArcServer(application, None)
        async with application:
            await app.open()
            host, port = listener.getsockname()[:2]
            tell(f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}")
            config = uvicorn.Config(
                app,
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                timeout_graceful_shutdown=max(1, round(settings.shutdown_timeout_s)),
            )
            await uvicorn.Server(config).serve(sockets=[listener])


def _listen(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        raise ComponentError(
            f"the server cannot listen on {host}, port {port}",
            evidence=[error.strerror or type(error).__name__],
            remedy="stop what listens there, or set server.port to another one",
        ) from error
