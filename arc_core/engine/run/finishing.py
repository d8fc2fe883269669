"""The end of a run, whatever came of it: result, history, hooks, metrics."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from arc_core.engine.answer import FinalAnswer
from arc_core.engine.model_calls.retry import classify
from arc_core.engine.run_state import ActiveRun, RunStoppedError
from arc_core.engine.turns.collaborators import Collaborators
from arc_core.errors import AgentErrorCode, ModelError, RunFailedError, RunSuspendedError
from arc_core.interfaces.agent_metrics import FaultSource, RunRecord
from arc_core.interfaces.run_scope import RunScope
from arc_core.log import get_logger
from arc_core.messages import AssistantMessage
from arc_core.messages.attachments import replace_text
from arc_core.requests import Request
from arc_core.result import AgentResult

logger = get_logger("runs")

_BY_LIMIT = frozenset({AgentErrorCode.LIMIT_REACHED, AgentErrorCode.TIMEOUT})


@dataclass(frozen=True, slots=True, eq=False)
class RunFinisher:
    """Turns outcomes into results, and reports them to history, hooks and metrics."""

    parts: Collaborators

    def result_of(self, run: ActiveRun, answer: FinalAnswer) -> AgentResult:
        """The result of a run that has an answer."""
        message = answer.message
        if message is None:
            message = AssistantMessage(answer.content)
        elif message.text != answer.content or message.tool_calls:
            # The vendor's own content would bring back the text that was changed.
            content = replace_text(message.content, answer.content)
            message = AssistantMessage(content, reasoning=message.reasoning)
        run.messages.append(message)
        return AgentResult(
            success=True,
            content=answer.content,
            output=answer.output,
            has_output=answer.has_output,
            **_get_facts(run),
        )

    def get_failure(self, run: ActiveRun, error: BaseException) -> AgentResult:
        """The result of a run that has none; the exception's text stays in the log."""
        retry_after_s: float | None = None
        match error:
            case RunStoppedError(code=code, message=message, retry_after_s=retry_after_s):
                logger.info("run stopped", code=code.value)
            case asyncio.CancelledError():
                code, message = AgentErrorCode.CANCELLED, None
                logger.info("run cancelled")
            case ModelError():
                code, message, retry_after_s = error.code, None, error.retry_after_s
                logger.error("run failed", code=code.value, error=str(error))
                logger.debug("run failed here", exc_info=error)
            case _:
                code, message = classify(error).code, None
                logger.error("run failed", code=code.value, exc_info=error)
        return AgentResult(
            success=False,
            error_code=code,
            error_message=self.parts.get_error_text(code) if message is None else message,
            partial_content=run.partial_content or (run.said if code in _BY_LIMIT else None),
            retry_after_s=retry_after_s,
            **_get_facts(run),
        )

    def waiting_of(self, run: ActiveRun, requests: Sequence[Request]) -> AgentResult:
        """The result of a run that waits for people."""
        return AgentResult(
            success=False,
            partial_content=run.partial_content,
            waiting=tuple(requests),
            **_get_facts(run),
        )

    async def leave(self, run: ActiveRun, requests: Sequence[Request] = ()) -> None:
        """Tell the hooks that the run leaves, and close what lives as long as it in this process.

        Its components see that it is suspended, by what people have to decide before it goes on.

        Raises:
            asyncio.CancelledError: A hook raised it; all the others have been told.
        """
        try:
            if self.parts.billing.spending.is_bounding:
                await self.parts.billing.spending.settle(run)
        finally:
            try:
                await self.parts.hooks.after_agent_suspend(run.hook_context)
            finally:
                if run.kept is not None:
                    run.kept.close()
                if (scope := run.scope.end()) is not None:
                    await self._close(scope, RunSuspendedError(run.run_id, requests))

    async def finish(self, run: ActiveRun, result: AgentResult) -> AgentResult:
        """Settle, save, tell the hooks, close what lives as long as the run, measure.

        The hooks come before the close, since they may still use the components of the run. What
        could not be closed is named in the result.

        Raises:
            asyncio.CancelledError: A component raised it; all the others have been told.
        """
        try:
            if self.parts.billing.spending.is_bounding:
                await self.parts.billing.spending.settle(run)
        finally:
            finished = await self._tell_end(run, result)
        return finished

    async def _tell_end(self, run: ActiveRun, result: AgentResult) -> AgentResult:
        not_closed: tuple[str, ...] = ()
        try:
            await self.parts.history.save(run, result)
            if run.handoffs and result.success:
                await self.parts.in_charge.remember(run)
            if run.offered_tools:
                await self.parts.offered_tools.save(run)
        finally:
            try:
                await self.parts.hooks.after_agent_complete(run.hook_context, result)
            finally:
                try:
                    if (scope := run.scope.end()) is not None:
                        not_closed = await self._close(scope, _ending(result))
                finally:
                    if run.kept is not None:
                        run.kept.close()
                    self._measure(run, result)
        return replace(result, not_closed=not_closed) if not_closed else result

    async def _close(self, scope: RunScope, ending: BaseException | None) -> tuple[str, ...]:
        not_closed = tuple(await scope.close(ending))
        for _ in not_closed:
            self.parts.metrics.record_fault(FaultSource.RUN_COMPONENT)
        return not_closed

    def _measure(self, run: ActiveRun, result: AgentResult) -> None:
        if not self.parts.metrics.takes_runs:
            return
        self.parts.metrics.record_run(
            RunRecord(
                streaming=run.streaming,
                error_code=result.error_code,
                duration_ms=run.duration_ms,
                token_usage=result.token_usage,
                model=run.vendor_model,
                name=run.model_name,
                cost=run.cost,
                provider=run.provider,
                agent=run.hook_context.agent if run.has_agent else None,
            )
        )


def _get_facts(run: ActiveRun) -> dict[str, Any]:
    """Return the fields of a result that every run has, whatever came of it."""
    return {
        "tools_used": tuple(run.tools_used),
        "token_usage": run.token_usage,
        "duration_ms": run.duration_ms,
        "run_id": run.run_id,
        "metadata": run.metadata,
        "finish_reason": run.finish_reason,
        "cache_hit": run.cache_hit,
        "dropped_messages": run.dropped_messages,
        "history_available": run.history_available,
        "messages": tuple(run.messages),
        "reasoning": run.reasoning,
        "agent": run.hook_context.agent,
        "model": run.model,
        "provider": run.provider,
        "cost": run.cost,
    }


def _ending(result: AgentResult) -> BaseException | None:
    """Return the end of the run, as its components see it."""
    if result.success:
        return None
    if result.error_code is AgentErrorCode.CANCELLED:
        return asyncio.CancelledError()
    return RunFailedError(result)
