"""The runs that journals keep, through the agent executor of the application.

What is submitted or served is run as `execute` would run it: by the executor that is wired, with
all that wraps the engine around it, or by the one that stands in the engine's place.
"""

from collections.abc import Sequence
from functools import partial

from arc_autoconfig.runs.options import deps_for
from arc_core.command import AgentCommand
from arc_core.engine.journal.journal_channel import record_run
from arc_core.errors import AgentErrorCode
from arc_core.interfaces.agent_executor import AgentExecutor, RecordsRuns
from arc_core.result import AgentResult
from arc_core.runs.journal import RunJournal
from arc_core.runs.store import RunStore


class RunBodies:
    """Brings the runs of journals to the executor that is wired.

    An engine among the components that the executor wraps records the steps of runs; without one, a
    run whose process dies begins again.
    """

    def __init__(
        self, executor: AgentExecutor, journals: RunStore, *, components: Sequence[object]
    ) -> None:
        self._executor, self._journals = executor, journals
        engines = (each for each in components if isinstance(each, RecordsRuns))
        self._engine = next(engines, None)
        self._is_bare = id(self._engine) == id(executor)

    async def start(self) -> None:
        """Have the journals begin, or go on with, what they keep."""
        await self._journals.start(self._run)

    async def aclose(self) -> None:
        """Have the journals let go of their runs, while the executor can still end them."""
        await self._journals.aclose()

    async def _run(self, command: AgentCommand, journal: RunJournal) -> AgentResult:
        is_to_end, engine = journal.is_cancelled or journal.given_up_after > 0, self._engine
        if engine is not None and (
            self._is_bare
            # What wraps the engine is around it already, as its caller is here.
            or engine.is_asked(journal.run_id)
            or journal.is_wrapped
            # There is nothing to check and to do but the end.
            or is_to_end
        ):
            return await engine.run_kept(command, journal)
        if is_to_end:
            code = AgentErrorCode.CANCELLED if journal.is_cancelled else AgentErrorCode.UNKNOWN
            return AgentResult(success=False, error_code=code, run_id=journal.run_id)
        stream = self._executor.stream_events
        given = deps_for(stream, journal.deps)
        return await record_run(partial(stream, **given), command, journal)
