"""The tool calls of one turn: outcomes, order, time-outs, the limit, and what the model reads."""

import asyncio
import threading
from collections.abc import Sequence
from typing import Any

import pytest

from arc_core import (
    AgentCommand,
    AgentErrorCode,
    AgentResult,
    Hook,
    ToolArgumentsError,
    ToolCall,
    ToolCallContext,
    ToolCallResult,
    ToolContext,
    ToolOutcome,
    ToolResult,
    ToolResultMessage,
    tool,
)
from arc_core.settings import AgentSettings, ConcurrencySettings
from arc_core.testing import RecordingHook, RecordingMetrics, ScriptedChatModel, scripted_agent

COMMAND = AgentCommand(user_prompt="Do it.", user_id="ann", session_id="s", tenant_id="acme")
TINY_S = 0.01


@tool
async def echo(text: str) -> str:
    """Says it again."""
    return text


@tool
async def hanging() -> str:
    """Never ends."""
    await asyncio.Event().wait()
    return "never"


def call(name: str, arguments: str = "{}", *, number: int = 1) -> ToolCall:
    """A call of the model's."""
    return ToolCall(f"call-{number}", name, arguments)


def said(text: str, *, number: int = 1) -> ToolCall:
    """A call of `echo`."""
    return call("echo", f'{{"text": "{text}"}}', number=number)


class World:
    """An agent that makes these calls in its first turn and then is done."""

    def __init__(self, calls: Sequence[ToolCall], *tools: Any, **settings: Any) -> None:
        self.model = ScriptedChatModel([calls, "Done."])
        self.hook, self.metrics = RecordingHook(), RecordingMetrics()
        self.agent = scripted_agent(
            self.model,
            AgentSettings.model_validate(settings),
            tools=tools,
            hooks=(self.hook,),
            agent_metrics=self.metrics,
        )

    async def run(self, **command: Any) -> AgentResult:
        """The result of the run."""
        return await self.agent.execute(COMMAND.model_copy(update=command))

    @property
    def results(self) -> tuple[ToolResult, ...]:
        """What the model read in its second turn."""
        message = self.model.requests[1].messages[-1]
        assert isinstance(message, ToolResultMessage)
        return message.results

    @property
    def told(self) -> list[ToolCallResult]:
        """What the hooks were told of the calls, as they ended."""
        return [value for _, value in self.hook.calls if isinstance(value, ToolCallResult)]


async def test_a_call_has_a_result_with_its_id() -> None:
    """What the tool returns is what the model reads."""
    world = World([said("hello")], echo)

    result = await world.run()

    assert world.results == (ToolResult("call-1", "echo", "hello", ToolOutcome.SUCCESS),)
    assert result.tools_used == ("echo",)


async def test_results_are_in_the_order_of_the_calls() -> None:
    """A hundred times in a row the first call ends last, and comes first all the same."""
    ended, order = asyncio.Event(), list[str]()

    @tool
    async def slow() -> str:
        await ended.wait()
        order.append("slow")
        return "slow"

    @tool
    async def fast() -> str:
        order.append("fast")
        ended.set()
        return "fast"

    for _ in range(100):
        ended.clear()
        world = World([call("slow"), call("fast", number=2)], slow, fast)
        result = await world.run()
        assert [each.content for each in world.results] == ["slow", "fast"]
        assert result.tools_used == ("slow", "fast")

    assert order == ["fast", "slow"] * 100


async def test_the_calls_of_a_turn_run_at_once() -> None:
    """Each of two tools waits for the other."""
    barrier = asyncio.Barrier(2)

    @tool
    async def meet() -> int:
        return await barrier.wait()

    world = World([call("meet"), call("meet", number=2)], meet)

    await world.run()

    assert {each.content for each in world.results} == {"0", "1"}


@pytest.mark.parametrize("ids", [("same", "same"), ("", "")], ids=["repeated", "missing"])
async def test_calls_are_matched_by_their_place(ids: tuple[str, str]) -> None:
    """Repeated and missing ids of a vendor do no harm."""
    calls = [ToolCall(id_, "echo", f'{{"text": "{n}"}}') for n, id_ in enumerate(ids)]
    world = World(calls, echo)

    await world.run()

    assert [(each.call_id, each.content) for each in world.results] == [
        (ids[0], "0"),
        (ids[1], "1"),
    ]


