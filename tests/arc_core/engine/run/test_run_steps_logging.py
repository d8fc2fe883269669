"""What the log says of a run that goes on in another process."""

import asyncio
import logging
from typing import Any

import pytest

from arc_core import Agent, AgentCommand, Hook, HookContext, RunSuspended, ToolCall
from arc_core.log import get_logger
from arc_core.testing import ScriptedChatModel, scripted_agent
from arc_core.testing.run_journals import DictRunJournals

COMMAND = AgentCommand(user_prompt="Well?", user_id="ann", session_id="s1", agent="desk")
AGENTS = Agent("desk", delegates=["clerk"]), Agent("clerk")


class Logging(Hook):
    """Logs at the beginning of a later life."""

    async def before_agent_resume(self, context: HookContext) -> None:
        get_logger("hook").info("resumed")


async def run_twice(key: str) -> DictRunJournals:
    """A run that asks another agent, suspended once; each life has a task of its own."""
    journals = DictRunJournals()
    model = ScriptedChatModel([[ToolCall("1", "ask_clerk", '{"task": "?"}')], "Yes.", "It is."])
    agent = scripted_agent(model, agents=AGENTS, run_journals=journals, hooks=(Logging(),))
    await agent.start()
    journal = journals.open(COMMAND, run_id="r1")
    journal.suspend_before = key

    async def live() -> Any:
        assert journals.body is not None
        return await journals.body(COMMAND, journal)

    with pytest.raises(RunSuspended):
        await asyncio.create_task(live())
    await asyncio.create_task(journals.take_up("r1"))
    return journals


def facts_of(caplog: pytest.LogCaptureFixture, event: str) -> list[dict[str, Any]]:
    """What the records of an event carry."""
    return [vars(record) for record in caplog.records if record.message == event]


@pytest.mark.parametrize("key", ["enter", "tool/0/model/1", "model/2", "finish"])
async def test_a_later_life_is_logged_once(key: str, caplog: pytest.LogCaptureFixture) -> None:
    """With the run and the life; runs below it, which go on with it, are not logged."""
    caplog.set_level(logging.INFO, "arc")

    journals = await run_twice(key)

    [fact] = facts_of(caplog, "run goes on")
    assert (fact["run_id"], fact["life"]) == ("r1", journals.records["r1"].attempt_id)
    assert fact["levelno"] == logging.INFO


async def test_records_of_a_later_life_say_whose_run_it_is(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """As those of the first: run, user, session and agent."""
    caplog.set_level(logging.INFO, "arc")

    await run_twice("model/2")

    [fact] = facts_of(caplog, "resumed")
    assert (fact["run_id"], fact["user_id"], fact["session_id"]) == ("r1", "ann", "s1")
    assert fact["agent"] == "desk"
