"""Serves an application on a free port of this machine, in the loop of the test."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import uvicorn

from arc_autoconfig import Application

__all__ = ["serving"]


class _Server(uvicorn.Server):
    """Tells when it listens."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.listens = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.listens.set()


@asynccontextmanager
async def serving(app: Application) -> AsyncIterator[str]:
    """The address of a started application's server, until the block ends; closes both."""
    listener = socket.create_server(("127.0.0.1", 0))
    async with app:
        config = uvicorn.Config(
            app.asgi(), lifespan="off", log_config=None, timeout_graceful_shutdown=1
        )
        server = _Server(config)
        with listener:
            task = asyncio.create_task(server._serve([listener]), name="test-server")
            await server.listens.wait()
            try:
                yield f"http://127.0.0.1:{listener.getsockname()[1]}"
            finally:
                server.should_exit = True
                await task
