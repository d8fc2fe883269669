"""What a command demands of the model's first turn."""

from collections.abc import Sequence
from typing import Any

import pytest

from arc_core import (
    AgentCommand,
    AgentErrorCode,
    AgentMode,
    ChatRequest,
    RunFinished,
    Tool,
    ToolSelector,
    tool,
)
from arc_core.components.injection import Registered
from arc_core.settings import AgentSettings
from arc_core.testing import ScriptedChatModel, scripted_agent
from tests.arc_core.engine.tool_calling import World, call, echo, said


@tool
async def find_order() -> str:
    """Finds."""
    return "found"


class NoneSelector(ToolSelector):
    """Chooses nothing."""

    async def select(self, user_prompt: str, tools: Sequence[Tool]) -> Sequence[Tool]:
        return ()


def choices(requests: Sequence[ChatRequest]) -> list[str]:
    """What each request says of tool calls."""
    return [request.tool_choice for request in requests]


@pytest.mark.parametrize("choice", ["required", "echo"])
async def test_a_demand_holds_for_the_first_turn(choice: str) -> None:
    """From then on the model decides."""
    world = World([said("hi")], echo)

    await world.run(tool_choice=choice)

    assert choices(world.model.requests) == [choice, "auto"]


@pytest.mark.parametrize("choice", [None, "auto"])
async def test_without_a_demand_the_model_decides(choice: str | None) -> None:
    """In all turns."""
    world = World([said("hi")], echo)

    await world.run(tool_choice=choice)

    assert choices(world.model.requests) == ["auto", "auto"]


async def test_after_the_last_call_none_may_follow() -> None:
    """The limit goes before all."""
    world = World([said("hi")], echo)

    await world.run(tool_choice="required", max_tool_calls=1)

    assert choices(world.model.requests) == ["required", "none"]


async def test_streams_demand_the_same() -> None:
    """One way of running."""
    world = World([said("hi")], echo)
    command = AgentCommand(user_prompt="Do it.", tool_choice="echo")

    [_ async for _ in world.agent.stream_events(command)]

    assert choices(world.model.requests) == ["echo", "auto"]


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ({"tool_choice": "find_ordr"}, "did you mean 'find_order'?"),
        ({"tool_choice": "zzz"}, "write auto, required, or its name"),
        ({"tool_choice": ""}, "tool_choice is ''"),
        ({"tool_choice": "none"}, "use AgentMode.STANDARD"),
        ({"tool_choice": "required", "mode": AgentMode.STANDARD}, "the run offers no tools"),
        ({"tool_choice": "find_order", "max_tool_calls": 0}, "the run offers no tools"),
    ],
)
async def test_what_cannot_be_demanded_ends_the_run(command: Any, message: str) -> None:
    """Before the model is asked, and in streams, too."""
    model = ScriptedChatModel([])
    agent = scripted_agent(model, tools=[find_order])
    asked = AgentCommand(user_prompt="Hi", **command)

    result = await agent.execute(asked)
    events = [event async for event in agent.stream_events(asked)]

    assert result.error_code is AgentErrorCode.INVALID_INPUT
    assert message in str(result.error_message)
    assert isinstance(events[-1], RunFinished)
    assert events[-1].result.error_message == result.error_message
    assert model.requests == []


async def test_nothing_can_be_demanded_without_tools() -> None:
    """There is nothing to call."""
    result = await scripted_agent(ScriptedChatModel([])).execute(
        AgentCommand(user_prompt="Hi", tool_choice="required")
    )

    assert result.error_code is AgentErrorCode.INVALID_INPUT


@pytest.mark.parametrize("max_tools", [1, 30])
async def test_a_tool_that_is_demanded_is_on_offer(max_tools: int) -> None:
    """Whatever the selector chooses, within the bound of a request."""
    model = ScriptedChatModel([[call("find_order")], "Done."])
    agent = scripted_agent(
        model,
        AgentSettings(max_tools_per_request=max_tools),
        tools=[find_order, echo],
        local_tools=Registered((echo,)),
        tool_selector=NoneSelector(),
    )

    await agent.execute(AgentCommand(user_prompt="Hi", tool_choice="find_order"))

    names = [each.name for each in model.requests[0].tools]
    assert names == (["find_order"] if max_tools == 1 else ["echo", "find_order"])


async def test_a_model_that_does_not_obey_has_answered() -> None:
    """There is nothing to run, and its answer is an answer."""
    agent = scripted_agent(ScriptedChatModel(["No."]), tools=[echo])

    result = await agent.execute(AgentCommand(user_prompt="Hi", tool_choice="required"))

    assert result.unwrap() == "No."
