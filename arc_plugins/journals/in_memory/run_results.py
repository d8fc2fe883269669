"""Results and summaries of runs in memory."""

from collections import Counter
from collections.abc import Callable

from arc_core import (
    AgentErrorCode,
    AgentResult,
    Decision,
    KeptRunCounts,
    RunState,
    find_decision_problem,
)
from arc_core.runs.store import RunSummary
from arc_plugins.journals.in_memory.stored_run import StoredRun


def why_not(run: StoredRun, key: str, decision: Decision) -> str | None:
    """Return why a call does not wait for a decision; None if it does."""
    return find_decision_problem(
        decision,
        request=run.requests.get(key),
        made=run.decisions.get(key),
        has_ended=run.result is not None,
    )


def make_summary(run: StoredRun) -> RunSummary:
    """Return the state of a run, and whose it is."""
    command, result = run.command, run.result
    state = run.state if result is None else RunState.FINISHED
    known = run.so_far if state is RunState.WAITING else result
    return RunSummary(
        run_id=run.run_id,
        state=state,
        agent=command.agent or "default",
        user_id=command.user_id or "",
        tenant_id=command.tenant_id,
        session_id=command.session_id,
        since=run.since,
        finished_at=run.finished_at,
        error_code=None if result is None else result.error_code,
        requests=run.open_requests,
        last_seq=run.last_seq,
        problem=run.problem if state is RunState.HELD else "",
        cost=None if known is None else known.cost,
        result=known,
    )


def make_cancelled_result(run: StoredRun) -> AgentResult:
    """The end of a cancelled run: what its attempt has told, if it came to that."""
    if run.told_end is not None:
        return run.told_end.result
    return _failure(run, AgentErrorCode.CANCELLED, "The request was cancelled.")


def make_failed_result(run: StoredRun) -> AgentResult:
    """The end of a run whose attempt has raised."""
    return _failure(run, AgentErrorCode.UNKNOWN, "Something went wrong.")


def _failure(run: StoredRun, code: AgentErrorCode, message: str) -> AgentResult:
    agent = run.command.agent or "default"
    return AgentResult(
        success=False, error_code=code, error_message=message, run_id=run.run_id, agent=agent
    )


class StateCounts:
    """Counts the runs that have not ended, as they go from state to state.

    Attributes:
        record: Is told the counts when one has changed; None if they go nowhere.
    """

    def __init__(self) -> None:
        self.record: Callable[[KeptRunCounts], None] | None = None
        self._by_state = Counter[RunState | None]()

    def note(self, run: StoredRun) -> None:
        """Count a run in the state in which it is now."""
        if self.record is None:
            return
        is_over = run.is_lost or run.result is not None
        state = None if is_over else run.state
        if state is run.counted_as:
            return
        self._by_state[run.counted_as] -= 1
        self._by_state[state] += 1
        run.counted_as = state
        self.record(
            KeptRunCounts(
                waiting=self._by_state[RunState.WAITING],
                queued=self._by_state[RunState.QUEUED],
                running=self._by_state[RunState.RUNNING],
            )
        )
