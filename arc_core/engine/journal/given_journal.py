"""The journal of a run on its way through what wraps the engine.

Journals bring a run to the agent executor of the application, which may be a wrapper of the engine
or stand in its place. It is asked as for any other run; the engine finds the journal here.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from arc_core.engine.journal.journal_channel import JournalChannel
from arc_core.events import AgentEvent
from arc_core.result import AgentResult
from arc_core.runs.journal import RunJournal, RunSuspended


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

    def abandon(self) -> None:
        """The reader has left: nothing waits for it any more."""
        super().abandon()
        self._wake_waiters()

    def _wake_waiters(self) -> None:
        waiters, self._waiters = self._waiters, []
        for each in waiters:
            if not each.done():
                each.set_result(None)
