"""Tool calls of runs that have a journal: each is made once, and read from it in a later life."""

from collections.abc import Awaitable, Callable, Container, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Protocol

from arc_core.engine.journal.earlier_calls import EarlierCall, begun_key
from arc_core.engine.journal.records import ToolAttempt, ToolStep
from arc_core.engine.journal.step_forms import BEGUN, CALLED, JUDGED, RecordForm
from arc_core.engine.journal.step_notes import StepNotes
from arc_core.engine.journal.steps import Steps
from arc_core.engine.run_limits import count_estimate
from arc_core.engine.run_state import ActiveRun
from arc_core.messages import ToolResult
from arc_core.runs.journal import Place

__all__ = ["RecordedCall", "is_first_call", "note_calls", "restore_calls", "take_call"]


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
    run: ActiveRun, steps: Steps, call: RecordedCall, *, make: Callable[[], Awaitable[None]]
) -> None:
    """Make a call as a step, or restore what became of it in an earlier life.

    Raises:
        RunSuspended: The run is not to go on here.
    """

    async def make_once() -> ToolStep:
        await make()
        assert call.result is not None
        return _record_of(run, call, call.result)

    called, was_done = await steps.take(
        f"tool/{call.index}", make_once, form=CALLED, place=call.place
    )
    if was_done:
        _restore(run, call, called)


async def restore_calls(steps: Steps, indexes: Iterable[int]) -> Mapping[int, EarlierCall]:
    """Restore what calls that are made at the same time have changed, before one of them begins.

    Returns:
        What is recorded of each; nothing in the first life.
    """
    if steps.is_live:
        return {}
    indexes, forms = tuple(indexes), dict[str, RecordForm[Any]]()
    for index in indexes:
        forms |= {f"approve/{index}": JUDGED, begun_key(index): BEGUN, f"tool/{index}": CALLED}
    found = await steps.restore(forms)
    return {index: await _earlier_call(steps, index, found) for index in indexes}


async def _earlier_call(steps: Steps, index: int, found: Container[str]) -> EarlierCall:
    is_made, times_begun = f"tool/{index}" in found, int(begun_key(index) in found)
    if is_made:
        return EarlierCall(is_made=True)
    while times_begun and await steps.find(begun_key(index, times_begun + 1), BEGUN) is not None:
        times_begun += 1
    return EarlierCall(
        is_judged=f"approve/{index}" in found,
        times_begun=times_begun,
    )


async def is_first_call(run: ActiveRun, index: int, *, attempt: int = 1) -> bool:
    """Return True if no earlier attempt may have made this call; note that this one does."""
    steps = run.steps
    if steps is None:
        return True
    life = steps.journal.life

    async def begin() -> ToolAttempt:
        return ToolAttempt(life=life)

    begun, _ = await steps.take(begun_key(index, attempt), begin, form=BEGUN)
    return begun.life == life


def note_calls(run: ActiveRun, notes: StepNotes, calls: Iterable[RecordedCall]) -> None:
    """Note the calls of a turn, all of which have ended, in a run without a journal."""
    for call in calls:
        told = {"repeatable": run.repeatable, "hands_over_to": run.hands_over_to}
        make = partial(_record_noted, run, call, told)
        notes.add(f"tool/{call.index}", make, form=CALLED)


def _record_noted(run: ActiveRun, call: RecordedCall, told: Mapping[str, Any]) -> ToolStep:
    """The record of a call with what was so at its end, though the run has gone on since."""
    assert call.result is not None
    return replace(_record_of(run, call, call.result), **told)


def _record_of(run: ActiveRun, call: RecordedCall, result: ToolResult) -> ToolStep:
    used: dict[str, Any] = {}
    if below := run.below.runs.pop(f"tool/{call.index}", None):
        usages = [each.token_usage for each in below if each.token_usage is not None]
        costs = [each.cost for each in below if each.cost is not None]
        used = {
            "usage": sum(usages[1:], usages[0]) if usages else None,
            "cost": sum(costs[1:], costs[0]) if costs else None,
            "is_cost_known": all(each.is_cost_known for each in below),
            "model_calls": sum(each.model_calls_made for each in below),
            "tool_calls": sum(each.tool_calls_of_tree for each in below),
            "estimated_tokens": sum(each.estimated_tokens for each in below),
        }
    return ToolStep(
        result=result,
        duration_ms=call.duration_ms,
        found=call.found,
        passed_hooks=call.passed_hooks,
        repeatable=run.repeatable,
        hands_over_to=run.hands_over_to,
        **used,
    )


def _restore(run: ActiveRun, call: RecordedCall, called: ToolStep) -> None:
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
    if called.estimated_tokens:
        count_estimate(run, called.estimated_tokens)
