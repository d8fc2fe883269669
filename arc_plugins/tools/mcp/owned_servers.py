"""Connections of one owner each, made on first use, and closed when they are idle or too many."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Protocol

from arc_core import Logger, Owner


class OwnedServer(Protocol):
    """A connection to a server, as far as it is kept here."""

    name: str
    tried: asyncio.Event

    def start(self) -> None:
        """Begin to connect."""
        ...

    async def aclose(self) -> None:
        """Disconnect."""
        ...


class TooManyConnectionsError(Exception):
    """Each of `mcp.max_connections` is in use at this moment."""


@dataclass(eq=False, slots=True)
class _Entry:
    server: OwnedServer
    users: int = 0
    timer: asyncio.TimerHandle | None = None


class OwnedServers:
    """The connections of all owners to all servers that have one for each.

    Args:
        idle_s: After this time without a call a connection is closed.
        max_connections: At once; for one more, that which was idle for the longest is closed.
        logger: Is told of connections that are closed.
    """

    def __init__(self, *, idle_s: float, max_connections: int, logger: Logger) -> None:
        self._idle_s, self._max, self._logger = idle_s, max_connections, logger
        self._entries: dict[tuple[str, Owner], _Entry] = {}
        self._closing: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def use(
        self, key: tuple[str, Owner], make: Callable[[], OwnedServer]
    ) -> AsyncGenerator[OwnedServer]:
        """The connection of an owner to a server, which has been tried, for the time of one call.

        Raises:
            TooManyConnectionsError: There are as many as may be, and all in use.
        """
        entry = self._entries.pop(key, None)
        if entry is None:
            self._make_room()
            entry = _Entry(make())
            entry.server.start()
        self._entries[key] = entry  # the one that was used last is the last
        entry.users += 1
        if entry.timer is not None:
            entry.timer.cancel()
        try:
            await entry.server.tried.wait()
            yield entry.server
        finally:
            entry.users -= 1
            if entry.users == 0:
                loop = asyncio.get_running_loop()
                entry.timer = loop.call_later(self._idle_s, self._end_idle, key, entry)

    async def aclose(self) -> None:
        """Close all of them."""
        while self._entries:
            self._close(self._entries.popitem()[1])
        if self._closing:
            await asyncio.wait(tuple(self._closing))

    def _make_room(self) -> None:
        """Begin to close a connection if there are as many as may be."""
        if len(self._entries) < self._max:
            return
        idle = next((key for key, each in self._entries.items() if each.users == 0), None)
        if idle is None:
            raise TooManyConnectionsError
        self._close(self._entries.pop(idle))

    def _end_idle(self, key: tuple[str, Owner], entry: _Entry) -> None:
        if entry.users == 0 and self._entries.get(key) is entry:
            del self._entries[key]
            self._close(entry)

    def _close(self, entry: _Entry) -> None:
        if entry.timer is not None:
            entry.timer.cancel()
        self._logger.info("mcp connection of a user is closed", server=entry.server.name)
        task = asyncio.create_task(entry.server.aclose(), name="arc-mcp-closing")
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)
