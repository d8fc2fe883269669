"""Records of tool calls; a later life of their run restores them."""

from typing import Any

from arc_core.engine.journal.records import ToolStep
from arc_core.engine.run_limits import count_estimate
from arc_core.engine.run_state import ActiveRun
from arc_core.engine.tool_calls.call_state import CallState


def pack_call(run: ActiveRun, call: CallState, _: None) -> ToolStep:
    """Return the record of a call that has ended."""
    assert call.result is not None
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
        result=call.result,
        duration_ms=call.duration_ms,
        found=call.found,
        passed_hooks=call.passed_hooks,
        repeatable=run.repeatable,
        hands_over_to=run.hands_over_to,
        **used,
    )


async def restore_call(run: ActiveRun, call: CallState, called: ToolStep) -> None:
    """Restore a call that an earlier life has made."""
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
