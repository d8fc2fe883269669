"""The events of a run on their way to its journal, and journals on their way to the engine.

The application gives a run to its agent executor, which may be a wrapper of the engine or stand in
its place. It is asked as for any other run; the engine finds the journal here.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from arc_core.engine.event_channel import EventChannel
from arc_core.events import AgentEvent
from arc_core.log import get_logger
from arc_core.result import AgentResult
from arc_core.runs.journal import RunJournal, RunSuspended
from arc_core.timing.cancellation import wait_despite_cancellation

logger = get_logger("journal")


class JournalChannel(EventChannel):
    """A channel whose reader is the journal.

    Args:
        journal: Keeps the events.
    """

    is_published = True

    def __init__(self, journal: RunJournal) -> None:
        super().__init__()
        self._journal = journal
        self._in_order = asyncio.Lock()

    async def flush(self) -> None:
        """Publish all events that are there, in their order."""
        async with self._in_order:
            while (event := self.poll()) is not None:
                assert not isinstance(event, str)
                await self._journal.publish(event)

    @asynccontextmanager
    async def publishing(self) -> AsyncIterator[None]:
        """Publish the events as they come."""
        task = asyncio.create_task(self._publish_all())
        try:
            yield
        finally:
            self.close()
            await wait_despite_cancellation(task)

    async def _publish_all(self) -> None:
        try:
            while await self.wait_for_event():
                await self.flush()
        except Exception:  # the steps of the run tell of it, too
            logger.exception("events of a run could not be published")
        finally:
            self.abandon()


@dataclass(slots=True, eq=False)
class GivenJournal:
    """A journal that waits for the engine to take it.

    Attributes:
        journal: The record of the run.
        is_taken: Whether an engine records the run in it; what is asked for later is another run.
        suspended: Why the run has left without an end; None if it has not.
        ended: How the run has ended; None if it goes on, or has not told the journal.
    """

    journal: RunJournal
    is_taken: bool = False
    suspended: RunSuspended | None = None
    ended: AgentResult | None = None


_GIVEN: ContextVar[GivenJournal | None] = ContextVar("arc_given_journal", default=None)


@contextmanager
def give_journal(journal: RunJournal) -> Iterator[GivenJournal]:
    """Have the engine record the next run that is asked for in this context."""
    given = GivenJournal(journal)
    token = _GIVEN.set(given)
    try:
        yield given
    finally:
        _GIVEN.reset(token)


def take_journal() -> GivenJournal | None:
    """Return the journal that is given here, once; None if there is none."""
    given = _GIVEN.get()
    if given is None or given.is_taken:
        return None
    given.is_taken = True
    return given


class PassedOnChannel(JournalChannel):
    """A channel whose events pass what wraps the engine before they are published.

    Args:
        given: Has the journal, and is told how the run has ended.
    """

    def __init__(self, given: GivenJournal) -> None:
        super().__init__(given.journal)
        self.given = given
        self._is_passed_on = False
        self._waiters: list[asyncio.Future[None]] = []

    def poll(self) -> AgentEvent | str | None:
        """The next event; who asks for it has passed on those before."""
        event = super().poll()
        self._is_passed_on = event is None
        if self._is_passed_on:
            self._wake_waiters()
        return event

    async def flush(self) -> None:
        """Wait until all events that are there have been passed on."""
        while (self._events or not self._is_passed_on) and not self._abandoned:
            passed_on = asyncio.get_running_loop().create_future()
            self._waiters.append(passed_on)
            await passed_on

    def tells_end(self, result: AgentResult) -> bool:
        """Note the result, which is told once it has passed what wraps the engine."""
        self.given.ended = result
        return False

    def abandon(self) -> None:
        """The reader has left: nothing waits for it any more."""
        super().abandon()
        self._wake_waiters()

    def _wake_waiters(self) -> None:
        waiters, self._waiters = self._waiters, []
        for each in waiters:
            if not each.done():
                each.set_result(None)
