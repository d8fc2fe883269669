"""A call of `use_tool` is the call of the tool that it names."""

import json
from typing import Any

import pytest

from arc_core import (
    Agent,
    Hook,
    Reject,
    ToolCall,
    ToolCallContext,
    ToolCallFinished,
    ToolCallStarted,
    ToolContext,
    ToolOutcome,
)
from arc_core.limits import Limits
from tests.arc_core.engine.tool_calling import make_look
from tests.arc_core.engine.tool_searching import COMMAND, SearchWorld, find, use


async def test_it_is_the_call_of_the_tool() -> None:
    """Results, hooks, metrics and `tools_used` have the name and the arguments of the tool."""
    world = SearchWorld([use("weather", city="Seoul")])

    result = await world.run()

    contexts = [each for _, each in world.hook.calls if isinstance(each, ToolCallContext)][:1]
    assert [(each.tool_name, each.arguments) for each in contexts] == [
        ("weather", {"city": "Seoul"})
    ]
    assert [(each.name, each.text) for each in world.results] == [("weather", "sunny in Seoul")]
    assert result.tools_used == ("weather",)
    assert world.metrics.tool_calls == [("weather", ToolOutcome.SUCCESS)]


async def test_the_message_of_the_model_stays_as_it_was() -> None:
    """Its vendor gets the call back that it has sent, with the result of the same id."""
    call = use("weather", city="Seoul")
    world = SearchWorld([call])

    await world.run()

    assert list(world.calls) == [call]
    assert [each.call_id for each in world.results] == [call.id]


async def test_events_tell_of_the_tool() -> None:
    """Pages and surfaces show what was called."""
    world = SearchWorld([use("weather", city="Seoul")])

    events = [event async for event in world.agent.stream_events(COMMAND)]

    [started] = [each.call for each in events if isinstance(each, ToolCallStarted)]
    [finished] = [each.result for each in events if isinstance(each, ToolCallFinished)]
    assert started == ToolCall("call-1", "weather", '{"city": "Seoul"}')
    assert finished.name == "weather"


async def test_a_tool_gets_the_context_of_its_call() -> None:
    """The vendor's id, and the key of its place in the run."""
    seen: list[ToolContext] = []

    world = SearchWorld([use("look"), use("look", number=2)], tools=(make_look(seen),))

    result = await world.run()

    assert [each.call_id for each in seen] == ["call-1", "call-2"]
    assert [each.idempotency_key for each in seen] == [f"{result.run_id}/{n}" for n in (0, 1)]


async def test_arguments_are_validated_by_the_tool() -> None:
    """With a sentence per field, as if it had been called by itself."""
    world = SearchWorld([use("add", first="x", second=2)])

    await world.run()

    [result] = world.results
    assert (result.name, result.outcome) == ("add", ToolOutcome.INVALID_ARGUMENTS)
    assert "Invalid arguments for tool 'add': first:" in result.text


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ("{}", "name"),
        ('{"name": 7, "arguments": {}}', "name"),
        ("[]", "JSON object"),
        ('{"name": "weather"', "Invalid JSON"),
        ('{"name": "weather", "arguments": ["Seoul"]}', "object"),
        ('{"name": "weather", "arguments": "no JSON"}', "JSON"),
        ('{"name": "weather"}', "city"),
        ('{"name": "weather", "arguments": null}', "city"),
    ],
)
async def test_malformed_calls_are_told_apart(arguments: str, problem: str) -> None:
    """What names no tool is a mistake in `use_tool`; the rest is one in the tool's arguments."""
    world = SearchWorld([ToolCall("1", "use_tool", arguments)])

    await world.run()

    [result] = world.results
    assert result.outcome is ToolOutcome.INVALID_ARGUMENTS
    assert problem in result.text


@pytest.mark.parametrize("name", ["use_tool", "find_tools", "nothing", "", "x" * 10_000, "\ud800"])
async def test_what_is_not_a_tool_of_the_run_is_not_found(name: str) -> None:
    """Neither `use_tool` nor `find_tools` is called by it."""
    world = SearchWorld([use(name, city="Seoul")])

    result = await world.run()

    assert [each.outcome for each in world.results] == [ToolOutcome.NOT_FOUND]
    assert len(world.results[0].name) <= 64
    assert result.tools_used == ()
    assert result.success


async def test_an_unknown_name_gets_the_nearest_ones() -> None:
    """So that the next call is right."""
    world = SearchWorld([use("get_wether")])

    await world.run()

    assert world.results[0].text == "Error: Tool 'get_wether' not found. Nearest: weather"


async def test_a_found_tool_may_be_called_by_its_name() -> None:
    """Models do that, although the request does not have it."""
    world = SearchWorld([ToolCall("1", "weather", '{"city": "Seoul"}')])

    result = await world.run()

    assert [each.text for each in world.results] == ["sunny in Seoul"]
    assert result.tools_used == ("weather",)


async def test_arguments_in_a_text_are_read() -> None:
    """Some models write JSON in JSON."""
    text = json.dumps({"name": "weather", "arguments": '{"city": "Seoul"}'})
    world = SearchWorld([ToolCall("1", "use_tool", text)])

    await world.run()

    assert [each.text for each in world.results] == ["sunny in Seoul"]


async def test_arguments_stay_as_the_model_wrote_them() -> None:
    """Digits, escapes and spaces, so that a person approves what was asked for."""
    arguments = '{"city" :"\\uc11c울", "x":[1.10,{}]}'
    text = f' {{ "arguments" : {arguments} ,"y":[1,{{}}], "name":"weather"}} '
    world = SearchWorld([ToolCall("1", "use_tool", text)])

    events = [event async for event in world.agent.stream_events(COMMAND)]

    [started] = [each.call for each in events if isinstance(each, ToolCallStarted)]
    assert started.arguments == arguments


async def test_a_hook_refuses_the_tool() -> None:
    """It knows the name that it is to refuse."""

    class Refusing(Hook):
        async def before_tool_call(self, context: ToolCallContext) -> Reject | None:
            return Reject("not today") if context.tool_name == "weather" else None

    world = SearchWorld([use("weather", city="x"), find("add", number=2)], hooks=(Refusing(),))

    await world.run()

    assert [each.outcome for each in world.results] == [ToolOutcome.BLOCKED, ToolOutcome.SUCCESS]


async def test_each_call_counts_once() -> None:
    """Towards the limits of a run."""
    calls = [find("add"), *(use("add", first=1, second=1, number=n) for n in (2, 3))]
    world = SearchWorld(calls)

    await world.run(limits=Limits(max_tool_calls=2))

    outcomes = [each.outcome for each in world.results]
    assert outcomes == [ToolOutcome.SUCCESS, ToolOutcome.SUCCESS, ToolOutcome.LIMIT_REACHED]


@pytest.mark.parametrize("name", ["ask_helper", "transfer_to_helper"])
async def test_agents_are_offered_and_called_by_name(name: str) -> None:
    """A delegate and a handoff are few, and what they can do is not in their name alone."""
    asking: dict[str, Any] = {"delegates": ["helper"], "handoffs": ["helper"]}
    agents = (Agent("boss", **asking), Agent("helper", instructions="Help."))
    arguments: dict[str, Any] = {"task": "Help."} if name == "ask_helper" else {}
    world = SearchWorld([use(name, **arguments)], "Helped.", agents=agents)

    result = await world.run(agent="boss")

    offered = ["ask_helper", "find_tools", "transfer_to_helper", "use_tool"]
    assert world.offered() == offered
    assert result.tools_used == (name,)
    assert world.model.requests[1].system_prompt == "Help.\n\nTools: weather, add"
    assert result.success
