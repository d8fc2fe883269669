"""Hooks: four moments, in order, fail-open unless they want otherwise."""

import asyncio
import logging
from datetime import UTC, datetime
from typing import Any

import pytest

from arc_core import (
    AgentCommand,
    AgentErrorCode,
    AgentResult,
    Continue,
    FaultSource,
    Hook,
    HookContext,
    Reject,
    ToolCall,
    ToolCallContext,
    ToolCallResult,
    ToolOutcome,
    ToolResultMessage,
    tool,
)
from arc_core.engine.boundary.boundary import Boundary
from arc_core.engine.boundary.hooks import HookChain
from arc_core.testing import RecordingHook, RecordingMetrics, ScriptedChatModel, scripted_agent
from tests.arc_core.engine.suspending import Suspension

COMMAND = AgentCommand(user_prompt="Hello", user_id="ann", session_id="s", metadata={"a": 1})
CALL = ToolCall("1", "lookup", '{"key": "x", "api_key": "k-123"}')


@tool
async def lookup(key: str, api_key: str) -> str:
    """Look something up."""
    return f"value of {key}"


class Answering(Hook):
    """Answers both questions alike, or raises at all four moments."""

    def __init__(self, answer: Any = None, *, fail_on_error: bool = False) -> None:
        self._answer = answer
        self.fail_on_error = fail_on_error

    def _answered(self) -> Any:
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer

    async def before_agent_start(self, context: HookContext) -> Any:
        return self._answered()

    async def before_tool_call(self, context: ToolCallContext) -> Any:
        return self._answered()

    async def after_tool_call(self, context: ToolCallContext, result: ToolCallResult) -> None:
        self._answered()

    async def after_agent_complete(self, context: HookContext, response: AgentResult) -> None:
        self._answered()


class OnTools(Answering):
    """Lets every run in."""

    async def before_agent_start(self, context: HookContext) -> None:
        return


class Noting(Hook):
    """Leaves a note for the hooks after it."""

    async def before_agent_start(self, context: HookContext) -> None:
        context.metadata["note"] = "left"


class World:
    """A run with a tool call between hooks, and a recording hook behind them."""

    def __init__(self, *hooks: Hook) -> None:
        self.behind, self.metrics = RecordingHook(), RecordingMetrics()
        self.model = ScriptedChatModel([[CALL], "Done."])
        self.agent = scripted_agent(
            self.model, hooks=(*hooks, self.behind), tools=(lookup,), agent_metrics=self.metrics
        )

    @property
    def tool_result(self) -> str:
        """What the model read."""
        message = self.model.requests[1].messages[-1]
        assert isinstance(message, ToolResultMessage)
        return message.results[0].text


async def test_the_four_moments_come_in_order() -> None:
    """Start, before and after a tool call, end."""
    world = World()

    await world.agent.execute(COMMAND)

    assert world.behind.names == [
        "before_agent_start",
        "before_tool_call",
        "after_tool_call",
        "after_agent_complete",
    ]


async def test_hooks_are_told_who_asks() -> None:
    """The context carries the command's fields, a run id and the time of acceptance."""
    world = World()

    result = await world.agent.execute(COMMAND)

    context = world.behind.calls[0][1]
    assert isinstance(context, HookContext)
    assert (context.run_id, context.user_id, context.session_id) == (result.run_id, "ann", "s")
    assert (context.user_prompt, context.metadata) == ("Hello", {"a": 1})
    assert context.started_at.tzinfo is not None


async def test_hooks_leave_notes_for_each_other() -> None:
    """The metadata is one dictionary for a run's hooks, and not the command's own."""
    world = World(Noting())

    await world.agent.execute(COMMAND)

    assert getattr(world.behind.calls[0][1], "metadata", {}) == {"a": 1, "note": "left"}
    assert COMMAND.metadata == {"a": 1}


@pytest.mark.parametrize("answer", [None, Continue()])
async def test_going_on_is_said_in_two_ways(answer: object) -> None:
    """None and Continue are the same."""
    world = World(Answering(answer))

    result = await world.agent.execute(COMMAND)

    assert (result.content, result.tools_used) == ("Done.", ("lookup",))


async def test_the_first_rejection_ends_the_run() -> None:
    """Later hooks are asked nothing and told of the end; the reason is the message."""
    world = World(Answering(Reject("Not on Sundays.")))

    result = await world.agent.execute(COMMAND)

    assert result.error_code is AgentErrorCode.HOOK_REJECTED
    assert result.error_message == "Not on Sundays."
    assert world.behind.names == ["after_agent_complete"]
    assert world.model.requests == []


async def test_a_hook_that_raises_is_passed_over(caplog: pytest.LogCaptureFixture) -> None:
    """Fail-open at all four moments: logged, counted, and the next hook runs."""
    world = World(Answering(RuntimeError("password=hunter2")))

    result = await world.agent.execute(COMMAND)

    assert (result.content, result.tools_used) == ("Done.", ("lookup",))
    assert len(world.behind.calls) == 4
    assert world.metrics.faults == [FaultSource.HOOK] * 4
    records = [record for record in caplog.records if record.name == "arc.hooks"]
    assert [record.levelno for record in records] == [logging.ERROR] * 4


