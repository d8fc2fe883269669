"""Runs the tool calls of one turn, all at once, and merges what comes of them in call order."""

import asyncio
import time
from collections.abc import Awaitable, Mapping, Sequence
from functools import partial
from typing import TypeVar

from arc_core.agents.tools import AgentTool, HandoffTool
from arc_core.command import AgentCommand
from arc_core.engine.answers.schema_checks import (
    find_argument_problems,
    parse_arguments,
    peek_arguments,
)
from arc_core.engine.boundary import policies
from arc_core.engine.boundary.boundary import Failed
from arc_core.engine.boundary.hooks import HookChain
from arc_core.engine.context.attachments import AttachmentRules
from arc_core.engine.guards.input_guards import ToolResultGuards
from arc_core.engine.journal.recorder import Settled, StepInProgress, begun_key
from arc_core.engine.journal.step_forms import CALLED, PackedForm
from arc_core.engine.kept_results import ReadResultTool
from arc_core.engine.run_limits import is_at_limit, may_call_tool
from arc_core.engine.run_state import ActiveRun, DelegatedTask, RunStoppedError
from arc_core.engine.tool_calls.call_state import (
    CallState,
    ToolProgress,
    end_turn,
    hook_context,
    pack_call,
    restore_call,
    take_named_call,
)
from arc_core.engine.tool_calls.questions import CallRequests, EffectInterruptedError
from arc_core.engine.tool_calls.tool_output import (
    UnreadableOutputError,
    cut_content,
    put_aside,
    render,
    retry_text,
    tell_interruption,
    tell_invalid_arguments,
    tell_unreadable,
)
from arc_core.engine.tools.approvals import ApprovalReach, AskedCall
from arc_core.engine.tools.user_requests import AskingParts, make_tool_context
from arc_core.errors import ToolArgumentsError, ToolRetry
from arc_core.events import ToolCallFinished, ToolCallStarted
from arc_core.interfaces.agent_metrics import AgentMetrics
from arc_core.interfaces.hook import ToolCallContext, ToolCallResult
from arc_core.interfaces.tools.tool import Tool
from arc_core.log import get_logger
from arc_core.messages import ToolCall, ToolOutcome, ToolResult
from arc_core.messages.content import Content, cut_text, get_text
from arc_core.runs.journal import RunSuspended
from arc_core.settings import AgentSettings
from arc_core.timing.cancellation import cancel_only_with, leave_if_cancelled
from arc_core.tools.function_tool import FunctionTool
from arc_core.tools.use_tool import USE_TOOL, UseTool

logger, delegation_logger = get_logger("tool_calls"), get_logger("delegation")

T = TypeVar("T")

_BEGIN_AT_ONCE = 100  # then other runs have their turn
_FLEETING = frozenset({ToolOutcome.FAILED, ToolOutcome.TIMED_OUT, ToolOutcome.BLOCKED})


