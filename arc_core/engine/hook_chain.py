"""Calls the hooks at their four moments; fails open, unless a hook wants otherwise."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from arc_core.cancellation import leave_if_cancelled
from arc_core.engine.run import RunStoppedError
from arc_core.errors import AgentErrorCode
from arc_core.interfaces.agent_metrics import AgentMetrics, FaultSource
from arc_core.interfaces.hook import (
    AgentResponse,
    Continue,
    Hook,
    HookContext,
    HookResult,
    Reject,
    ToolCallContext,
    ToolCallResult,
)
from arc_core.log import get_logger

__all__ = ["HookChain"]

logger = get_logger("hooks")

_TOOL_CALL_FAILED_CLOSED = "a policy could not be checked"


class HookChain:
    """Only hooks that override a method are called for it.

    Args:
        hooks: Sorted by order.
        metrics: Told of hooks that raise.
    """

    def __init__(self, hooks: Sequence[Hook], *, metrics: AgentMetrics) -> None:
        self._metrics = metrics
        self._before_agent = _overriding(hooks, "before_agent_start")
        self._before_tool = _overriding(hooks, "before_tool_call")
        self._after_tool = _overriding(hooks, "after_tool_call")
        self._after_agent = _overriding(hooks, "after_agent_complete")

    @property
    def watches_tool_calls(self) -> bool:
        """Whether any hook wants to know of tool calls."""
        return bool(self._before_tool or self._after_tool)

    async def before_agent_start(self, context: HookContext) -> None:
        """Ask every hook whether the run may start.

        Raises:
            RunStoppedError: A hook rejects, or raises and has `fail_on_error` set.
        """
        for hook in self._before_agent:
            result = await self._asked(hook, partial(hook.before_agent_start, context))
            if isinstance(result, Reject):
                logger.info("hook rejects the run", hook=type(hook).__name__)
                raise RunStoppedError(AgentErrorCode.HOOK_REJECTED, result.reason or None)

    async def before_tool_call(self, context: ToolCallContext) -> Reject | None:
        """The first rejection of this tool call, if any."""
        for hook in self._before_tool:
            result = await self._asked(hook, partial(hook.before_tool_call, context))
            if isinstance(result, Reject):
                logger.info("hook rejects a tool call", hook=type(hook).__name__)
                return result if result.reason else Reject(_TOOL_CALL_FAILED_CLOSED)
        return None

    async def after_tool_call(self, context: ToolCallContext, result: ToolCallResult) -> bool:
        """Tell every hook; whether all went well, or only hooks without `fail_on_error` failed."""
        passed = True
        for hook in self._after_tool:
            called = await self._called(hook, partial(hook.after_tool_call, context, result))
            passed = passed and (called or not hook.fail_on_error)
        return passed

    async def after_agent_complete(self, context: HookContext, response: AgentResponse) -> None:
        """Tell every hook that the run is over."""
        for hook in self._after_agent:
            await self._called(hook, partial(hook.after_agent_complete, context, response))

    async def _asked(
        self, hook: Hook, question: Callable[[], Awaitable[HookResult | None]]
    ) -> HookResult:
        try:
            result: object = await question()
        except Exception:  # fail open, unless the hook says otherwise
            leave_if_cancelled()
            logger.exception("hook failed", hook=type(hook).__name__)
            self._metrics.record_fault(FaultSource.HOOK)
        else:
            leave_if_cancelled()
            match result:
                case None:
                    return Continue()
                case Continue() | Reject():
                    return result
            logger.error(
                "hook returned neither Continue nor Reject",
                hook=type(hook).__name__,
                returned=type(result).__name__,
            )
            self._metrics.record_fault(FaultSource.HOOK)
        return Reject("") if hook.fail_on_error else Continue()

    async def _called(self, hook: Hook, call: Callable[[], Awaitable[None]]) -> bool:
        try:
            await call()
        except Exception:  # fail open; the caller decides what `fail_on_error` means here
            leave_if_cancelled()
            logger.exception("hook failed", hook=type(hook).__name__)
            self._metrics.record_fault(FaultSource.HOOK)
            return False
        leave_if_cancelled()
        return True


def _overriding(hooks: Sequence[Hook], method: str) -> tuple[Hook, ...]:
    own = getattr(Hook, method)
    return tuple(hook for hook in hooks if getattr(type(hook), method, own) is not own)
