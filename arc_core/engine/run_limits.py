"""The limits of a run: its own, and those of the runs above it.

What a run uses counts with all runs above. The settings' `max_tool_calls` and that of a command
bound the calls of one run alone, see `tool_call_limit`.
"""

from collections.abc import Iterator
from decimal import Decimal

from arc_core.command import AgentCommand, AgentMode
from arc_core.engine.run_state import ActiveRun
from arc_core.limits import Limits
from arc_core.settings import LlmSettings


def get_temperature(command: AgentCommand, llm: LlmSettings) -> float | None:
    """The temperature the model is asked at; None leaves it to the vendor."""
    return llm.temperature if command.temperature is None else command.temperature


def tool_call_limit(command: AgentCommand, *, allowed: int) -> int:
    """Return how many tool calls a run may make; 0 if it has no tools."""
    if command.mode is AgentMode.STANDARD:
        return 0
    wanted = command.max_tool_calls
    limit = max(0, allowed if wanted is None else min(wanted, allowed))
    limits = command.limits
    if limits is None or limits.max_tool_calls is None:
        return limit
    return min(limit, limits.max_tool_calls)


def count_estimate(run: ActiveRun, tokens: int) -> None:
    """Count tokens that no vendor has counted, for all runs above, too."""
    current: ActiveRun | None = run
    while current is not None:
        current.estimated_tokens += tokens
        current = current.caller


def is_at_limit(run: ActiveRun) -> bool:
    """Return True if the model is asked for its last answer.

    Of tokens and of costs, it is when less is left than its last call took: another turn would
    not fit.
    """
    for each, limits in _find_limits(run):
        most = limits.max_model_calls
        if most is not None and each.model_calls_made >= most:
            return True
        if limits.max_total_tokens is not None:
            left = limits.max_total_tokens - _count_tokens(each)
            if left < run.tokens_of_last_call:
                return True
        if limits.max_cost is not None:
            unspent = limits.max_cost - each.spent
            if not each.is_cost_known or unspent < run.cost_of_last_call:
                return True
    return False


def is_used_up(run: ActiveRun) -> bool:
    """Return True if not even a last answer is possible.

    A call whose cost is not known, since the vendor has not counted it, uses up all there is.
    """
    return any(
        (limits.max_total_tokens is not None and _count_tokens(each) >= limits.max_total_tokens)
        or (limits.max_cost is not None and _is_cost_used_up(each, limits.max_cost))
        for each, limits in _find_limits(run)
    )


def has_max_cost(run: ActiveRun) -> bool:
    """Return True if its costs, or those of a run above it, are bounded."""
    return any(limits.max_cost is not None for _, limits in _find_limits(run))


def may_call_tool(run: ActiveRun) -> bool:
    """Return True if one more tool call is within the limits."""
    current: ActiveRun | None = run
    while current is not None:
        limits = current.command.limits
        most = None if limits is None else limits.max_tool_calls
        if most is not None and current.tool_calls_of_tree >= most:
            return False
        current = current.caller
    return True


def tokens_left(run: ActiveRun) -> int | None:
    """Return how many tokens it may still use; None if that is not bounded."""
    left = [
        limits.max_total_tokens - _count_tokens(each)
        for each, limits in _find_limits(run)
        if limits.max_total_tokens is not None
    ]
    return max(0, min(left)) if left else None


def _find_limits(run: ActiveRun) -> Iterator[tuple[ActiveRun, Limits]]:
    current: ActiveRun | None = run
    while current is not None:
        if current.command.limits is not None:
            yield current, current.command.limits
        current = current.caller


def _is_cost_used_up(run: ActiveRun, max_cost: Decimal) -> bool:
    return not run.is_cost_known or run.spent >= max_cost


def _count_tokens(run: ActiveRun) -> int:
    counted = 0 if run.token_usage is None else run.token_usage.total_tokens
    return counted + run.estimated_tokens