class ToolCallRunner:
    """Runs tool calls with hooks, validation, a time-out and a bound on the output."""

    def __init__(
        self,
        *,
        approvals: ApprovalReach,
        requests: AskingParts,
        attachments: AttachmentRules,
        hooks: HookChain,
        result_guards: ToolResultGuards,
        metrics: AgentMetrics,
        settings: AgentSettings,
    ) -> None:
        self._attachments = attachments
        self._reach, self._approvals = approvals, approvals.approvals
        self._request_parts, self._boundary = requests, requests.boundary
        self._hooks, self._result_guards, self._metrics = hooks, result_guards, metrics
        self._timeout_s = settings.concurrency.tool_call_timeout_s
        self._max_output_chars = settings.tools.max_output_chars
        self._max_handoffs = settings.agents.max_handoffs
        self._settings, self._context = settings, settings.context
        self._max_shown_chars = min(self._max_output_chars, self._context.show_result_chars)

    async def run(
        self,
        run: ActiveRun,
        calls: Sequence[ToolCall],
        *,
        shown: Sequence[ToolCall] | None = None,
        offered: Mapping[str, Tool],
        limit: int,
    ) -> tuple[ToolResult, ...]:
        """The results, in the order of the calls.

        They are counted towards the limit of the run, and told of as everyone but their tools may
        see them.

        Raises:
            RunStoppedError: A hook with `fail_on_error` failed after a call, or a call ends the
                run; all calls have ended.
            RunSuspended: A call waits for a person, or the run is not to go on here; all other
                calls have ended.
            asyncio.CancelledError: Out of the run, or out of a tool.
        """
        pairs = zip(calls, calls if shown is None else shown, strict=True)
        started = [
            self._take_slot(run, call, seen, offered=offered, limit=limit) for call, seen in pairs
        ]
        for each in started:
            if each.tool is not None and each.allowed:
                each.may_ask = self._approvals.may_ask_about(each.tool)
        await run.recorder.begin_turn(started, partial(self._may_ask, started))
        try:
            await self._run_all(run, started, limit=limit)
        finally:
            for call in started:
                if call.found:
                    run.tools_used[call.call.name] = None
        return end_turn(started)

    async def _run_all(self, run: ActiveRun, calls: Sequence[CallState], *, limit: int) -> None:
        """Run each call in a task of its own."""
        owner = asyncio.current_task()
        assert owner is not None
        if len(calls) == 1:  # a group would take another round of the loop
            task = asyncio.create_task(self._run_one(run, calls[0], limit=limit))
            cancel_only_with(task, owner)
            await task
            leave_if_cancelled()
            return
        async with asyncio.TaskGroup() as group:
            for number, call in enumerate(calls, 1):
                making = self._run_one(run, call, limit=limit)
                cancel_only_with(group.create_task(making), owner)
                if not number % _BEGIN_AT_ONCE:
                    await asyncio.sleep(0)

    def _may_ask(self, calls: Sequence[CallState]) -> bool:
        """Return whether a call of a turn may have to wait for a person."""
        for call in calls:
            if call.may_ask or (call.tool and self._reach.leads_to_asking(call.tool)):
                return True
        return False

    def _take_slot(
        self,
        run: ActiveRun,
        call: ToolCall,
        shown: ToolCall,
        *,
        offered: Mapping[str, Tool],
        limit: int,
    ) -> CallState:
        index, counted = run.tool_calls_made, run.tool_calls_made - run.free_reads
        run.tool_calls_made += 1
        tool = offered.get(call.name)
        if type(tool) is ReadResultTool and run.free_reads < self._context.max_reads:
            run.free_reads += 1
            return CallState(call, shown, index, tool, allowed=True)
        allowed = counted < limit and may_call_tool(run)
        run.count_tool_call()
        state = CallState(call, shown, index, tool, allowed)
        search = offered.get(USE_TOOL) if tool is None else tool
        if type(search) is UseTool:
            take_named_call(state, search)
        return state

    async def _run_one(self, run: ActiveRun, call: CallState, *, limit: int) -> None:
        tool = call.tool
        try:
            if (call.may_ask or call.earlier.is_judged) and not call.earlier.is_made:
                call.settled = await self._settle(run, call, tool=tool)
            if tool is None and call.earlier.is_told:
                problem = f"the tool {call.call.name!r} was being called, which is not there"
                raise RunSuspended(problem=problem)  # noqa: TRY301 -- with what else suspends a call
            make = partial(self._make, run, call, limit=limit)
            await run.recorder.step(
                f"tool/{call.index}",
                make,
                PackedForm(CALLED, partial(pack_call, run, call), partial(restore_call, run, call)),
                place=call.place,
            )
            if call.hidden is not None and call.result is not None:
                await run.keep_result(
                    f"tool/{call.index}", call.result.text, call.hidden, settings=self._settings
                )
        except RunSuspended as suspended:
            call.suspended = suspended
        except RunStoppedError as stopped:  # a group of errors would say nothing of it
            call.stopped = stopped

    async def _settle(self, run: ActiveRun, call: CallState, *, tool: Tool | None) -> Settled:
        """Decide if a call is made, which an earlier attempt may have asked people about."""
        asked = AskedCall(
            run=run,
            key=f"approve/{call.index}",
            call=call.call,
            tool=tool,
            context=hook_context(run, call, arguments=peek_arguments(call.call.arguments)),
            shown=peek_arguments(call.shown.arguments),
            earlier=call.earlier,
            find_problems=self._find_problems,
        )
        return await run.recorder.settle(partial(self._approvals.settle, asked))

    async def _find_problems(self, tool: Tool, arguments: str) -> Sequence[str]:
        """Return the problems of arguments for a tool; none if only a call can tell."""
        found = await self._boundary.call(
            policies.TOOL,
            tool,
            partial(find_argument_problems, tool, arguments),
            timeout_s=self._timeout_s,
        )
        return () if isinstance(found, Failed) else found

    async def _make(self, run: ActiveRun, call: CallState, *, limit: int) -> None:
        if run.streaming and not call.earlier.is_told:
            await run.emit(ToolCallStarted(call.shown))
        context: ToolCallContext | None = None
        if self._hooks.watches_tool_calls:
            context = hook_context(run, call, arguments=peek_arguments(call.shown_arguments))
        content, outcome = await self._get_output(run, call, context, limit=limit)
        if outcome is ToolOutcome.INVALID_ARGUMENTS and call.shown != call.call:
            content = f"Error: Invalid arguments for tool '{call.shown.name}'"  # might quote them
        if outcome is not ToolOutcome.SUCCESS:
            content = cut_text(get_text(content), max_chars=self._max_output_chars)
        call.result = ToolResult(call.call.id, call.shown.name, content, outcome)
        await self._finish(run, call, context)

    async def _get_output(
        self, run: ActiveRun, call: CallState, context: ToolCallContext | None, *, limit: int
    ) -> tuple[Content, ToolOutcome]:
        """Run the tool, unless something is against that."""
        if (refusal := _find_refusal(call, limit=limit)) is not None:
            return refusal
        if context is not None and (rejection := await self._hooks.before_tool_call(context)):
            return f"Tool call rejected: {rejection.reason}", ToolOutcome.BLOCKED
        if call.tool is not None:
            call.found = True
            run.repeatable = run.repeatable and getattr(call.tool, "cacheable", True)
            return await self._run_checked(run, call, call.tool)
        if call.earlier.times_begun:
            return tell_interruption(call.call.name)
        nearest = f". Nearest: {', '.join(call.nearest)}" if call.nearest else ""
        return f"Error: Tool '{call.shown.name}' not found{nearest}", ToolOutcome.NOT_FOUND

    async def _finish(
        self, run: ActiveRun, call: CallState, context: ToolCallContext | None
    ) -> None:
        assert call.result is not None
        result = call.result
        duration_ms = call.duration_ms
        run.repeatable = run.repeatable and result.outcome not in _FLEETING
        self._metrics.record_tool_call(result.name, duration_ms, result.outcome)
        if context is not None:
            told = ToolCallResult(
                outcome=result.outcome, content=result.text, duration_ms=duration_ms
            )
            call.passed_hooks = await self._hooks.after_tool_call(context, told)
        if run.streaming:
            await run.emit(ToolCallFinished(result, duration_ms))
        call.ended = True

    async def _run_checked(
        self, run: ActiveRun, call: CallState, tool: Tool
    ) -> tuple[Content, ToolOutcome]:
        result = content, outcome = await self._run_tool(run, call, tool)
        if call.speaks and self._result_guards:
            content, outcome = await self._result_guards.check(
                tool,
                result,
                context=run.hook_context,
                call_id=call.call.id,
                arguments=peek_arguments(call.arguments),
            )
        is_short = isinstance(content, str) and len(content) <= self._max_shown_chars
        if is_short or outcome is not ToolOutcome.SUCCESS or isinstance(tool, ReadResultTool):
            return content, outcome
        return self._put_aside(run, call, content, is_bounded=content is result[0]), outcome

    def _put_aside(
        self, run: ActiveRun, call: CallState, content: Content, *, is_bounded: bool
    ) -> Content:
        """Return what the model is shown of a result."""
        if not run.keeps_results:
            return content if is_bounded else cut_content(content, max_chars=self._max_output_chars)
        visible, call.hidden = put_aside(
            content,
            key=f"tool/{call.index}",
            max_chars=self._max_shown_chars,
            keep_chars=self._context.keep_result_chars,
        )
        return visible

    async def _run_tool(
        self, run: ActiveRun, call: CallState, tool: Tool
    ) -> tuple[Content, ToolOutcome]:
        if type(tool) is not FunctionTool:  # most are, and to ask a Protocol takes long
            if isinstance(tool, AgentTool):
                return await self._ask_agent(run, call, tool)
            if isinstance(tool, HandoffTool):
                return await self._hand_over(run, call, tool)
        is_once = getattr(tool, "once", False) or call.earlier.times_begun > 0
        if is_once and not await run.recorder.begin_attempt(begun_key(call.index, call.attempt)):
            return tell_interruption(call.call.name)
        return await self._call_within_bounds(run, call, tool)

    async def _call_within_bounds(
        self, run: ActiveRun, call: CallState, tool: Tool
    ) -> tuple[Content, ToolOutcome]:
        own_s: object = self._boundary.call_now(policies.TOOL, tool, getattr, tool, "timeout_s")
        timeout_s = own_s if isinstance(own_s, int | float) and own_s > 0 else self._timeout_s
        with StepInProgress(run, f"tool/{call.index}"):
            result = await self._boundary.call(
                policies.TOOL, tool, partial(self._call_tool, run, call, tool), timeout_s=timeout_s
            )
        below = run.below if run.has_runs_below else None  # of most runs there is none
        requests = None if below is None else below.requests.pop(f"tool/{call.index}", None)
        if requests is not None:
            raise RunSuspended(requests)  # whatever the tool has made of it
        if not isinstance(result, Failed):
            return result
        name = call.call.name
        if result.timed_out:
            logger.warning("tool timed out", tool=name, timeout_s=timeout_s)
            text = f"Error: Tool '{name}' timed out after {timeout_s:g} seconds"
            return text, ToolOutcome.TIMED_OUT
        logger.error("tool failed", tool=name, exc_info=result.error)
        return f"Error: Tool '{name}' failed", ToolOutcome.FAILED

    async def _hand_over(
        self, run: ActiveRun, call: CallState, tool: HandoffTool
    ) -> tuple[Content, ToolOutcome]:
        """Let another agent have the next turn; of several calls in one turn the first counts."""
        if run.hands_over_to is not None:
            return "Error: Only one agent can take over", ToolOutcome.FAILED
        most = self._max_handoffs
        if len(run.handoffs) >= most:
            text = f"Error: Maximum number of handoffs ({most}) reached"
            return text, ToolOutcome.LIMIT_REACHED
        run.hands_over_to = tool.agent_name
        result = f"{tool.agent_name} takes over."
        if tool.function is None:
            return result, ToolOutcome.SUCCESS
        content, outcome = await self._call_within_bounds(run, call, tool.function)
        if outcome is not ToolOutcome.SUCCESS:
            run.hands_over_to = None
        return content or result, outcome

    async def _ask_agent(
        self, run: ActiveRun, call: CallState, tool: AgentTool
    ) -> tuple[Content, ToolOutcome]:
        if tool.function is not None:
            made, outcome = await self._call_within_bounds(run, call, tool.function)
            if outcome is not ToolOutcome.SUCCESS:
                return made, outcome
            task = get_text(made)
            shown = task if call.shown_arguments == call.arguments else call.shown_arguments
        else:
            try:
                task = (await parse_arguments(tool, call.arguments))["task"]
                shown = str(peek_arguments(call.shown_arguments).get("task", ""))
            except ToolArgumentsError as error:
                return tell_invalid_arguments(tool.name, error)
        text, outcome = await _measure(
            call, self._delegate(run, call, tool, task=task, shown=shown)
        )
        call.speaks = outcome is ToolOutcome.SUCCESS
        return cut_text(text, max_chars=self._context.keep_result_chars), outcome

    async def _delegate(
        self, run: ActiveRun, call: CallState, tool: AgentTool, *, task: str, shown: str
    ) -> tuple[str, ToolOutcome]:
        """Ask another agent in a run of its own, and return its answer, or that there is none."""
        agent, max_depth, parent = tool.agent_name, self._settings.agents.max_depth, run.command
        if run.depth >= max_depth or run.start_inner is None:
            delegation_logger.info("delegation is too deep", asked=agent, max_depth=max_depth)
            text = f"Error: Maximum depth of delegation ({max_depth}) reached"
            return text, ToolOutcome.LIMIT_REACHED
        if is_at_limit(run):
            return "Error: A limit of this run is reached", ToolOutcome.LIMIT_REACHED
        command = AgentCommand(
            user_prompt=task,
            agent=agent,
            user_id=parent.user_id,
            tenant_id=parent.tenant_id,
            metadata=parent.metadata,
        )
        delegated = DelegatedTask(command=command, shown=shown, call_index=call.index)
        result = await run.start_inner(run, delegated)
        if result.success and result.content is not None:
            return result.content, ToolOutcome.SUCCESS
        delegation_logger.info("delegated run failed", asked=agent, code=str(result.error_code))
        return f"Error: The agent '{agent}' has no answer", ToolOutcome.FAILED

    async def _call_tool(
        self, run: ActiveRun, call: CallState, tool: Tool
    ) -> tuple[Content, ToolOutcome]:
        """Return a tool's result, or the reason that it gives itself for having none."""
        name = call.call.name
        try:
            arguments = await parse_arguments(tool, call.arguments)
            progress = None if run.channel is None else ToolProgress(run.offer, call.call.id)
            requests = CallRequests(run, call, self._request_parts)
            context = make_tool_context(
                run,
                requests,
                call_id=call.call.id,
                idempotency_key=f"{run.run_id}/{call.index}",
                reporter=progress,
            )
            value = await _measure(call, tool.call(arguments, context), progress)
            kept = self._context.keep_result_chars if run.keeps_results else self._max_output_chars
            content = render(value, max_chars=kept)
            content = self._attachments.fit(run, content)
            call.speaks = True
            return content, ToolOutcome.SUCCESS
        except ToolArgumentsError as error:
            return tell_invalid_arguments(name, error)
        except EffectInterruptedError:
            return tell_interruption(name)
        except UnreadableOutputError as error:
            return tell_unreadable(name, error)
        except ToolRetry as retry:
            logger.info("tool asks the model to do something else", tool=name)
            asked = retry_text(retry.text, max_chars=self._max_output_chars)
            call.speaks = asked is not None
            return asked or f"Error: Tool '{name}' failed", ToolOutcome.FAILED


def _find_refusal(call: CallState, *, limit: int) -> tuple[str, ToolOutcome] | None:
    """Return why a call is not made, as limits and people have decided; None if it is."""
    if not call.allowed:
        return f"Error: Maximum tool call limit ({limit}) reached", ToolOutcome.LIMIT_REACHED
    if call.settled.is_interrupted:
        return tell_interruption(call.call.name, denial=call.settled.denial)
    if (denial := call.settled.denial) is not None:
        problem = f"This call of the tool '{call.call.name}' was denied: {denial}"
        return f"Error: {problem}", ToolOutcome.DENIED
    return None


async def _measure(call: CallState, work: Awaitable[T], progress: ToolProgress | None = None) -> T:
    """Return a tool's result; whatever it made of a cancellation or a time-out, that leaves."""
    began = time.perf_counter()
    try:
        return await work
    finally:
        call.duration_ms = (time.perf_counter() - began) * 1000
        if progress is not None:
            progress.end()
        leave_if_cancelled()
