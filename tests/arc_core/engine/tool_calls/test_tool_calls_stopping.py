"""Calls that stop the run, and runs that stop their calls."""

import asyncio
from typing import Any

from arc_core import (
    AgentErrorCode,
    Allowed,
    ApprovalPolicy,
    Ask,
    FunctionTool,
    GuardResult,
    Hook,
    OutputGuard,
    OutputGuardRequest,
    PolicyResult,
    Rejected,
    RejectionCategory,
    Run,
    ToolCallContext,
    ToolCallResult,
    ToolOutcome,
    tool,
)
from arc_core.settings import AgentSettings, ConcurrencySettings
from arc_core.testing import RecordingMetrics, ScriptedChatModel, scripted_agent
from tests.arc_core.engine.tool_calling import COMMAND, TINY_S, call, echo, said


class FailingAfterCalls(Hook):
    """Raises after the calls of one tool."""

    fail_on_error = True

    def __init__(self, name: str) -> None:
        self._name = name

    async def after_tool_call(self, context: ToolCallContext, result: ToolCallResult) -> None:
        if context.tool_name == self._name:
            raise RuntimeError("password=hunter2")


def _make_late(ended: asyncio.Event) -> FunctionTool:
    """A tool that ends after its sibling of the same turn."""

    @tool
    async def late() -> str:
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        ended.set()
        return "late"

    return late


async def test_a_strict_hook_after_a_call_fails_the_run_after_its_siblings() -> None:
    """All calls end and are measured before the run does."""
    ended, metrics = asyncio.Event(), RecordingMetrics()
    late = _make_late(ended)
    model = ScriptedChatModel([[said("first"), call("late", number=2)]])
    hooks = (FailingAfterCalls("echo"),)
    agent = scripted_agent(model, tools=(echo, late), hooks=hooks, agent_metrics=metrics)

    result = await agent.execute(COMMAND)

    assert ended.is_set()
    assert result.error_code is AgentErrorCode.HOOK_REJECTED
    assert result.tools_used == ("echo", "late")
    assert metrics.tool_calls == [("echo", ToolOutcome.SUCCESS), ("late", ToolOutcome.SUCCESS)]


class AsksAboutEcho(ApprovalPolicy):
    """Would ask a person about one tool, in words that no guard lets leave."""

    async def decide(self, call: ToolCallContext) -> PolicyResult:
        return Ask("It says hunter2.") if call.tool_name == "echo" else Run()


class RejectsPasswords(OutputGuard):
    """Rejects what quotes a password."""

    async def check(self, request: OutputGuardRequest) -> GuardResult:
        if "hunter2" in request.text:
            return Rejected("A password would have left.", RejectionCategory.SENSITIVE_DATA)
        return Allowed()


async def test_a_call_that_stops_the_run_stops_it_after_its_siblings() -> None:
    """Of a run that no store keeps, too: the other calls of the turn end, and no turn follows."""
    ended, metrics = asyncio.Event(), RecordingMetrics()
    late = _make_late(ended)
    model = ScriptedChatModel([[said("first"), call("late", number=2)]])
    parts: dict[str, Any] = {
        "approval_policy": AsksAboutEcho(),
        "output_guards": (RejectsPasswords(),),
    }
    agent = scripted_agent(model, tools=(echo, late), agent_metrics=metrics, **parts)

    result = await agent.execute(COMMAND)

    assert (ended.is_set(), len(model.requests)) == (True, 1)
    assert result.error_code is AgentErrorCode.OUTPUT_REJECTED
    assert metrics.tool_calls == [("late", ToolOutcome.SUCCESS)]


async def test_a_deadline_cancels_the_running_tools() -> None:
    """No tool outlives its run."""
    cancelled: list[str] = []

    @tool
    async def long() -> str:
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.append("long")
        return "never"

    settings = AgentSettings(concurrency=ConcurrencySettings(request_timeout_s=TINY_S))
    model = ScriptedChatModel([[call("long"), call("long", number=2)]])

    result = await scripted_agent(model, settings, tools=(long,)).execute(COMMAND)

    assert result.error_code is AgentErrorCode.TIMEOUT
    assert result.tools_used == ("long",)
    assert cancelled == ["long", "long"]
