"""A way to PostgreSQL that can be cut, as if the database were away."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sqlalchemy import make_url

__all__ = ["Proxy", "proxied"]


class Proxy:
    """Stands between the journals and PostgreSQL, on loopback."""

    def __init__(self, url: str) -> None:
        self._target = make_url(url)
        self._port = 0
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> str:
        """The address of the database by this way."""
        own = self._target.set(host="127.0.0.1", port=self._port)
        return own.render_as_string(hide_password=False)

    async def listen(self) -> None:
        """Take connections."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self._port)
        self._port = self._server.sockets[0].getsockname()[1]

    async def cut(self) -> None:
        """Refuse connections, and break those that there are."""
        assert self._server is not None
        self._server.close()
        for writer in self._writers:
            writer.close()
        if self._tasks:
            await asyncio.wait(self._tasks)
        await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        target = await asyncio.open_connection(self._target.host, self._target.port or 5432)
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self._writers |= {writer, target[1]}
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(_copy(reader, target[1]))
                group.create_task(_copy(target[0], writer))
        finally:
            self._writers -= {writer, target[1]}
            self._tasks.discard(task)


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
    except ConnectionError:
        return
    finally:
        writer.close()


@asynccontextmanager
async def proxied(url: str) -> AsyncIterator[Proxy]:
    """A way to a database that can be cut."""
    proxy = Proxy(url)
    await proxy.listen()
    try:
        yield proxy
    finally:
        await proxy.cut()
