"""Runs the tool calls of one turn, all at once, and merges what comes of them in call order."""

import asyncio
import time
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from arc_core.agent_tool import AgentTool, HandoffTool
from arc_core.cancellation import leave_if_cancelled
from arc_core.content import Content, text_of
from arc_core.engine.components import policies
from arc_core.engine.components.approvals import Approvals, Settled
from arc_core.engine.components.boundary import Boundary, Failed
from arc_core.engine.components.hooks import HookChain
from arc_core.engine.run_limits import may_call_tool
from arc_core.engine.run_state import Run, RunStoppedError
from arc_core.engine.turns.agent_calls import AgentCalls
from arc_core.engine.turns.attachments import AttachmentRules
from arc_core.engine.turns.recorded_calls import is_first_call, take_call
from arc_core.engine.turns.tool_arguments import parse_arguments, peek_arguments
from arc_core.engine.turns.tool_output import UnreadableOutputError, cut_text, render, retry_text
from arc_core.engine.turns.tool_progress import ToolProgress
from arc_core.errors import AgentErrorCode, ToolArgumentsError, ToolRetry
from arc_core.events import ToolCallFinished, ToolCallStarted
from arc_core.interfaces.agent_metrics import AgentMetrics
from arc_core.interfaces.hook import ToolCallContext, ToolCallResult
from arc_core.interfaces.run_journal import Place, RunSuspended
from arc_core.interfaces.tool import Tool, ToolContext
from arc_core.log import get_logger
from arc_core.messages import ToolCall, ToolOutcome, ToolResult

__all__ = ["ToolCallBounds", "ToolCallRunner"]

logger = get_logger("tool_calls")

T = TypeVar("T")

_SETTLED = Settled()
_FLEETING = frozenset({ToolOutcome.FAILED, ToolOutcome.TIMED_OUT, ToolOutcome.BLOCKED})


@dataclass(frozen=True, slots=True)
class ToolCallBounds:
    """How long a tool call may take, and how much it may say.

    Attributes:
        timeout_s: Of a tool that has none of its own.
        max_output_chars: What the model reads of a result.
    """

    timeout_s: float
    max_output_chars: int


@dataclass(slots=True)
class _Call:
    """One call on its way.

    Attributes:
        index: Its place among all calls of the run.
        allowed: Whether it is within the limit.
        found: Whether its tool is on offer; decides whether the name counts as used.
        duration_ms: Of the tool alone; 0 where it did not run.
        result: None until it has ended.
        ended: Whether its hooks and the caller have been told of the result.
        passed_hooks: Whether no hook with `fail_on_error` failed after it.
        settled: What a policy or a person has said of it.
        place: Of its step in the journal of the run, if that has one.
        suspended: Why it is not made in this life of the run, if it is not.
    """

    call: ToolCall
    index: int
    allowed: bool
    found: bool = False
    duration_ms: float = 0.0
    result: ToolResult | None = None
    ended: bool = False
    passed_hooks: bool = True
    settled: Settled = _SETTLED
    place: Place | None = None
    suspended: RunSuspended | None = None

    @property
    def arguments(self) -> str:
        """What the tool is called with, as JSON."""
        changed = self.settled.arguments
        return self.call.arguments if changed is None else changed


