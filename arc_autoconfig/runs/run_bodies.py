"""The runs that journals keep, through the agent executor of the application.

What is submitted or served is run as `execute` would run it: by the executor that is wired, with
all that wraps the engine around it, or by the one that stands in the engine's place.
"""

import asyncio
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import replace

from arc_autoconfig.runs.options import deps_for
from arc_core.command import AgentCommand
from arc_core.engine.journal.journal_channel import GivenJournal, give_journal
from arc_core.errors import AgentErrorCode
from arc_core.events import AgentEvent, RunFinished, TurnRestarted
from arc_core.interfaces.agent_executor import AgentExecutor, RecordsRuns
from arc_core.log import get_logger
from arc_core.result import AgentResult
from arc_core.runs.journal import RunJournal
from arc_core.runs.store import RunStore

logger = get_logger("runs")

_NO_END = "The agent executor has not said how the run ended."


class RunBodies:
    """Brings the runs of journals to an executor.

    Args:
        executor: The one that is wired.
        journals: Keep the runs.
        components: All that are in use. An engine among them that the executor wraps records the
            steps of runs; without one, a run whose process dies begins again.
    """

    def __init__(
        self, executor: AgentExecutor, journals: RunStore, *, components: Sequence[object]
    ) -> None:
        self._executor, self._journals = executor, journals
        engines = (each for each in components if isinstance(each, RecordsRuns))
        self._engine = next(engines, None)
        self._is_bare = id(self._engine) == id(executor)

    async def start(self) -> None:
        """Have the journals begin, or go on with, what they keep.

        Raises:
            ConfigurationError: They cannot.
        """
        await self._journals.start(self._run)

    async def aclose(self) -> None:
        """Have the journals let go of their runs, while the executor can still end them."""
        await self._journals.aclose()

    async def _run(self, command: AgentCommand, journal: RunJournal) -> AgentResult:
        engine = self._engine
        if engine is not None and (
            self._is_bare
            # What wraps the engine is around it already, as its caller is here.
            or engine.is_asked(journal.run_id)
            or journal.is_wrapped
            # There is nothing to check and to do but the end.
            or _is_to_end(journal)
        ):
            return await engine.run_kept(command, journal)
        if _is_to_end(journal):
            code = AgentErrorCode.CANCELLED if journal.is_cancelled else AgentErrorCode.UNKNOWN
            return AgentResult(success=False, error_code=code, run_id=journal.run_id)
        with give_journal(journal) as given:
            return await self._pass(command, given)

    async def _pass(self, command: AgentCommand, given: GivenJournal) -> AgentResult:
        """Ask the executor as any caller does, and publish what it tells.

        Raises:
            RunSuspended: The run leaves without an end.
        """
        journal, result = given.journal, None
        numbering = _Numbering(given)
        stream = self._executor.stream_events
        events = stream(command, **deps_for(stream, journal.deps))
        try:
            async with aclosing(events):
                async for event in events:
                    if isinstance(event, RunFinished) and numbering.is_own(event):
                        result = event.result
                        continue
                    for each in numbering.number(event):
                        await journal.publish(each)
        except asyncio.CancelledError:
            if given.ended is not None:  # what it has used is known, and only here
                await self._finish(given, given.ended, numbering)
            raise
        if given.suspended is not None and (result is None or result.waiting):
            if result is not None:
                journal.keep_so_far(replace(result, run_id=journal.run_id))
            raise given.suspended
        if result is None:
            if (task := asyncio.current_task()) is not None and task.cancelling():
                raise asyncio.CancelledError
            logger.error("an agent executor has ended without RunFinished", run_id=journal.run_id)
            result = AgentResult(
                success=False, error_code=AgentErrorCode.UNKNOWN, error_message=_NO_END
            )
        return await self._finish(given, result, numbering)

    async def _finish(
        self, given: GivenJournal, result: AgentResult, numbering: "_Numbering"
    ) -> AgentResult:
        result = replace(result, run_id=given.journal.run_id)
        for each in numbering.number(RunFinished(result)):
            await given.journal.publish(each)
        return result


class _Numbering:
    """Makes the events of an executor those of the run: its id, and numbers without a gap.

    Runs below it keep theirs. The first event is never one of these.
    """

    def __init__(self, given: GivenJournal) -> None:
        self._given, self._run_id = given, given.journal.run_id
        self._own = {"", self._run_id}
        self._seq, self._has_begun = given.journal.told, False

    def is_own(self, event: AgentEvent) -> bool:
        """Return whether an event is of the run itself."""
        if not self._has_begun:
            self._has_begun = True
            self._own.add(event.run_id)
        return event.run_id in self._own

    def number(self, event: AgentEvent) -> Sequence[AgentEvent]:
        """Return the event as its readers get it; after a restart, they are told of that first."""
        is_first = not self._has_begun
        if not self.is_own(event):
            return [event]
        is_again = is_first and self._seq > 0 and not self._given.is_taken
        events = [TurnRestarted(1), event] if is_again else [event]
        return [self._next(each) for each in events]

    def _next(self, event: AgentEvent) -> AgentEvent:
        self._seq += 1
        return replace(event, run_id=self._run_id, seq=self._seq)


def _is_to_end(journal: RunJournal) -> bool:
    """Return whether this attempt only ends the run."""
    return journal.is_cancelled or journal.given_up_after > 0
