"""The bounded buffer between a run and the reader of its events."""

import asyncio
from collections import deque

from arc_core.events import AgentEvent
from arc_core.result import AgentResult
from arc_core.runs.journal import RunSuspended


class EventChannel:
    """Makes a run wait for a slow reader instead of filling memory.

    One reader, any number of writers within one run. `close` is the writers' end, `abandon` the
    reader's. A piece of text may stand for its event, where a reader wants nothing else.

    Args:
        capacity: Events that may wait to be read.

    Attributes:
        is_published: Whether the events are on their way to a journal.
    """

    is_published = False

    def __init__(self, capacity: int = 64) -> None:
        self._events: deque[AgentEvent | str] = deque()
        self._capacity = capacity
        self._reader: asyncio.Future[None] | None = None
        # Few, and a deque takes 760 bytes of each run.
        self._writers: list[asyncio.Future[None]] = []
        self._woken = 0
        self._closed = False
        self._abandoned = False

    def offer(self, event: AgentEvent | str) -> bool:
        """Hand over an event without waiting; False where there is no room.

        Once the reader has left, events are dropped.
        """
        if self._abandoned:
            return True
        if len(self._events) >= self._capacity:
            return False
        self._events.append(event)
        if self._reader is not None:
            self._wake_reader()
        return True

    async def put(self, event: AgentEvent | str) -> None:
        """Hand over an event, waiting for room."""
        while not self.offer(event):
            await self.wait_for_room()

    async def wait_for_room(self) -> None:
        """Wait until a full channel may have room again; another writer may take it first."""
        room = asyncio.get_running_loop().create_future()
        self._writers.append(room)
        try:
            await room
        except asyncio.CancelledError:
            if not room.cancelled():  # it was woken, and leaves the room to another
                self._woken -= 1
                self._wake_writers()
            raise
        self._woken -= 1

    def poll(self) -> AgentEvent | str | None:
        """The next event if one is there; None otherwise."""
        if not self._events:
            return None
        event = self._events.popleft()
        if self._writers and len(self._events) <= self._capacity // 2:
            self._wake_writers()
        return event

    async def get(self) -> AgentEvent | str | None:
        """The next event; None when there will be no more."""
        while (event := self.poll()) is None and not self._closed:
            self._reader = asyncio.get_running_loop().create_future()
            await self._reader
        return event

    async def wait_for_event(self) -> bool:
        """Wait until an event is there; False when there will be no more."""
        while not self._events and not self._closed:
            self._reader = asyncio.get_running_loop().create_future()
            await self._reader
        return bool(self._events)

    async def flush(self) -> None:
        """Wait until all events that are there are kept, which these are not."""

    def note_end(self, result: AgentResult) -> None:
        """Note how the run has ended, before its reader is told."""

    def note_suspension(self, suspended: RunSuspended) -> None:
        """Note why the run leaves without an end, before its reader is told.

        Raises:
            RunSuspended: The reader is not to get a result.
        """

    def close(self) -> None:
        """There will be no more events."""
        self._closed = True
        self._wake_reader()

    def abandon(self) -> None:
        """The reader has left: writers that wait for room go on."""
        self._abandoned = True
        self._events.clear()
        self._wake_writers()

    def _wake_reader(self) -> None:
        reader, self._reader = self._reader, None
        if reader is not None and not reader.done():
            reader.set_result(None)

    def _wake_writers(self) -> None:
        """Wake as many as there is room for, so that a thousand do not compete for ten places."""
        while self._writers and (
            self._abandoned or len(self._events) + self._woken < self._capacity
        ):
            writer = self._writers.pop(0)
            if not writer.done():
                self._woken += 1
                writer.set_result(None)