class ToolCallRunner:
    """Runs tool calls with hooks, validation, a time-out and a bound on the output.

    Args:
        attachments: Says what of a result's attachments the model is sent.
        agent_calls: Takes the calls that name another agent.
        approvals: Says which calls wait for a person.
        hooks: Asked before and told after each call.
        boundary: Calls the tools.
        metrics: Told of each call.
        bounds: Of one call.
    """

    def __init__(
        self,
        *,
        attachments: AttachmentRules,
        agent_calls: AgentCalls,
        approvals: Approvals,
        hooks: HookChain,
        boundary: Boundary,
        metrics: AgentMetrics,
        bounds: ToolCallBounds,
    ) -> None:
        self._attachments = attachments
        self._agent_calls = agent_calls
        self._approvals = approvals
        self._hooks = hooks
        self._boundary = boundary
        self._metrics = metrics
        self._timeout_s = bounds.timeout_s
        self._max_output_chars = bounds.max_output_chars

    async def run(
        self, run: Run, calls: Sequence[ToolCall], *, offered: Mapping[str, Tool], limit: int
    ) -> tuple[ToolResult, ...]:
        """The results, in the order of the calls.

        Args:
            run: Counts the calls and notes the tools used.
            calls: Of one turn.
            offered: The turn's tools by name.
            limit: How many calls the run may make in all.

        Raises:
            RunStoppedError: A hook with `fail_on_error` failed after a call; all calls have ended.
            RunSuspended: A call waits for a person, or the run is not to go on here; all other
                calls have ended.
            asyncio.CancelledError: Out of the run, or out of a tool.
        """
        started = [self._take_slot(run, call, limit) for call in calls]
        try:
            async with asyncio.TaskGroup() as group:
                for call in started:
                    group.create_task(self._run_one(run, call, offered=offered, limit=limit))
        finally:
            run.tools_used.update((call.call.name, None) for call in started if call.found)
        _leave_if_suspended(started)
        if not all(call.ended for call in started):
            raise asyncio.CancelledError  # task groups ignore one that comes from inside
        results = tuple(call.result for call in started if call.result is not None)
        if not all(call.passed_hooks for call in started):
            raise RunStoppedError(AgentErrorCode.HOOK_REJECTED)
        return results

    def _take_slot(self, run: Run, call: ToolCall, limit: int) -> _Call:
        index = run.tool_calls_made
        run.tool_calls_made += 1
        allowed = index < limit and may_call_tool(run)
        run.count_tool_call()
        place = None if run.steps is None else run.steps.reserve(f"tool/{index}")
        return _Call(call, index, allowed=allowed, place=place)

    async def _run_one(
        self, run: Run, call: _Call, *, offered: Mapping[str, Tool], limit: int
    ) -> None:
        steps = run.steps
        if steps is None:
            await self._make(run, call, offered=offered, limit=limit)
            return
        try:
            tool = offered.get(call.call.name)
            if call.allowed and tool is not None and self._approvals.may_ask:
                context = self._hook_context(run, call, is_watched=True)
                call.settled = await self._approvals.settle(
                    run, steps, call.call, tool=tool, context=context
                )
            make = partial(self._make, run, call, offered=offered, limit=limit)
            await take_call(run, steps, call, make=make)
        except RunSuspended as suspended:
            call.suspended = suspended

    async def _make(
        self, run: Run, call: _Call, *, offered: Mapping[str, Tool], limit: int
    ) -> None:
        await run.emit(ToolCallStarted(call.call))
        context = self._hook_context(run, call, is_watched=self._hooks.watches_tool_calls)
        if not call.allowed:
            content: Content = f"Error: Maximum tool call limit ({limit}) reached"
            outcome = ToolOutcome.LIMIT_REACHED
        elif (denial := call.settled.denial) is not None:
            content = f"Error: This call of the tool '{call.call.name}' was denied: {denial}"
            outcome = ToolOutcome.DENIED
        elif rejection := await self._hooks.before_tool_call(context):
            content, outcome = f"Tool call rejected: {rejection.reason}", ToolOutcome.BLOCKED
        elif (tool := offered.get(call.call.name)) is None:
            content, outcome = f"Error: Tool '{call.call.name}' not found", ToolOutcome.NOT_FOUND
        else:
            call.found = True
            run.repeatable = run.repeatable and getattr(tool, "cacheable", True)
            content, outcome = await self._run_tool(run, call, tool)
        if outcome is not ToolOutcome.SUCCESS:
            content = cut_text(text_of(content), max_chars=self._max_output_chars)
        call.result = ToolResult(call.call.id, call.call.name, content, outcome)
        await self._finish(run, call, context=context)

    async def _finish(self, run: Run, call: _Call, *, context: ToolCallContext) -> None:
        assert call.result is not None
        result = call.result
        duration_ms = call.duration_ms
        run.repeatable = run.repeatable and result.outcome not in _FLEETING
        self._metrics.record_tool_call(result.name, duration_ms, result.outcome)
        call.passed_hooks = await self._hooks.after_tool_call(
            context,
            ToolCallResult(outcome=result.outcome, content=result.text, duration_ms=duration_ms),
        )
        await run.emit(ToolCallFinished(result, duration_ms))
        call.ended = True

    def _hook_context(self, run: Run, call: _Call, *, is_watched: bool) -> ToolCallContext:
        return ToolCallContext(
            agent_context=run.hook_context,
            tool_name=call.call.name,
            arguments=peek_arguments(call.arguments) if is_watched else {},
            call_index=call.index,
            call_id=call.call.id,
            decision=call.settled.decision,
        )

    async def _run_tool(self, run: Run, call: _Call, tool: Tool) -> tuple[Content, ToolOutcome]:
        if isinstance(tool, AgentTool):
            return await self._ask_agent(run, call, tool)
        if isinstance(tool, HandoffTool):
            return self._agent_calls.handoff.accept(run, tool.agent_name)
        if getattr(tool, "once", False) and not await is_first_call(run, call.index):
            return _interrupted_result(call.call.name)
        return await self._call_within_bounds(run, call, tool)

    async def _call_within_bounds(
        self, run: Run, call: _Call, tool: Tool
    ) -> tuple[Content, ToolOutcome]:
        timeout_s = self._timeout_of(tool)
        told = await self._boundary.call(
            policies.TOOL, tool, lambda: self._call_tool(run, call, tool), timeout_s=timeout_s
        )
        if not isinstance(told, Failed):
            return told
        name = call.call.name
        if told.timed_out:
            return _timeout_result(name, timeout_s)
        logger.error("tool failed", tool=name, exc_info=told.error)
        return f"Error: Tool '{name}' failed", ToolOutcome.FAILED

    async def _ask_agent(self, run: Run, call: _Call, tool: AgentTool) -> tuple[str, ToolOutcome]:
        try:
            task = (await parse_arguments(tool, call.arguments))["task"]
        except ToolArgumentsError as error:
            return _invalid_arguments(tool.name, error)
        asking = self._agent_calls.delegation.ask(run, tool.agent_name, task, call_index=call.index)
        text, outcome = await _measure(call, asking)
        return cut_text(text, max_chars=self._max_output_chars), outcome

    def _timeout_of(self, tool: Tool) -> float:
        timeout_s: object = self._boundary.call_now(policies.TOOL, tool, lambda: tool.timeout_s)
        if isinstance(timeout_s, int | float) and timeout_s > 0:
            return timeout_s
        return self._timeout_s

    async def _call_tool(self, run: Run, call: _Call, tool: Tool) -> tuple[Content, ToolOutcome]:
        """What the model is told by a tool that answers, or that says itself why it does not."""
        name = call.call.name
        try:
            arguments = await parse_arguments(tool, call.arguments)
            progress = None if run.channel is None else ToolProgress(run.offer, call.call.id)
            context = _tool_context(run, call, progress)
            value = await _measure(call, tool.call(arguments, context), progress)
            content = render(value, max_chars=self._max_output_chars)
            return self._attachments.fit(run, content), ToolOutcome.SUCCESS
        except ToolArgumentsError as error:
            return _invalid_arguments(name, error)
        except UnreadableOutputError as error:
            return _unreadable_result(name, error)
        except ToolRetry as retry:
            logger.info("tool asks the model to do something else", tool=name)
            asked = retry_text(retry.text, max_chars=self._max_output_chars)
            return asked or f"Error: Tool '{name}' failed", ToolOutcome.FAILED


