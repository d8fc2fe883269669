"""Calls tools for other programs, without a model; all that binds a model's calls binds these."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from arc_core.command import AgentCommand
from arc_core.engine.answers.schema_checks import peek_arguments
from arc_core.engine.event_channel import EventChannel
from arc_core.engine.journal.recorder import RunRecorder, Settled
from arc_core.engine.run_state import ActiveRun, RunStoppedError
from arc_core.engine.turns.collaborators import Collaborators
from arc_core.errors import AgentErrorCode, RunFailedError
from arc_core.events import AgentEvent, ToolCallProgress
from arc_core.interfaces.hook import ToolCallContext
from arc_core.interfaces.run_scope import RunScopes
from arc_core.interfaces.tools.approval_policy import Ask
from arc_core.interfaces.tools.tool import Tool
from arc_core.messages import ToolCall, ToolOutcome, ToolResult
from arc_core.requests import Deny
from arc_core.result import AgentResult
from arc_core.timing.cancellation import wait_despite_cancellation


class DirectToolCalls:
    """Each call is a run of its own, which has no model, no conversation and no answer."""

    def __init__(self, parts: Collaborators, *, scopes: RunScopes) -> None:
        self._tools, self._scopes = parts.callable_tools, scopes
        self._approvals, self._runner = parts.approvals, parts.tool_calls

    async def call(
        self,
        call: ToolCall,
        command: AgentCommand,
        *,
        report: Callable[[ToolCallProgress], None] | None,
    ) -> ToolResult:
        """The result of a call, whatever came of it."""
        channel = None if report is None else _Reports(report)
        run = ActiveRun.of(command, channel, scopes=self._scopes)
        run.recorder, run.keeps_results = _JUDGED, False
        ending: BaseException | None = asyncio.CancelledError()
        try:
            result = await self._call(run, call)
            ending = _ending(run, result)
            return result
        finally:
            await _close(run, ending)

    async def _call(self, run: ActiveRun, call: ToolCall) -> ToolResult:
        offered = {tool.name: tool for tool in self._tools.list()}
        try:
            if reason := await self._reason_against(run, call, offered.get(call.name)):
                return ToolResult(call.id, call.name, reason, ToolOutcome.DENIED)
            return await self._run(run, call, offered)
        except RunStoppedError:
            text = f"Error: After the call of the tool '{call.name}', a check failed"
            return ToolResult(call.id, call.name, text, ToolOutcome.BLOCKED)

    async def _run(self, run: ActiveRun, call: ToolCall, offered: Mapping[str, Tool]) -> ToolResult:
        """The result; of a tool that is cancelled by itself, that it has failed."""
        calling = self._runner.run(run, [call], offered=offered, limit=1)
        task = asyncio.create_task(calling, name="arc-tool-call")
        try:
            await asyncio.wait((task,))
        finally:
            task.cancel()
            await wait_despite_cancellation(task)
        if task.cancelled():
            text = f"Error: Tool '{call.name}' failed"
            return ToolResult(call.id, call.name, text, ToolOutcome.FAILED)
        (result,) = task.result()
        return result

    async def _reason_against(
        self, run: ActiveRun, call: ToolCall, tool: Tool | None
    ) -> str | None:
        """Why a call is not made without a person, or at all."""
        if tool is None or not self._approvals.may_ask_about(tool):
            return None
        context = ToolCallContext(
            agent_context=run.hook_context,
            tool_name=call.name,
            arguments=peek_arguments(call.arguments),
            call_index=0,
            call_id=call.id,
        )
        verdict = await self._approvals.verdict_on(tool, context)
        if isinstance(verdict, Deny):
            reason = verdict.reason or "no reason was given"
            return f"Error: This call of the tool '{call.name}' was denied: {reason}"
        if isinstance(verdict, Ask):
            return (
                f"Error: A person has to approve this call of the tool '{call.name}', which is "
                "possible in a run only: ask an agent to do it"
            )
        return None


class _JudgedCall(RunRecorder):
    """Lets the call be made, since it was seen to before that no person has to be asked."""

    async def settle(self, judge: Callable[[], Awaitable[Settled]]) -> Settled:
        """Return that it is made; see `RunRecorder`."""
        return Settled()


_JUDGED = _JudgedCall()


class _Reports(EventChannel):
    """Hands on what a tool reports; nothing else of the run is read."""

    def __init__(self, report: Callable[[ToolCallProgress], None]) -> None:
        super().__init__()
        self._report = report

    def offer(self, event: AgentEvent | str) -> bool:
        """Take everything, so that the run never waits."""
        if isinstance(event, ToolCallProgress):
            self._report(event)
        return True


def _ending(run: ActiveRun, result: ToolResult) -> BaseException | None:
    """Return the end of the call, as the components of its run see it."""
    if result.outcome is ToolOutcome.SUCCESS:
        return None
    code = AgentErrorCode.TOOL_ERROR
    failed = AgentResult(
        success=False, error_code=code, error_message=result.text, run_id=run.run_id
    )
    return RunFailedError(failed)


async def _close(run: ActiveRun, ending: BaseException | None) -> None:
    """Close what lived as long as the call, also if it was cancelled."""
    if (scope := run.scope.end()) is not None:
        closing = asyncio.create_task(scope.close(ending), name="arc-tool-call-end")
        await wait_despite_cancellation(closing)
