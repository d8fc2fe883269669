"""An application behind a real server on loopback."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import uvicorn

from arc_autoconfig import Application

__all__ = ["serving"]


@asynccontextmanager
async def serving(app: Application) -> AsyncIterator[str]:
    """Start an application, serve it on a free port in this loop, and close both.

    Yields:
        Its address, as `http://127.0.0.1:40001`.
    """
    with socket.create_server(("127.0.0.1", 0)) as listener:
        async with app:
            config = uvicorn.Config(
                app.asgi(),
                lifespan="off",
                log_config=None,
                access_log=False,
                ws="none",
                timeout_graceful_shutdown=5,
            )
            server = uvicorn.Server(config)
            port = listener.getsockname()[1]
            task = asyncio.create_task(server.serve(sockets=[listener]), name="test-server")
            try:
                yield f"http://127.0.0.1:{port}"
            finally:
                server.should_exit = True
                await task
