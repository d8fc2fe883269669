"""The first stage: every guard must let the prompt in."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from arc_core.engine.components import policies
from arc_core.engine.components.boundary import Boundary, Failed
from arc_core.engine.components.guard_answers import ask_guard
from arc_core.engine.run_state import Run, RunStoppedError
from arc_core.errors import AgentErrorCode
from arc_core.interfaces.guard import (
    Guard,
    GuardRequest,
    Rejected,
    RejectionCategory,
)
from arc_core.log import get_logger

__all__ = ["GuardChain"]

logger = get_logger("guards")

# Neither is the fault of the prompt, so the user is not told to change it.
_CODES = {
    RejectionCategory.RATE_LIMITED: AgentErrorCode.RATE_LIMITED,
    RejectionCategory.SYSTEM_ERROR: AgentErrorCode.UNAVAILABLE,
}


class GuardChain:
    """Asks the guards in order; fails closed.

    Args:
        guards: Sorted by order.
        boundary: Calls them.
        system_prompt: Of commands that bring none.
        instructed_later: The agents whose instructions are written for each run that is let in.
    """

    def __init__(
        self,
        guards: Sequence[Guard],
        *,
        boundary: Boundary,
        system_prompt: str,
        instructed_later: Collection[str | None] = (),
    ) -> None:
        self._guards = guards
        self._boundary = boundary
        self._system_prompt = system_prompt
        self._instructed_later = instructed_later

    async def admit(self, run: Run) -> str:
        """The prompt as the guards have normalised it.

        Raises:
            RunStoppedError: A guard rejects or raises.
        """
        if not self._guards:
            return run.command.user_prompt
        request = self._request(run)
        for guard in self._guards:
            told = await ask_guard(guard, request, policy=policies.GUARD, boundary=self._boundary)
            if isinstance(told, Rejected):
                raise self._rejection(guard, told)
            if isinstance(told, Failed):
                raise RunStoppedError(AgentErrorCode.GUARD_REJECTED) from told.error
            if told is not request.text:
                request = replace(request, text=told)
        return request.text

    def _request(self, run: Run) -> GuardRequest:
        command, context = run.command, run.hook_context
        system_prompt = command.system_prompt
        if system_prompt is None and command.agent not in self._instructed_later:
            system_prompt = self._system_prompt
        return GuardRequest(
            text=command.user_prompt,
            agent=context.agent,
            user_id=context.user_id,
            session_id=context.session_id,
            tenant_id=context.tenant_id,
            metadata=context.metadata,
            scope=context.scope,
            attachments=command.attachments,
            system_prompt=system_prompt,
        )

    def _rejection(self, guard: Guard, result: Rejected) -> RunStoppedError:
        if result.category is RejectionCategory.SYSTEM_ERROR:
            self._boundary.count(policies.GUARD)
            logger.warning("guard rejects, since it cannot do its work", guard=type(guard).__name__)
        else:
            logger.info("guard rejects", guard=type(guard).__name__, category=str(result.category))
        code = _CODES.get(result.category, AgentErrorCode.GUARD_REJECTED)
        return RunStoppedError(code, result.reason or None)