@pytest.mark.parametrize("answer", [RuntimeError("password=hunter2"), TimeoutError(), False])
async def test_a_strict_hook_that_does_not_work_rejects_the_run(answer: object) -> None:
    """`fail_on_error` turns an exception, or an answer that is none, into a generic rejection."""
    world = World(Answering(answer, fail_on_error=True))

    result = await world.agent.execute(COMMAND)

    assert result.error_code is AgentErrorCode.HOOK_REJECTED
    assert result.error_message == "It ended with HOOK_REJECTED."


async def test_an_answer_that_is_none_is_counted(caplog: pytest.LogCaptureFixture) -> None:
    """A hook that returns False is told so in the log, and the run goes on."""
    world = World(Answering(False))

    result = await world.agent.execute(COMMAND)

    assert result.success
    assert world.metrics.faults == [FaultSource.HOOK] * 2
    assert "returned bool instead of Continue or Reject" in caplog.text


async def test_a_rejected_tool_call_is_skipped_alone() -> None:
    """The model reads the reason, the tool does not run, the run goes on."""
    world = World(OnTools(Reject("it is forbidden")))

    result = await world.agent.execute(COMMAND)

    assert world.tool_result == "Tool call rejected: it is forbidden"
    assert (result.content, result.tools_used) == ("Done.", ())
    assert world.metrics.tool_calls == [("lookup", ToolOutcome.BLOCKED)]


async def test_a_strict_tool_hook_that_raises_blocks_the_call_and_fails_the_run() -> None:
    """Before the call it rejects without its reason, after the call it ends the run."""
    world = World(OnTools(RuntimeError("password=hunter2"), fail_on_error=True))

    result = await world.agent.execute(COMMAND)

    assert result.error_code is AgentErrorCode.HOOK_REJECTED
    assert world.metrics.tool_calls == [("lookup", ToolOutcome.BLOCKED)]
    results = [value for value in world.behind.calls if value[0] == "after_tool_call"]
    assert "hunter2" not in str(results)


async def test_tool_hooks_see_the_call() -> None:
    """Name, parsed arguments, place among all calls, and the run; secrets can be masked."""
    world = World()

    await world.agent.execute(COMMAND)

    context = world.behind.calls[1][1]
    assert isinstance(context, ToolCallContext)
    assert (context.tool_name, context.call_index) == ("lookup", 0)
    assert context.arguments == {"key": "x", "api_key": "k-123"}
    assert context.masked_arguments() == {"key": "x", "api_key": "***"}
    assert context.agent_context is world.behind.calls[0][1]


async def test_tool_hooks_see_how_a_call_ended() -> None:
    """Outcome, what the model reads, and how long the tool took."""
    world = World()

    await world.agent.execute(COMMAND)

    result = world.behind.calls[2][1]
    assert isinstance(result, ToolCallResult)
    assert (result.outcome, result.content) == (ToolOutcome.SUCCESS, "value of x")
    assert result.duration_ms > 0


async def test_a_hook_cannot_keep_a_cancellation_from_the_next() -> None:
    """Whenever one is swallowed, later hooks are not called for a run that is over."""
    never, suspension = RecordingHook(), Suspension("hook", refuses=True)
    chain = HookChain((Suspending(suspension), never), boundary=Boundary())
    result = ToolCallResult(outcome=ToolOutcome.SUCCESS, content="", duration_ms=0)
    context = HookContext(run_id="r", user_id="a", user_prompt="", started_at=datetime.now(UTC))
    call = ToolCallContext(agent_context=context, tool_name="x", arguments={}, call_index=0)

    task = asyncio.create_task(chain.after_tool_call(call, result))
    await suspension.held.wait()
    task.cancel()
    await asyncio.wait({task})

    assert task.cancelled()
    assert never.calls == []


class Suspending(Hook):
    """Is held after a tool call."""

    def __init__(self, suspension: Suspension) -> None:
        self._suspension = suspension

    async def after_tool_call(self, context: ToolCallContext, result: ToolCallResult) -> None:
        await self._suspension.at("hook")


@pytest.mark.slow
async def test_a_last_hook_that_raises_keeps_the_failure_of_the_run() -> None:
    """A failure's own error is not masked by that of a hook."""
    hook = Answering(RuntimeError())
    agent = scripted_agent(ScriptedChatModel([ConnectionError()] * 3), hooks=(hook,))

    result = await agent.execute(COMMAND)

    assert result.error_code is AgentErrorCode.UNAVAILABLE


class Bare(Hook):
    """Has nothing of its own, in its class."""

    fail_on_error = True


class Passing:
    """Passes everything on to another hook."""

    def __init__(self, inner: Hook) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


def bare_with_method() -> Hook:
    """A hook whose method was put on the instance."""
    hook = Bare()
    vars(hook)["before_agent_start"] = Answering(Reject("no")).before_agent_start
    return hook


@pytest.mark.parametrize("hook", [bare_with_method(), Passing(Answering(Reject("no")))])
async def test_a_hook_is_asked_wherever_its_method_comes_from(hook: Any) -> None:
    """What its class has is not all it does."""
    agent = scripted_agent(ScriptedChatModel(["Hi."]), hooks=(hook,))

    result = await agent.execute(COMMAND)

    assert result.error_code is AgentErrorCode.HOOK_REJECTED
