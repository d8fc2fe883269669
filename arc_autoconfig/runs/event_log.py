"""The events of one run, for several readers at once."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator

from arc_core.events import AgentEvent

_CAPACITY = 256


class BeginningLostError(Exception):
    """A reader has come so late that the first events are no longer kept."""


class EventLog:
    """Keeps events until every reader that has begun has read them; makes the writer wait if full.

    A reader that begins later gets all events, as long as none of them had to be dropped.

    Args:
        capacity: Events that are kept at most, unless `lift_bound` was called.
    """

    def __init__(self, capacity: int = _CAPACITY) -> None:
        self._capacity = capacity
        self._events: deque[AgentEvent] = deque()
        self._dropped = 0
        self._positions: dict[object, int] = {}
        self._waiting: list[asyncio.Future[None]] = []
        self._is_bounded, self._is_closed = True, False
        self._failure: Exception | None = None

    async def put(self, event: AgentEvent) -> None:
        """Add an event, once there is room for it."""
        while len(self._events) >= self._capacity and not self._drop_oldest():
            if not self._is_bounded:
                break
            await self._wait()
        self._events.append(event)
        self._wake()

    def lift_bound(self) -> None:
        """Let the writer go on to the end, with or without readers."""
        self._is_bounded = False
        self._wake()

    def close(self, failure: Exception | None = None) -> None:
        """There will be no more events; readers who have read all raise the failure."""
        if not self._is_closed:
            self._is_closed, self._failure = True, failure
            self._wake()

    async def wait_closed(self) -> None:
        """Wait until there will be no more events.

        Raises:
            Exception: The failure with which it was closed.
        """
        while not self._is_closed:
            await self._wait()
        if self._failure is not None:
            raise self._failure

    async def read(self) -> AsyncGenerator[AgentEvent]:
        """All events from the first on; the reader has begun with the first that it asks for.

        Raises:
            BeginningLostError: It has begun too late.
            Exception: The failure with which the log was closed.
        """
        if self._dropped:
            raise BeginningLostError
        reader = object()
        self._positions[reader] = 0
        try:
            while (event := await self._get(reader)) is not None:
                yield event
        finally:
            del self._positions[reader]
            self._wake()

    async def _get(self, reader: object) -> AgentEvent | None:
        position = self._positions[reader]
        while position - self._dropped >= len(self._events):
            if self._is_closed:
                await self.wait_closed()
                return None
            await self._wait()
        event = self._events[position - self._dropped]
        self._positions[reader] = position + 1
        if len(self._events) >= self._capacity:
            self._wake()
        return event

    def _drop_oldest(self) -> bool:
        """Drop the oldest event if every reader has read it; without readers, only unbounded."""
        unread = self._dropped if self._is_bounded else self._dropped + 1
        if min(self._positions.values(), default=unread) <= self._dropped:
            return False
        self._events.popleft()
        self._dropped += 1
        return True

    async def _wait(self) -> None:
        change = asyncio.get_running_loop().create_future()
        self._waiting.append(change)
        await change

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, []
        for change in waiting:
            if not change.done():
                change.set_result(None)
