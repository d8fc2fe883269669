"""The events of a run that lives only as long as it is read."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from arc_core.errors import ApplicationStateError
from arc_core.events import AgentEvent, RunFinished
from arc_core.result import AgentResult
from arc_core.timing.cancellation import wait_despite_cancellation

_CAPACITY = 256


class BeginningLostError(Exception):
    """A reader has come so late that the first events are no longer kept."""


class EventBuffer:
    """Keeps events until every reader that has begun has read them; makes the writer wait if full.

    A reader that begins later gets all events, as long as none of them had to be dropped.
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
        """Wait until there will be no more events; raises the failure with which it was closed."""
        while not self._is_closed:
            await self._wait()
        if self._failure is not None:
            raise self._failure

    async def read(self) -> AsyncGenerator[AgentEvent]:
        """All events from the first on, then the failure with which it was closed, if any.

        The reader begins with the first that it asks for, or with a `BeginningLostError` if it is
        late.
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


class LiveEvents:
    """The events of a run that begins when they are read, and is cancelled when they are left."""

    readers = 1

    def __init__(self, events: AsyncGenerator[AgentEvent]) -> None:
        self.run_id = ""
        self._events, self._log = events, EventBuffer()
        self._reading: asyncio.Task[None] | None = None
        self._result: AgentResult[Any] | None = None
        self._made: set[str] = set()

    async def open(self) -> None:
        """Begin the run."""
        self._reading = asyncio.create_task(self._fill_log(), name="arc-run-stream")

    async def aclose(self) -> None:
        """Cancel the run, unless it has ended, and wait for its end."""
        assert self._reading is not None
        self._reading.cancel()
        try:
            await wait_despite_cancellation(self._reading)
        finally:
            self._log.close()  # a task that is cancelled before its first step does not

    async def stop(self) -> bool:
        """Cancel the run, unless it has ended; False if it waits for a person, in its store."""
        if self._reading is not None and not self._reading.done():
            await self.aclose()
            return True
        return self._result is not None and not self._result.waiting

    def read(self, name: str, *, after: int | None) -> AsyncGenerator[AgentEvent]:
        """The events; each reading is made once."""
        if name in self._made:
            raise ApplicationStateError(
                f"{name}() of this run is read already",
                remedy="keep what the first reading gave; each may be made once",
            )
        self._made.add(name)
        return self._read(name, after or 0)

    async def wait_for_end(self) -> AgentResult[Any] | None:
        """The result, once there will be no more events; the run waits for no reader any more."""
        self._log.lift_bound()
        await self._log.wait_closed()
        return self._result

    async def _read(self, name: str, after: int) -> AsyncGenerator[AgentEvent]:
        try:
            async with aclosing(self._log.read()) as events:
                async for event in events:
                    if event.run_id != self.run_id or event.seq > after or not after:
                        yield event
        except BeginningLostError as error:
            raise ApplicationStateError(
                f"{name}() of this run was begun too late, its first events are no longer kept",
                remedy="begin all readings before one of them is hundreds of events ahead",
            ) from error

    async def _fill_log(self) -> None:
        failure: Exception | None = None
        try:
            async with aclosing(self._events) as events:
                async for event in events:
                    if not self.run_id:  # before it has started any other run
                        self.run_id = event.run_id
                    if isinstance(event, RunFinished) and event.run_id == self.run_id:
                        self._result = event.result
                    await self._log.put(event)
        except Exception as error:  # noqa: BLE001 -- who reads raises it
            failure = error
        finally:
            self._log.close(failure)
