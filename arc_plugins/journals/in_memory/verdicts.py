"""How a run ends that has not ended by itself, and why it does not wait for a decision."""

from arc_core import AgentErrorCode, AgentResult
from arc_core.approvals import Approve, Decision
from arc_plugins.journals.in_memory.kept_run import KeptRun

__all__ = ["cancelled", "failed", "recorded_end", "why_not"]


def why_not(run: KeptRun, key: str, decision: Decision) -> str | None:
    """Why a call does not wait for a decision; None if it does."""
    made = run.decisions.get(key)
    if made is not None:
        verb = "approved" if isinstance(made.answer, Approve) else "denied"
        return f"{made.by} has {verb} it already, at {made.at.isoformat()}"
    request = run.requests.get(key)
    if request is None:
        return "it does not wait for a decision"
    if run.result is not None:
        return "the run has ended"
    if decision.arguments_hash not in {"", request.arguments_hash}:
        return "its arguments are not those that were decided on; look at the request again"
    return None


def recorded_end(run: KeptRun) -> AgentResult | None:
    """The result that the last step of a run has recorded; None if the run has not come to it."""
    finished = run.steps.get("finish")
    return finished if isinstance(finished, AgentResult) else None


def cancelled(run: KeptRun) -> AgentResult:
    """The end of a run that was cancelled where no attempt could tell it."""
    return _failure(run, AgentErrorCode.CANCELLED, "The request was cancelled.")


def failed(run: KeptRun) -> AgentResult:
    """The end of a run whose attempt has raised."""
    return _failure(run, AgentErrorCode.UNKNOWN, "Something went wrong.")


def _failure(run: KeptRun, code: AgentErrorCode, message: str) -> AgentResult:
    agent = run.command.agent or "default"
    return AgentResult(
        success=False, error_code=code, error_message=message, run_id=run.run_id, agent=agent
    )
