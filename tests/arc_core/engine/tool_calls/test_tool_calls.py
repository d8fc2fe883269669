"""The tool calls of one turn: their order, their count, what tools and hooks are told."""

import asyncio
from collections.abc import Sequence

import pytest

from arc_core import (
    ChatRequest,
    Tool,
    ToolCall,
    ToolContext,
    ToolOutcome,
    ToolResult,
    ToolSource,
    tool,
)
from arc_core.testing import ScriptedChatModel, scripted_agent
from tests.arc_core.engine.tool_calling import COMMAND, World, call, echo, make_look, said


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

    result = await World([call("look")], make_look(seen)).run(metadata={"channel": "web"})

    assert seen == [
        ToolContext(
            run_id=result.run_id,
            call_id="call-1",
            user_id="ann",
            session_id="s",
            tenant_id="acme",
            metadata={"channel": "web"},
            idempotency_key=f"{result.run_id}/0",
        )
    ]


class Fleeting(ToolSource):
    """Has its tool until it is taken away."""

    def __init__(self, *tools: Tool) -> None:
        self.now: Sequence[Tool] = tools

    def tools(self) -> Sequence[Tool]:
        return self.now


async def test_a_tool_that_was_offered_can_be_called() -> None:
    """A source that changes during a run changes the next run, and nothing of this one."""

    def call_what_goes_away(request: ChatRequest) -> list[ToolCall]:
        source.now = ()
        return [said("still there")]

    source, model = Fleeting(echo), ScriptedChatModel([call_what_goes_away, "Done.", "No tools."])
    agent = scripted_agent(model, tools=(source,))

    first, second = await agent.execute(COMMAND), await agent.execute(COMMAND)

    assert (first.tools_used, second.tools_used) == (("echo",), ())
    assert [len(request.tools) for request in model.requests] == [1, 1, 0]