def _leave_if_suspended(calls: Sequence[_Call]) -> None:
    """Leave the run if a call of it waits, once all others have ended and are recorded.

    Raises:
        RunSuspended: It has the requests of all the calls that wait.
    """
    suspended = [call.suspended for call in calls if call.suspended is not None]
    if suspended:
        raise RunSuspended([request for each in suspended for request in each.requests])


async def _measure(call: _Call, work: Awaitable[T], progress: ToolProgress | None = None) -> T:
    """What a tool returns; whatever it made of a cancellation or a time-out, that leaves."""
    began = time.perf_counter()
    try:
        return await work
    finally:
        call.duration_ms = (time.perf_counter() - began) * 1000
        if progress is not None:
            progress.end()
        leave_if_cancelled()


def _invalid_arguments(name: str, error: ToolArgumentsError) -> tuple[str, ToolOutcome]:
    text = f"Error: Invalid arguments for tool '{name}': {error}"
    return text, ToolOutcome.INVALID_ARGUMENTS


def _unreadable_result(name: str, error: UnreadableOutputError) -> tuple[str, ToolOutcome]:
    logger.error(
        "tool returned what is neither text nor JSON; return str or JSON values",
        tool=name,
        returned=str(error),
    )
    text = f"Error: Tool '{name}' returned data that is neither text nor JSON"
    return text, ToolOutcome.FAILED


def _timeout_result(name: str, timeout_s: float) -> tuple[str, ToolOutcome]:
    logger.warning("tool timed out", tool=name, timeout_s=timeout_s)
    text = f"Error: Tool '{name}' timed out after {timeout_s:g} seconds"
    return text, ToolOutcome.TIMED_OUT


def _interrupted_result(name: str) -> tuple[str, ToolOutcome]:
    logger.warning("tool was called when the process ended, and is not called again", tool=name)
    text = (
        f"Error: The call of the tool '{name}' was interrupted. It is unknown whether it took "
        "effect; it was not made again."
    )
    return text, ToolOutcome.INTERRUPTED


def _tool_context(run: Run, call: _Call, progress: ToolProgress | None) -> ToolContext:
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
