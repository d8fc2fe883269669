"""Runs that are given up since their processes die: they end like any other."""

from typing import Any

import pytest

from arc_core import (
    AgentCommand,
    AgentErrorCode,
    AgentResult,
    AssistantMessage,
    ChatResponse,
    Hook,
    HookContext,
    TokenUsage,
    ToolCall,
    tool,
)
from arc_core.testing import ScriptedChatModel, scripted_agent
from arc_core.testing.run_journals import DictRunJournals
from tests.arc_core.leaving_runs import leave_run_before

COMMAND = AgentCommand(user_prompt="Look it up.")
CALLS = (ToolCall("1", "look_up", "{}"), ToolCall("2", "count", "{}"))


class Ends(Hook):
    """Is told of ends."""

    def __init__(self) -> None:
        self.told: list[AgentResult] = []

    async def after_agent_complete(self, context: HookContext, response: AgentResult) -> None:
        """Note it."""
        self.told.append(response)


class World:
    """A run whose process dies before a step, and the hooks that are told of its end."""

    def __init__(self) -> None:
        self.journals, self.ends, self.made = DictRunJournals(), Ends(), list[str]()

    async def start(self) -> None:
        """Begin a process."""

        @tool
        async def look_up() -> str:
            """Look it up."""
            self.made.append("look_up")
            return "found"

        @tool
        async def count() -> int:
            """Count."""
            self.made.append("count")
            return 1

        calls = ChatResponse(message=AssistantMessage("", CALLS), usage=TokenUsage(3, 4))
        model = ScriptedChatModel([lambda _: calls, "Found."])
        parts: dict[str, Any] = {"tools": (look_up, count), "hooks": (self.ends,)}
        await scripted_agent(model, run_journals=self.journals, **parts).start()

    async def end(self, *, dies_before: str) -> AgentResult:
        """The result of a run that is given up after 21 deaths there."""
        await self.start()
        journal = await leave_run_before(dies_before, self.journals, COMMAND, run_id="r")
        await self.start()
        journal.given_up_after = 21
        return await self.journals.take_up("r")


@pytest.mark.parametrize("key", ["enter", "model/1", "tool/0", "tool/1", "model/2"])
async def test_the_end_says_how_often_and_where_its_process_died(key: str) -> None:
    """To the caller as to hooks; the step is not begun again."""
    world = World()

    result = await world.end(dies_before=key)

    assert result.error_code is AgentErrorCode.UNKNOWN
    assert result.error_message == f"The run was given up: its process died 21 times at {key}."
    assert [each.error_message for each in world.ends.told] == [result.error_message]


async def test_the_end_has_what_was_said_and_used_so_far() -> None:
    """As that of any other run that fails; no tool is called again."""
    world = World()

    result = await world.end(dies_before="model/2")

    assert result.token_usage == TokenUsage(3, 4)
    assert [type(each).__name__ for each in result.messages] == [
        *("UserMessage", "AssistantMessage", "ToolResultMessage")
    ]
    assert sorted(world.made) == ["count", "look_up"]
    assert result.tools_used == ("look_up", "count")


async def test_a_run_that_died_after_its_last_step_has_its_end() -> None:
    """What was recorded counts, and not that it was given up."""
    world = World()
    await world.start()
    journal = world.journals.open(COMMAND, run_id="r")
    assert world.journals.body is not None
    await world.journals.body(COMMAND, journal)
    await world.start()
    journal.given_up_after = 21

    result = await world.journals.take_up("r")

    assert result.content == "Found."