async def test_an_invented_tool_has_a_result() -> None:
    """Beside a real one, which is unaffected; the invented name is not among the tools used."""
    world = World([call("crystal_ball"), said("hello", number=2)], echo)

    result = await world.run()

    assert world.results[0] == ToolResult(
        "call-1", "crystal_ball", "Error: Tool 'crystal_ball' not found", ToolOutcome.NOT_FOUND
    )
    assert world.results[1].content == "hello"
    assert result.tools_used == ("echo",)
    assert ("crystal_ball", ToolOutcome.NOT_FOUND) in world.metrics.tool_calls


async def test_a_tool_is_named_once_and_in_the_order_of_its_first_call() -> None:
    """`tools_used` is a set with an order."""
    other = tool(name="other")(echo)
    calls = [call("other", '{"text": "a"}'), said("b", number=2), call("other", '{"text": "c"}')]

    assert (await World(calls, echo, other).run()).tools_used == ("other", "echo")


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError("password=hunter2"),
        RuntimeError(),
        OSError(None),
        TimeoutError("mine"),
        SystemExit(2),
    ],
    ids=repr,
)
async def test_a_tool_that_raises_fails_alone(error: BaseException) -> None:
    """The model reads that it failed and nothing of why, not even the exception's name."""

    @tool
    async def broken() -> str:
        raise error

    world = World([call("broken"), said("hello", number=2)], broken, echo)

    result = await world.run()

    assert [each.content for each in world.results] == ["Error: Tool 'broken' failed", "hello"]
    assert world.results[0].outcome is ToolOutcome.FAILED
    assert (result.content, result.tools_used) == ("Done.", ("broken", "echo"))


async def test_a_tool_that_hangs_times_out_alone() -> None:
    """After the common time-out; its siblings are unaffected and the run goes on."""
    world = World([call("hanging"), said("hello", number=2)], hanging, echo, **SHORT)

    result = await world.run()

    assert [each.content for each in world.results] == [
        "Error: Tool 'hanging' timed out after 0.01 seconds",
        "hello",
    ]
    assert world.results[0].outcome is ToolOutcome.TIMED_OUT
    assert result.success


SHORT = {"concurrency": {"tool_call_timeout_s": TINY_S}}


async def test_the_time_out_of_the_tool_itself_comes_first() -> None:
    """`timeout_s` of a tool replaces the setting."""

    @tool(timeout_s=TINY_S)
    async def impatient() -> str:
        await asyncio.Event().wait()
        return "never"

    world = World([call("impatient")], impatient)

    await world.run()

    assert world.results[0].outcome is ToolOutcome.TIMED_OUT


async def test_a_time_out_that_a_tool_answers_is_a_time_out() -> None:
    """A tool that makes an exception of its own of its cancellation has timed out all the same."""

    @tool
    async def stubborn() -> str:
        try:
            await asyncio.Event().wait()
        finally:
            raise ValueError("interrupted")

    world = World([call("stubborn")], stubborn, **SHORT)

    await world.run()

    assert world.results[0].outcome is ToolOutcome.TIMED_OUT


async def test_a_blocking_tool_blocks_nobody() -> None:
    """A synchronous tool runs beside the loop; past its time-out the run goes on without it."""
    released = threading.Event()

    @tool
    def blocking() -> str:
        released.wait()
        return "too late"

    world = World([call("blocking"), said("hello", number=2)], blocking, echo, **SHORT)

    result = await world.run()
    released.set()

    assert [each.outcome for each in world.results] == [ToolOutcome.TIMED_OUT, ToolOutcome.SUCCESS]
    assert result.success


INVALID = {
    "no JSON": ("{text: hello}", "arguments: Invalid JSON"),
    "no object": ('["hello"]', "arguments: Input should be"),
    "a wrong type": ('{"text": 1}', "text: Input should be a valid string"),
    "a missing field": ("{}", "text: Field required"),
    "nothing at all": ("", "text: Field required"),
    "an unknown field": ('{"text": "a", "loud": true}', "loud: Extra inputs are not permitted"),
    "two problems": ('{"text": 1, "loud": true}', "; "),
}


