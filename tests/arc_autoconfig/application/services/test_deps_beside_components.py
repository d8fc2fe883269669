"""What a caller hands to a run, where components of its type or older executors are wired."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from arc_autoconfig import provides
from arc_autoconfig.errors import ComponentError
from arc_core import (
    Agent,
    AgentCommand,
    AgentErrorCode,
    AgentEvent,
    AgentExecutor,
    AgentResult,
    Inject,
    RunFinished,
    ToolCall,
    service,
    tool,
)
from arc_core.testing import ScriptedChatModel
from tests.arc_autoconfig.application.services.test_deps import application
from tests.arc_autoconfig.run_scopes import SEEN, calling


@service
class Shop:
    """A component of the application."""


class Branch(Shop):
    """One of its kind."""

    name = "main"


@tool
async def visit(shop: Inject[Shop]) -> str:
    """Visits."""
    SEEN.append(shop)
    return "visited"


async def test_a_type_that_is_a_service_too_is_refused_unless_it_is_declared() -> None:
    """Neither of the two replaces the other in silence."""
    async with application(visit, Shop, calling("visit")) as app:
        result = await app.execute("Hi", deps=Branch())

    assert result.error_code is AgentErrorCode.INVALID_INPUT
    assert "declare Application(deps=Shop)" in str(result.error_message)


async def test_a_declared_type_goes_before_the_service_of_it() -> None:
    """The service is for the runs that are handed nothing."""
    own = Branch()
    script: list[Any] = [[ToolCall("1", "visit", "{}")], "."] * 2
    async with application(visit, Shop, ScriptedChatModel(script), deps=Shop) as app:
        await app.execute("Hi", deps=own)
        await app.execute("Hi")
        shared = app.container.of(Shop)()

    assert [own, shared] == SEEN


def write(branch: Inject[Branch]) -> str:
    """Instructions that depend on what is handed over."""
    return f"You work in the branch {branch.name}."


def write_anyway(branch: Inject[Branch] = Branch()) -> str:  # noqa: B008 -- a constant
    """Instructions for runs that are handed nothing, too."""
    return f"You work in the branch {branch.name}."


@tool
async def count(branch: Inject[Branch]) -> str:
    """Counts."""
    SEEN.append(branch)
    return "counted"


async def test_agents_hand_it_to_their_instructions_and_their_own_tools() -> None:
    """By its type, as everywhere."""
    own, model = Branch(), calling("count")
    agent = Agent("clerk", instructions=write, tools=[count])
    async with application(agent, model, deps=Branch) as app:
        await app.agent("clerk").execute("Hi", deps=own)

    assert [own] == SEEN
    assert model.requests[0].system_prompt == "You work in the branch main."


@pytest.mark.parametrize(
    ("parts", "needing"),
    [
        ({"instructions": write}, "What writes the instructions needs a Branch"),
        ({"tools": [count]}, "The tool 'count' needs a Branch"),
    ],
)
async def test_an_agent_that_needs_it_says_so(parts: Any, needing: str) -> None:
    """Before the model is asked; without the agent, nothing is needed."""
    model = ScriptedChatModel(["Hello."])
    async with application(Agent("clerk", **parts), model, deps=Branch) as app:
        refused = await app.agent("clerk").execute("Hi")
        result = await app.execute("Hi")

    assert refused.error_code is AgentErrorCode.INVALID_INPUT
    assert needing in str(refused.error_message)
    assert result.unwrap() == "Hello."


async def test_instructions_may_do_without_it() -> None:
    """By a default."""
    model = ScriptedChatModel(["Hello."])
    async with application(Agent("clerk", instructions=write_anyway), model, deps=Branch) as app:
        await app.agent("clerk").execute("Hi")

    assert model.requests[0].system_prompt == "You work in the branch main."


class Plain:
    """An executor of another package that was written before there were deps."""

    async def execute(self, command: AgentCommand) -> AgentResult:
        return AgentResult(success=True, content="plain")

    async def execute_stream(self, command: AgentCommand) -> AsyncIterator[str]:
        yield "plain"

    async def stream_events(self, command: AgentCommand) -> AsyncIterator[AgentEvent]:
        yield RunFinished(await self.execute(command))


async def test_an_executor_without_deps_goes_on_working() -> None:
    """A run that is given some is refused with its place."""
    async with application(provides(AgentExecutor)(Plain)) as app:
        assert (await app.execute("Hi")).content == "plain"
        assert [text async for text in app.execute_stream("Hi")] == ["plain"]
        with pytest.raises(ComponentError, match="takes no deps"):
            await app.execute("Hi", deps=Branch())
        with pytest.raises(ComponentError, match="takes no deps"):
            app.stream("Hi", deps=Branch())
