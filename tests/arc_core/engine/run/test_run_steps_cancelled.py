"""Runs that are cancelled while they are in no process: an attempt of their own ends them."""

import pytest

from arc_core import (
    AgentCommand,
    AgentErrorCode,
    AgentResult,
    RunFinished,
    RunSuspended,
    ToolCall,
    tool,
)
from arc_core.engine.run.executor import ReActAgentExecutor
from arc_core.testing import RecordingHook, ScriptedChatModel, scripted_agent
from arc_core.testing.run_journals import DictRunJournals

COMMAND = AgentCommand(user_prompt="Pay.")


@tool(needs_approval=True)
async def pay() -> str:
    """Pay."""
    raise AssertionError("a cancelled run has called its tool")


class World:
    """A run that asks a person before it pays, whose end a hook is told."""

    def __init__(self) -> None:
        self.journals, self.hook = DictRunJournals(), RecordingHook()
        self.model = ScriptedChatModel([[ToolCall("1", "pay", "{}")]])
        self.engine: ReActAgentExecutor = scripted_agent(
            self.model, hooks=(self.hook,), tools=(pay,), run_journals=self.journals
        )

    async def end(self) -> AgentResult:
        """What the attempt gives that ends it."""
        self.hook.calls.clear()
        self.journals.records["r1"].is_cancelled = True
        return await self.journals.take_up("r1")


async def test_a_run_that_waits_is_ended_by_its_hooks() -> None:
    """They are told of its resumption and of its end, and neither model nor tool is asked."""
    world = World()
    await world.engine.start()
    journal = world.journals.open(COMMAND, run_id="r1")
    assert world.journals.body is not None
    with pytest.raises(RunSuspended):
        await world.journals.body(COMMAND, journal)

    result = await world.end()

    assert result.error_code is AgentErrorCode.CANCELLED
    assert world.hook.names == ["before_agent_resume", "after_agent_complete"]
    assert world.hook.calls[-1][1] == result
    assert isinstance(journal.published[-1], RunFinished)
    assert [each.seq for each in journal.published] == list(range(1, len(journal.published) + 1))
    assert len(world.model.requests) == 1


async def test_a_run_that_has_not_begun_is_ended_by_its_hooks() -> None:
    """They are told of the end alone, and guards of nothing."""
    world = World()
    await world.engine.start()
    world.journals.open(COMMAND, run_id="r1")

    result = await world.end()

    assert result.error_code is AgentErrorCode.CANCELLED
    assert world.hook.names == ["after_agent_complete"]
    assert set(world.journals.records["r1"].texts) == {"finish"}