@pytest.mark.parametrize(("arguments", "problem"), INVALID.values(), ids=INVALID)
async def test_invalid_arguments_are_told_to_the_model(arguments: str, problem: str) -> None:
    """Field by field, in a result the model can act on; the tool does not run."""
    world = World([call("echo", arguments)], echo)

    result = await world.run()

    assert world.results[0].outcome is ToolOutcome.INVALID_ARGUMENTS
    assert world.results[0].content.startswith("Error: Invalid arguments for tool 'echo': ")
    assert problem in world.results[0].content
    assert result.tools_used == ("echo",)


async def test_a_tool_may_refuse_its_arguments_itself() -> None:
    """What a schema cannot say, a tool tells the model by raising ToolArgumentsError."""

    @tool
    async def book(day: str) -> str:
        raise ToolArgumentsError([f"day: {day} is in the past"])

    world = World([call("book", '{"day": "yesterday"}')], book)

    await world.run()

    assert world.results[0].outcome is ToolOutcome.INVALID_ARGUMENTS
    assert "day: yesterday is in the past" in world.results[0].content


async def test_hooks_are_told_of_every_outcome() -> None:
    """After a call, whatever came of it: outcome, text, and no duration where no tool ran."""
    calls = [call("gone"), call("echo", "[]", number=2), said("hello", number=3)]
    world = World(calls, echo)

    await world.run()

    assert [(each.outcome, each.duration_ms > 0) for each in world.told] == [
        (ToolOutcome.NOT_FOUND, False),
        (ToolOutcome.INVALID_ARGUMENTS, False),
        (ToolOutcome.SUCCESS, True),
    ]


async def test_a_call_past_the_limit_is_not_run() -> None:
    """Invented and blocked calls count too, in the order of the calls, and hooks see it all."""
    calls = [call("gone"), said("a", number=2), said("b", number=3), said("c", number=4)]
    world = World(calls, echo)

    result = await world.run(max_tool_calls=2)

    assert [each.content for each in world.results[1:]] == [
        "a",
        "Error: Maximum tool call limit (2) reached",
        "Error: Maximum tool call limit (2) reached",
    ]
    assert [name for name in world.hook.names if name == "before_tool_call"] == [
        "before_tool_call"
    ] * 2
    assert len(world.told) == 4
    assert result.success


async def test_a_tool_knows_its_run() -> None:
    """The context carries the run, the call's id and who asks."""
    seen: list[ToolContext] = []

    @tool
    async def look(context: ToolContext) -> str:
        seen.append(context)
        return "seen"

    result = await World([call("look")], look).run(metadata={"channel": "web"})

    assert seen == [
        ToolContext(
            run_id=result.run_id,
            call_id="call-1",
            user_id="ann",
            session_id="s",
            tenant_id="acme",
            metadata={"channel": "web"},
        )
    ]


class FailingAfterCalls(Hook):
    """Raises after the calls of one tool."""

    fail_on_error = True

    def __init__(self, name: str) -> None:
        self._name = name

    async def after_tool_call(self, context: ToolCallContext, result: ToolCallResult) -> None:
        if context.tool_name == self._name:
            raise RuntimeError("password=hunter2")


async def test_a_strict_hook_after_a_call_fails_the_run_after_its_siblings() -> None:
    """All calls end and are measured before the run does."""
    ended, metrics = asyncio.Event(), RecordingMetrics()

    @tool
    async def late() -> str:
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        ended.set()
        return "late"

    model = ScriptedChatModel([[said("first"), call("late", number=2)]])
    hooks = (FailingAfterCalls("echo"),)
    agent = scripted_agent(model, tools=(echo, late), hooks=hooks, agent_metrics=metrics)

    result = await agent.execute(COMMAND)

    assert ended.is_set()
    assert result.error_code is AgentErrorCode.HOOK_REJECTED
    assert result.tools_used == ("echo", "late")
    assert metrics.tool_calls == [("echo", ToolOutcome.SUCCESS), ("late", ToolOutcome.SUCCESS)]


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
