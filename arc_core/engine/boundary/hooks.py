"""Calls the hooks at their moments; fails open, unless a hook wants otherwise."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial

from arc_core.engine.boundary import policies
from arc_core.engine.boundary.boundary import Boundary, Failed, read_attribute
from arc_core.engine.run_state import RunStoppedError
from arc_core.errors import AgentErrorCode
from arc_core.interfaces.hook import (
    Continue,
    Hook,
    HookContext,
    HookResult,
    Reject,
    ToolCallContext,
    ToolCallResult,
)
from arc_core.log import get_logger
from arc_core.result import AgentResult

logger = get_logger("hooks")

_TOOL_CALL_FAILED_CLOSED = "a policy could not be checked"


class HookChain:
    """Only hooks that have a method of their own are called for it; they come sorted by order."""

    def __init__(self, hooks: Sequence[Hook], *, boundary: Boundary) -> None:
        self._boundary = boundary
        self._before_agent = _hooks_with(hooks, "before_agent_start")
        self._before_tool = _hooks_with(hooks, "before_tool_call")
        self._after_tool = _hooks_with(hooks, "after_tool_call")
        self._after_agent = _hooks_with(hooks, "after_agent_complete")
        self.watches_tool_calls = bool(self._before_tool or self._after_tool)
        self._before_resume = _hooks_with(hooks, "before_agent_resume")
        self._after_suspend = _hooks_with(hooks, "after_agent_suspend")

    async def before_agent_start(self, context: HookContext) -> None:
        """Ask every hook whether the run may start.

        Raises:
            RunStoppedError: A hook rejects, or raises and has `fail_on_error` set.
        """
        for hook in self._before_agent:
            result = await self._ask(hook, partial(hook.before_agent_start, context))
            if isinstance(result, Reject):
                logger.info("hook rejects the run", hook=type(hook).__name__)
                raise RunStoppedError(AgentErrorCode.HOOK_REJECTED, result.reason or None)

    async def before_tool_call(self, context: ToolCallContext) -> Reject | None:
        """The first rejection of this tool call, if any."""
        for hook in self._before_tool:
            result = await self._ask(hook, partial(hook.before_tool_call, context))
            if isinstance(result, Reject):
                logger.info("hook rejects a tool call", hook=type(hook).__name__)
                return result if result.reason else Reject(_TOOL_CALL_FAILED_CLOSED)
        return None

    async def after_tool_call(self, context: ToolCallContext, result: ToolCallResult) -> bool:
        """Tell every hook; whether all went well, or only hooks without `fail_on_error` failed."""
        passed = True
        for hook in self._after_tool:
            answer = await self._boundary.call(
                policies.HOOK_AFTER_TOOL_CALL, hook, partial(hook.after_tool_call, context, result)
            )
            passed = passed and not (isinstance(answer, Failed) and hook.fail_on_error)
        return passed

    async def after_agent_complete(self, context: HookContext, response: AgentResult) -> None:
        """Tell every hook that the run is over, each within its time; then cancellation leaves."""
        await self._tell_all(
            (hook, partial(hook.after_agent_complete, context, response))
            for hook in self._after_agent
        )

    async def before_agent_resume(self, context: HookContext) -> None:
        """Tell every hook that a run goes on which it has let start in an earlier life."""
        for hook in self._before_resume:
            await self._boundary.call(
                policies.HOOK_BEFORE_RESUME, hook, partial(hook.before_agent_resume, context)
            )

    async def after_agent_suspend(self, context: HookContext) -> None:
        """Tell every hook that the run leaves the process, as `after_agent_complete` does."""
        await self._tell_all(
            (hook, partial(hook.after_agent_suspend, context)) for hook in self._after_suspend
        )

    async def _tell_all(self, calls: Iterable[tuple[Hook, Callable[[], Awaitable[None]]]]) -> None:
        cancellation: asyncio.CancelledError | None = None
        for hook, call in calls:
            try:
                await self._boundary.call(policies.HOOK_AFTER_RUN, hook, call)
            except asyncio.CancelledError as error:
                cancellation = error
        if cancellation is not None:
            raise cancellation

    async def _ask(
        self, hook: Hook, question: Callable[[], Awaitable[HookResult | None]]
    ) -> HookResult:
        result = await self._boundary.call(policies.HOOK_BEFORE, hook, question)
        if isinstance(result, Failed):
            return Reject("") if hook.fail_on_error else Continue()
        return result or Continue()


def _hooks_with(hooks: Sequence[Hook], method: str) -> tuple[Hook, ...]:
    return tuple(hook for hook in hooks if _has_own(hook, method))


def _has_own(hook: Hook, method: str) -> bool:
    """Return True if a hook has this method of its own: by its class, itself, or what it wraps."""
    empty: object = getattr(Hook, method)
    found = read_attribute(
        hook, method, kind="hook", default=empty, remedy="let it be a method, or leave it out"
    )
    return getattr(found, "__func__", found) is not empty
