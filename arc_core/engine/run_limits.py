"""The limits of runs: permits and deadlines, and what a run and those above it may use.

What a run uses counts with all runs above. The settings' `max_tool_calls` and that of a command
bound the calls of one run alone, see `tool_call_limit`.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import TypeVar

from arc_core.command import AgentCommand, AgentMode
from arc_core.engine.journal.records import CompactionStep, ToolStep
from arc_core.engine.run_state import ActiveRun, RunStoppedError
from arc_core.errors import AgentErrorCode
from arc_core.limits import Limits
from arc_core.settings import ConcurrencySettings


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
    for each in run.list_lineage():
        each.estimated_tokens += tokens


def add_spent(run: ActiveRun, step: ToolStep | CompactionStep) -> None:
    """Count what an earlier life has spent in a step."""
    if step.usage is not None:
        run.add_usage(step.usage)
    if step.cost is not None or not step.is_cost_known:
        run.add_cost(step.cost)
    if step.estimated_tokens:
        count_estimate(run, step.estimated_tokens)


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
        or (
            limits.max_cost is not None
            and (not each.is_cost_known or each.spent >= limits.max_cost)
        )
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
    if run.is_without_limits:
        return None
    left = [
        limits.max_total_tokens - _count_tokens(each)
        for each, limits in _find_limits(run)
        if limits.max_total_tokens is not None
    ]
    return max(0, min(left)) if left else None


def _find_limits(run: ActiveRun) -> Iterator[tuple[ActiveRun, Limits]]:
    for each in run.list_lineage():
        if each.command.limits is not None:
            yield each, each.command.limits


def _count_tokens(run: ActiveRun) -> int:
    counted = 0 if run.token_usage is None else run.token_usage.total_tokens
    return counted + run.estimated_tokens


T = TypeVar("T")


class Admission:
    """A number of permits shared by all entry points, and a deadline for each run.

    Belongs to the event loop it is first waited in.
    """

    def __init__(self, settings: ConcurrencySettings) -> None:
        self._permits = asyncio.Semaphore(settings.max_concurrent_requests)
        self._settings = settings

    async def run(
        self,
        work: Callable[[asyncio.Timeout], Awaitable[T]],
        *,
        deadline_s: float | None = None,
        has_permit: bool = False,
    ) -> T:
        """Do the work with a permit, within the deadline.

        Args:
            work: What is done; it may put off the deadline that it is given, or bring it forward.
            deadline_s: A bound of its own, within that of the settings.
            has_permit: Whether it is part of work that has one.

        Raises:
            RunStoppedError: OVERLOADED without a permit in time, TIMEOUT past the deadline.
            Exception: Whatever the work raises, its own TimeoutError too.
        """
        allowed = self._settings.request_timeout_s or None
        if deadline_s is not None:
            allowed = deadline_s if allowed is None else min(allowed, deadline_s)
        if not has_permit:
            await self._acquire()
        deadline = asyncio.timeout(allowed)
        try:
            async with deadline:
                return await work(deadline)
        except Exception as error:  # past the deadline all else is a consequence of it
            if deadline.expired():
                raise RunStoppedError(AgentErrorCode.TIMEOUT) from error
            raise
        finally:
            if not has_permit:
                self._permits.release()

    async def _acquire(self) -> None:
        if not self._permits.locked():
            await self._permits.acquire()
            return
        scope = asyncio.timeout(self._settings.acquire_timeout_s)
        try:
            async with scope:
                await self._permits.acquire()
        except TimeoutError as error:
            raise RunStoppedError(AgentErrorCode.OVERLOADED) from error
