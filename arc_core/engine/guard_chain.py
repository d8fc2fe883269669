"""The first stage: every guard must let the prompt in."""

from collections.abc import Sequence
from dataclasses import replace

from arc_core.cancellation import leave_if_cancelled
from arc_core.engine.run import Run, RunStoppedError
from arc_core.errors import AgentErrorCode
from arc_core.interfaces.agent_metrics import AgentMetrics, FaultSource
from arc_core.interfaces.guard import (
    Allowed,
    Guard,
    GuardRequest,
    GuardResult,
    Rejected,
    RejectionCategory,
)
from arc_core.log import get_logger

__all__ = ["GuardChain"]

logger = get_logger("guards")


class GuardChain:
    """Asks the guards in order; fails closed.

    Args:
        guards: Sorted by order.
        metrics: Told of guards that raise.
        system_prompt: Of commands that bring none.
    """

    def __init__(
        self, guards: Sequence[Guard], *, metrics: AgentMetrics, system_prompt: str
    ) -> None:
        self._guards = guards
        self._metrics = metrics
        self._system_prompt = system_prompt

    async def admit(self, run: Run) -> str:
        """The prompt as the guards have normalised it.

        Raises:
            RunStoppedError: A guard rejects or raises.
        """
        if not self._guards:
            return run.command.user_prompt
        request = self._request(run)
        for guard in self._guards:
            result = await self._checked(guard, request)
            leave_if_cancelled()
            if isinstance(result, Rejected):
                raise self._rejection(guard, result)
            if result.text is not None:
                request = replace(request, text=result.text)
        return request.text

    def _request(self, run: Run) -> GuardRequest:
        command, context = run.command, run.hook_context
        return GuardRequest(
            text=command.user_prompt,
            user_id=context.user_id,
            session_id=context.session_id,
            tenant_id=context.tenant_id,
            metadata=context.metadata,
            system_prompt=(
                self._system_prompt if command.system_prompt is None else command.system_prompt
            ),
        )

    async def _checked(self, guard: Guard, request: GuardRequest) -> GuardResult:
        try:
            result: object = await guard.check(request)
        except Exception as error:  # fail closed: what cannot be checked is kept out
            leave_if_cancelled()
            logger.exception("guard failed and rejects", guard=type(guard).__name__)
            self._metrics.record_fault(FaultSource.GUARD)
            raise RunStoppedError(AgentErrorCode.GUARD_REJECTED) from error
        if isinstance(result, Allowed | Rejected):
            return result
        logger.error(
            "guard rejects: it returned neither Allowed nor Rejected",
            guard=type(guard).__name__,
            returned=type(result).__name__,
        )
        self._metrics.record_fault(FaultSource.GUARD)
        raise RunStoppedError(AgentErrorCode.GUARD_REJECTED)

    def _rejection(self, guard: Guard, result: Rejected) -> RunStoppedError:
        logger.info("guard rejects", guard=type(guard).__name__, category=result.category.value)
        limited = result.category is RejectionCategory.RATE_LIMITED
        code = AgentErrorCode.RATE_LIMITED if limited else AgentErrorCode.GUARD_REJECTED
        return RunStoppedError(code, result.reason or None)
