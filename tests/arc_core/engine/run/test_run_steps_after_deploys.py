"""Runs that go on in a process which has less than the one before."""

from typing import Any

import pytest

from arc_core import (
    Agent,
    AgentCommand,
    AgentErrorCode,
    AgentResult,
    RunSuspended,
    ToolCall,
    ToolContext,
    ToolOutcome,
    tool,
)
from arc_core.testing import ScriptedChatModel, scripted_agent
from arc_core.testing.run_journals import DictRunJournals


@tool
async def look_up() -> str:
    """Look it up."""
    return "found"


@tool
async def count() -> int:
    """Count."""
    return 1


async def lives(command: AgentCommand, first: dict[str, Any], later: dict[str, Any]) -> AgentResult:
    """The result of a run whose process ends before its tool call."""
    journals = DictRunJournals()
    model = ScriptedChatModel([[ToolCall("1", "look_up", "{}")], "Done without it."])
    await scripted_agent(model, run_journals=journals, **first).start()
    journal = journals.open(command, run_id="r1")
    journal.suspend_before = "tool/0"
    assert journals.body is not None
    with pytest.raises(RunSuspended):
        await journals.body(command, journal)

    await scripted_agent(model, run_journals=journals, **later).start()
    return await journals.take_up("r1")


@pytest.mark.parametrize("left", [(count,), ()], ids=["another is left", "none is left"])
async def test_a_tool_that_is_gone_is_told_to_the_model(left: tuple[Any, ...]) -> None:
    """Its call has an error for a result, and the model goes on without it."""
    command = AgentCommand(user_prompt="Look it up.")

    result = await lives(command, {"tools": (look_up, count)}, {"tools": left})

    assert result.content == "Done without it."
    assert ToolOutcome.NOT_FOUND.value in str(result.messages)


async def test_a_run_whose_agent_is_gone_ends() -> None:
    """No other agent goes on with it; the error has its name."""
    command = AgentCommand(user_prompt="Look it up.", agent="clerk")
    clerk = Agent(name="clerk", instructions="Help.")

    result = await lives(command, {"tools": (look_up,), "agents": (clerk,)}, {"tools": (look_up,)})

    assert result.error_code is AgentErrorCode.INVALID_INPUT
    assert "no agent 'clerk'" in (result.error_message or "")


@tool
async def note(context: ToolContext) -> str:
    """Note something."""
    assert isinstance(context.metadata, dict)
    context.metadata["found"] = [object()]
    return "noted"


async def test_metadata_that_cannot_be_kept_is_named(caplog: pytest.LogCaptureFixture) -> None:
    """The run fails, and the log has the key; its caller reads nothing of it."""
    model = ScriptedChatModel([[ToolCall("1", "note", "{}")], "Done."])
    journals = DictRunJournals()
    agent = scripted_agent(model, run_journals=journals, tools=(note,))
    await agent.start()
    command = AgentCommand(user_prompt="Note it.")
    assert journals.body is not None

    result = await journals.body(command, journals.open(command, run_id="r1"))

    assert result.error_code is AgentErrorCode.UNKNOWN
    assert "object" not in (result.error_message or "")
    assert "$.metadata.found[0]: JSON would change this object" in caplog.text
