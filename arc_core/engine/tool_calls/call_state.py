"""One tool call of a turn on its way, and what hooks and tools are told of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arc_core.engine.journal.earlier_calls import NEW_CALL, EarlierCall
from arc_core.engine.run_state import ActiveRun, RunStoppedError
from arc_core.engine.tool_calls.tool_progress import ToolProgress
from arc_core.engine.tools.approvals import Settled
from arc_core.interfaces.hook import ToolCallContext
from arc_core.interfaces.run_journal import Place, RunSuspended
from arc_core.interfaces.tool import ToolContext
from arc_core.messages import ToolCall, ToolResult

__all__ = [
    "CallState",
    "hook_context",
    "leave_if_stopped",
    "leave_if_suspended",
    "tool_context",
]

_SETTLED = Settled()


@dataclass(slots=True)
class CallState:
    """One call on its way.

    Attributes:
        call: As the model has sent it; its tool gets that.
        shown: As everyone else may see it.
        index: Its place among all calls of the run.
        allowed: Whether it is within the limit.
        found: Whether its tool is on offer; decides whether the name counts as used.
        speaks: Whether the result has words of the tool, and not of the engine alone.
        duration_ms: Of the tool alone; 0 where it did not run.
        result: None until it has ended.
        ended: Whether its hooks and the caller have been told of the result.
        passed_hooks: Whether no hook with `fail_on_error` failed after it.
        settled: What a policy or a person has said of it.
        place: Of its step in the journal of the run, if that has one.
        earlier: What earlier lives of the run have recorded of it.
        suspended: Why it is not made in this life of the run, if it is not.
        stopped: Why it ends the run in the place of having a result, if it does.
    """

    call: ToolCall
    shown: ToolCall
    index: int
    allowed: bool
    found: bool = False
    speaks: bool = False
    duration_ms: float = 0.0
    result: ToolResult | None = None
    ended: bool = False
    passed_hooks: bool = True
    settled: Settled = _SETTLED
    place: Place | None = None
    earlier: EarlierCall = NEW_CALL
    suspended: RunSuspended | None = None
    stopped: RunStoppedError | None = None

    @property
    def attempt(self) -> int:
        """1, and one more each time that a person has had it called again."""
        is_approved = self.settled.decision is not None
        return self.earlier.times_begun + 1 if is_approved else 1

    @property
    def arguments(self) -> str:
        """What the tool is called with, as JSON."""
        changed = self.settled.arguments
        return self.call.arguments if changed is None else changed

    @property
    def shown_arguments(self) -> str:
        """What hooks are told of them."""
        changed = self.settled.arguments
        return self.shown.arguments if changed is None else changed


def hook_context(
    run: ActiveRun, call: CallState, *, arguments: Mapping[str, Any]
) -> ToolCallContext:
    """What hooks and policies are told of a call."""
    return ToolCallContext(
        agent_context=run.hook_context,
        tool_name=call.shown.name,
        arguments=arguments,
        call_index=call.index,
        call_id=call.call.id,
        decision=call.settled.decision,
    )


def leave_if_stopped(calls: Sequence[CallState]) -> None:
    """End the run if a call of it does, once all others have ended and are recorded.

    Raises:
        RunStoppedError: Of the first one that does.
    """
    stopped = next((call.stopped for call in calls if call.stopped is not None), None)
    if stopped is not None:
        raise stopped


def leave_if_suspended(calls: Sequence[CallState]) -> None:
    """Leave the run if a call of it waits, once all others have ended and are recorded.

    Raises:
        RunSuspended: It has the requests of all the calls that wait.
    """
    suspended = [call.suspended for call in calls if call.suspended is not None]
    if suspended:
        problem = next((each.problem for each in suspended if each.problem), "")
        requests = [request for each in suspended for request in each.requests]
        raise RunSuspended(requests, problem=problem)


def tool_context(run: ActiveRun, call: CallState, progress: ToolProgress | None) -> ToolContext:
    """What the tool is told of its call."""
    context = run.hook_context
    return ToolContext(
        run_id=context.run_id,
        call_id=call.call.id,
        idempotency_key=f"{context.run_id}/{call.index}",
        user_id=context.user_id,
        session_id=context.session_id,
        tenant_id=context.tenant_id,
        metadata=context.metadata,
        scope=context.scope,
        reporter=progress,
    )
