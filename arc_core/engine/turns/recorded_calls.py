"""Tool calls of runs that have a journal: each is made once, and read from it in a later life."""

from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from arc_core.engine.journal.records import Begun, Called
from arc_core.engine.journal.step_forms import BEGUN, CALLED
from arc_core.engine.journal.steps import Steps
from arc_core.engine.run_state import Run
from arc_core.interfaces.run_journal import Place
from arc_core.messages import ToolResult

__all__ = ["RecordedCall", "is_first_call", "take_call"]


class RecordedCall(Protocol):
    """A call on its way, as `ToolCallRunner` keeps it."""

    index: int
    found: bool
    duration_ms: float
    result: ToolResult | None
    ended: bool
    passed_hooks: bool
    place: Place | None


async def take_call(
    run: Run, steps: Steps, call: RecordedCall, *, make: Callable[[], Awaitable[None]]
) -> None:
    """Make a call as a step, or restore what became of it in an earlier life.

    Args:
        run: That calls.
        steps: Of the run.
        call: Gets the result.
        make: Makes it, with its hooks.

    Raises:
        RunSuspended: The run is not to go on here.
    """

    async def make_once() -> Called:
        await make()
        assert call.result is not None
        return _record_of(run, call, call.result)

    called, was_done = await steps.take(
        f"tool/{call.index}", make_once, form=CALLED, place=call.place
    )
    if was_done:
        _restore(run, call, called)


async def is_first_call(run: Run, index: int) -> bool:
    """Whether no earlier life of the run may have made this call; notes that this one does."""
    steps = run.steps
    if steps is None:
        return True
    life = steps.journal.life

    async def begin() -> Begun:
        return Begun(life=life)

    begun, _ = await steps.take(f"tool/{index}/begun", begin, form=BEGUN)
    return begun.life == life


def _record_of(run: Run, call: RecordedCall, result: ToolResult) -> Called:
    below = run.runs_below.pop(call.index, None)
    used: dict[str, Any] = {}
    if below is not None:
        used = {
            "usage": below.token_usage,
            "cost": below.cost,
            "is_cost_known": below.is_cost_known,
            "model_calls": below.model_calls_made,
            "tool_calls": below.tool_calls_of_tree,
        }
    return Called(
        result=result,
        duration_ms=call.duration_ms,
        found=call.found,
        passed_hooks=call.passed_hooks,
        repeatable=run.repeatable,
        hands_over_to=run.hands_over_to,
        **used,
    )


def _restore(run: Run, call: RecordedCall, called: Called) -> None:
    call.result, call.duration_ms, call.found = called.result, called.duration_ms, called.found
    call.passed_hooks, call.ended = called.passed_hooks, True
    run.repeatable = run.repeatable and called.repeatable
    if called.hands_over_to is not None:
        run.hands_over_to = called.hands_over_to
    if called.usage is not None:
        run.add_usage(called.usage)
    for _ in range(called.model_calls):
        run.count_model_call()
    for _ in range(called.tool_calls):
        run.count_tool_call()
    if called.cost is not None or not called.is_cost_known:
        run.add_cost(called.cost)
