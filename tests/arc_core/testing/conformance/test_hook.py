"""The suite for hooks fails for hooks that break their contract, and passes for good ones."""

import asyncio
import time
from typing import Any

from arc_core import AgentErrorCode, AgentResult, ToolOutcome
from arc_core.interfaces import hook
from arc_core.testing.conformance.hook import HookConformance
from tests.arc_core.testing.conformance.suites import Fault, FindsFaults, swallow_cancellation


class OfficeHoursHook(hook.Hook):
    """Rejects every prompt at night."""

    order = 120

    async def before_agent_start(self, context: hook.HookContext) -> hook.HookResult | None:
        await asyncio.sleep(0)
        return (
            hook.Reject("Please come back in the morning.")
            if "night" in context.user_prompt
            else None
        )


class TestOfficeHoursHook(HookConformance):
    """A good hook passes."""

    def make_hook(self) -> hook.Hook:
        return OfficeHoursHook()


class BooleanHook(hook.Hook):
    """Answers with a boolean."""

    async def before_tool_call(self, context: hook.ToolCallContext) -> Any:
        return True


class SilentHook(hook.Hook):
    """Gives no reason."""

    async def before_agent_start(self, context: hook.HookContext) -> hook.HookResult | None:
        return hook.Reject("")


class EncodingHook(hook.Hook):
    """Breaks on text that is not valid Unicode."""

    async def after_agent_complete(self, context: hook.HookContext, response: AgentResult) -> None:
        (response.content or "").encode()


class SuccessHook(hook.Hook):
    """Believes that tools always run."""

    async def after_tool_call(
        self, context: hook.ToolCallContext, result: hook.ToolCallResult
    ) -> None:
        assert result.outcome is not ToolOutcome.BLOCKED


class PatientHook(hook.Hook):
    """Believes that runs are never cancelled."""

    async def after_agent_complete(self, context: hook.HookContext, response: AgentResult) -> None:
        assert response.error_code is not AgentErrorCode.CANCELLED


class ScrubbingHook(hook.Hook):
    """Changes what the tool gets."""

    async def before_tool_call(self, context: hook.ToolCallContext) -> None:
        context.arguments["parts"][0].pop("api_key")


class SerialHook(hook.Hook):
    """Cannot be called while it is being called."""

    def __init__(self) -> None:
        self._busy = False

    async def before_agent_start(self, context: hook.HookContext) -> None:
        assert not self._busy
        self._busy = True
        await asyncio.sleep(0)
        self._busy = False


class DeafHook(hook.Hook):
    """Hides a cancellation."""

    async def before_agent_start(self, context: hook.HookContext) -> None:
        await swallow_cancellation()


class MisspeltHook(hook.Hook):
    """Has a method that nothing calls."""

    async def before_toolcall(self, context: hook.ToolCallContext) -> None:
        raise AssertionError


class BlockingHook(hook.Hook):
    """Waits without letting others run."""

    async def before_tool_call(self, context: hook.ToolCallContext) -> None:
        time.sleep(0.11)  # noqa: ASYNC251 -- this is what must be found


CANCELLED = AgentResult(success=False, error_code=AgentErrorCode.CANCELLED)
FAULTS = [
    Fault(BooleanHook, "it_bears_any_text", "hello", match="it returned True"),
    Fault(SilentHook, "it_bears_any_text", "hello", match="reason"),
    Fault(EncodingHook, "it_bears_any_text", "a\ud800", error=UnicodeEncodeError),
    Fault(SuccessHook, "it_bears_every_outcome_of_a_tool_call", ToolOutcome.BLOCKED),
    Fault(PatientHook, "it_bears_every_end_of_a_run", CANCELLED),
    Fault(ScrubbingHook, "it_leaves_the_arguments_alone", match="changed the tool's arguments"),
    Fault(SerialHook, "it_serves_many_runs_at_once", error=ExceptionGroup),
    Fault(DeafHook, "a_cancellation_leaves_the_hook", 0, match="swallows"),
    Fault(object, "it_is_a_hook", match="does not inherit"),
    Fault(MisspeltHook, "it_is_a_hook", match="before_toolcall is never called"),
    Fault(BlockingHook, "a_hook_leaves_the_loop_to_others", 1, match="blocks the event loop"),
]


class TestFaults(FindsFaults):
    """Each of them is found."""

    suite, faults = HookConformance, FAULTS
