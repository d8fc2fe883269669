"""What is said of a run: how it ends if it does not by itself, why it is not to be decided."""

from arc_core import AgentErrorCode, AgentResult, Decision, RunState, find_decision_problem
from arc_core.runs.store import RunSummary
from arc_plugins.journals.in_memory.kept_run import KeptRun

__all__ = ["cancellation_of", "failure_of", "summary_of", "why_not"]


def why_not(run: KeptRun, key: str, decision: Decision) -> str | None:
    """Return why a call does not wait for a decision; None if it does."""
    return find_decision_problem(
        decision,
        request=run.requests.get(key),
        made=run.decisions.get(key),
        has_ended=run.result is not None,
    )


def summary_of(run: KeptRun) -> RunSummary:
    """Where it is, and whose it is."""
    command, result = run.command, run.result
    return RunSummary(
        run_id=run.run_id,
        state=run.state if result is None else RunState.FINISHED,
        agent=command.agent or "default",
        user_id=command.user_id or "",
        tenant_id=command.tenant_id,
        session_id=command.session_id,
        since=run.since,
        error_code=None if result is None else result.error_code,
        requests=run.open_requests,
        last_seq=run.last_seq,
        problem=run.problem if run.state is RunState.HELD else "",
    )


def cancellation_of(run: KeptRun) -> AgentResult:
    """The end of a cancelled run: what its attempt has told, if it came to that."""
    if run.told_end is not None:
        return run.told_end.result
    return _failure(run, AgentErrorCode.CANCELLED, "The request was cancelled.")


def failure_of(run: KeptRun) -> AgentResult:
    """The end of a run whose attempt has raised."""
    return _failure(run, AgentErrorCode.UNKNOWN, "Something went wrong.")


def _failure(run: KeptRun, code: AgentErrorCode, message: str) -> AgentResult:
    agent = run.command.agent or "default"
    return AgentResult(
        success=False, error_code=code, error_message=message, run_id=run.run_id, agent=agent
    )
