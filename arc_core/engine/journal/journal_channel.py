"""Journals on their way to the engine, and the events of a run on their way back to its journal.

A run that a journal keeps is asked of an agent executor as any other one. That may be a wrapper of
the engine or stand in its place; the engine finds the journal here, and what it tells passes the
wrapper before it is published.
"""

import asyncio
import sys
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import aclosing, contextmanager
from contextvars import ContextVar
from dataclasses import replace

from arc_core.command import AgentCommand
from arc_core.engine.event_channel import EventChannel
from arc_core.errors import AgentErrorCode
from arc_core.events import AgentEvent, RunFinished, TurnRestarted
from arc_core.log import get_logger
from arc_core.result import AgentResult
from arc_core.runs.journal import RunJournal, RunSuspended

logger = get_logger("journal")

_NO_END = "The agent executor has not said how the run ended."


class JournalChannel(EventChannel):
    """A journal that waits for the engine to take it, and the channel of the run in it.

    Its events are published once they have passed what wraps the engine.

    Args:
        is_direct: Whether nothing wraps the engine, so that events are published, too, that come
            after the run was cancelled.

    Attributes:
        is_taken: Whether an engine records the run in it; what is asked for later is another run.
        suspended: Why the run has left without an end; None if it has not.
        ended: How the run has ended; None if it goes on, or has not told the journal.
    """

    is_published = True

    def __init__(self, journal: RunJournal, *, is_direct: bool = False) -> None:
        super().__init__()
        self.journal, self.is_taken = journal, False
        self.suspended: RunSuspended | None = None
        self.ended: AgentResult | None = None
        self._is_direct, self._has_left, self._is_passed_on = is_direct, False, False
        self._waiters: list[asyncio.Future[None]] = []

    async def get(self) -> AgentEvent | str | None:
        """The next event; who waits for it has passed on those before."""
        self._is_passed_on = not self._events
        if self._is_passed_on:
            self._wake_waiters()
        event = await super().get()
        self._is_passed_on = event is None
        return event

    async def flush(self) -> None:
        """Wait until all events that are there have been passed on."""
        while (self._events or not self._is_passed_on) and not self._has_left:
            passed_on = asyncio.get_running_loop().create_future()
            self._waiters.append(passed_on)
            await passed_on

    def note_end(self, result: AgentResult) -> None:
        """Note the result; its reader may be cancelled before it gets there."""
        self.ended = result

    def note_suspension(self, suspended: RunSuspended) -> None:
        """Note why the run leaves; what wraps the engine sees an end only if people are asked."""
        self.suspended = suspended
        if not suspended.requests:
            raise suspended

    def abandon(self) -> None:
        """The reader has left: nothing waits for it any more."""
        self._has_left = True
        if self._is_direct:
            self._capacity = sys.maxsize
            self._wake_writers()
        else:
            super().abandon()
        self._wake_waiters()

    @property
    def rest(self) -> Sequence[AgentEvent]:
        """The events that were not read, and that pass nothing on their way to the journal."""
        return [each for each in self._events if self._is_direct and not isinstance(each, str)]

    def _wake_waiters(self) -> None:
        waiters, self._waiters = self._waiters, []
        for each in waiters:
            if not each.done():
                each.set_result(None)


_GIVEN: ContextVar[JournalChannel | None] = ContextVar("arc_given_journal", default=None)


@contextmanager
def give_journal(given: JournalChannel) -> Iterator[None]:
    """Have the engine record the next run that is asked for in this context."""
    token = _GIVEN.set(given)
    try:
        yield
    finally:
        _GIVEN.reset(token)


def take_journal() -> JournalChannel | None:
    """Return the journal that is given here, once; None if there is none."""
    given = _GIVEN.get()
    if given is None or given.is_taken:
        return None
    given.is_taken = True
    return given


async def record_run(
    stream: Callable[[AgentCommand], AsyncGenerator[AgentEvent]],
    command: AgentCommand,
    journal: RunJournal,
    *,
    is_direct: bool = False,
) -> AgentResult:
    """Ask an executor as any caller does, and publish what it tells; a direct one is the engine.

    Raises:
        RunSuspended: The run leaves without an end.
    """
    given = JournalChannel(journal, is_direct=is_direct)
    publisher, result = _Publisher(given), None
    try:
        with give_journal(given):
            async with aclosing(stream(command)) as events:
                async for event in events:
                    if isinstance(event, RunFinished) and publisher.is_own(event):
                        result = event.result
                    else:
                        await publisher.publish(event)
    except asyncio.CancelledError:
        await publisher.publish_rest()
        raise
    suspended = given.suspended
    if suspended is not None and (result is None or result.waiting):
        if result is not None:
            journal.keep_so_far(replace(result, run_id=journal.run_id))
        raise suspended
    return await publisher.finish(_make_end(journal) if result is None else result)


def _make_end(journal: RunJournal) -> AgentResult:
    """Return the result of a run whose executor has given none, unless that was cancelled."""
    if (task := asyncio.current_task()) is not None and task.cancelling():
        raise asyncio.CancelledError
    logger.error("an agent executor has ended without RunFinished", run_id=journal.run_id)
    return AgentResult(success=False, error_code=AgentErrorCode.UNKNOWN, error_message=_NO_END)


class _Publisher:
    """Publishes the events of an executor as those of the run: its id, and numbers without a gap.

    Runs below it keep theirs. Of an executor that has not asked the engine, the first event tells
    its own id; the engine may begin with an event of a run below, if it goes on with that.
    """

    def __init__(self, given: JournalChannel) -> None:
        self._given, self._journal = given, given.journal
        self._run_id, self._seq = given.journal.run_id, given.journal.last_seq
        self._own = {"", self._run_id}
        self._has_begun = self._has_failed = False

    def is_own(self, event: AgentEvent) -> bool:
        """Return whether an event is of the run itself."""
        if not self._has_begun:
            self._has_begun = True
            if not self._given.is_taken:
                self._own.add(event.run_id)
        return event.run_id in self._own

    async def publish(self, event: AgentEvent) -> None:
        """Publish an event as its readers get it; after a restart, they are told of that first."""
        is_first = not self._has_begun
        if is_first and self.is_own(event) and self._seq > 0 and not self._given.is_taken:
            await self.publish(TurnRestarted(1))
        if event.seq == self._seq + 1 and event.run_id == self._run_id:
            self._seq += 1
        elif event.run_id in self._own:
            self._seq += 1
            event = replace(event, run_id=self._run_id, seq=self._seq)
        if self._has_failed:
            return
        try:
            await self._journal.publish(event)
        except Exception:  # the steps of the run tell of it, too
            self._has_failed = True
            logger.exception("events of a run could not be published")

    async def publish_rest(self) -> None:
        """Publish what has come after the reader had to leave, and the end if there is one."""
        for event in self._given.rest:
            await self.publish(event)
        if self._given.ended is not None:  # what it has used is known, and only here
            await self.finish(self._given.ended)

    async def finish(self, result: AgentResult) -> AgentResult:
        """Publish the end of the run."""
        result = replace(result, run_id=self._run_id)
        await self.publish(RunFinished(result))
        return result
