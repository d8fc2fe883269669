"""The bounded buffer between a run and whoever reads its events."""

import asyncio

from arc_core.events import AgentEvent

__all__ = ["EventChannel"]


class EventChannel:
    """Makes a run wait for a slow reader instead of filling memory.

    One reader, any number of writers within one run. `close` is the writers' end, `abandon` the
    reader's.

    Args:
        capacity: Events that may wait to be read.
    """

    def __init__(self, capacity: int = 256) -> None:
        self._events: asyncio.Queue[AgentEvent | None] = asyncio.Queue(capacity)
        self._closed = False
        self._abandoned = False

    async def put(self, event: AgentEvent) -> None:
        """Hand over an event, waiting for room; dropped when nobody reads any more."""
        if not self._abandoned:
            await self._events.put(event)

    async def get(self) -> AgentEvent | None:
        """The next event; None when there will be no more."""
        if self._closed and self._events.empty():
            return None
        return await self._events.get()

    def close(self) -> None:
        """There will be no more events."""
        self._closed = True
        if self._events.empty():  # else the reader is not waiting, and will see the flag
            self._events.put_nowait(None)

    def abandon(self) -> None:
        """Nobody reads any more: writers that wait for room go on."""
        self._abandoned = True
        while not self._events.empty():
            self._events.get_nowait()
