"""Agents that ask and hand over to others, in runs that a journal keeps."""

import asyncio
from collections import Counter
from typing import Any

import pytest

from arc_core import (
    AgentCommand,
    AgentStarted,
    ChatRequest,
    RunFinished,
    ToolCall,
    ToolCallFinished,
    ToolCallStarted,
    ToolResultMessage,
    tool,
)
from arc_core.engine.run.executor import ReActAgentExecutor
from arc_core.testing import ScriptedChatModel
from arc_core.testing.run_journals import DictRunJournal, DictRunJournals
from arc_core.testing.scripted_agent import scripted_agent
from tests.arc_core.engine.asking_agents import agent_of
from tests.arc_core.engine.suspending import let_go
from tests.arc_core.leaving_runs import leave_run_before

ASKED = AgentCommand(user_prompt="My bill?", agent="support", user_id="ann")


@tool
async def find_bill() -> str:
    """Finds a bill."""
    return "12.50"


def engine_of(journals: DictRunJournals, done: Counter[str], *agents: Any) -> ReActAgentExecutor:
    """Agents whose model calls what is on offer once, and then answers."""

    def answer(request: ChatRequest) -> Any:
        done[str(request.system_prompt)] += 1
        has_called = any(isinstance(each, ToolResultMessage) for each in request.messages)
        name = next((each.name for each in request.tools), None)
        if name is None or has_called:
            return f"{request.system_prompt} says so."
        arguments = '{"task": "Find it."}' if name.startswith("ask_") else "{}"
        return [ToolCall(f"to-{name}", name, arguments)]

    model = ScriptedChatModel([answer] * 20)
    return scripted_agent(model, run_journals=journals, agents=agents, tools=(find_bill,))


async def in_two_lives(key: str, *agents: Any) -> tuple[DictRunJournal, Any, Counter[str]]:
    """A run whose process ends before a step, taken up in another one."""
    journals, done = DictRunJournals(), Counter[str]()
    await engine_of(journals, done, *agents).start()
    journal = await leave_run_before(key, journals, ASKED, run_id="r1")
    await engine_of(journals, done, *agents).start()
    return journal, await journals.take_up("r1"), done


ASKING = (
    agent_of("support", delegates=["billing"], tools=[]),
    agent_of("billing", tools=[find_bill]),
)


@pytest.mark.parametrize(
    "key",
    [
        *("begin", "enter", "model/1", "tool/0/begin", "tool/0/enter", "tool/0/model/1"),
        *("tool/0/tool/0", "tool/0/model/2", "tool/0/finish", "tool/0", "model/2", "finish"),
    ],
)
async def test_a_delegated_run_goes_on_in_its_middle(key: str) -> None:
    """Neither agent is asked twice, and tokens of both are counted once."""
    journal, result, done = await in_two_lives(key, *ASKING)

    assert result.content == "support says so."
    assert done == {"support": 2, "billing": 2}
    assert result.token_usage.total_tokens == 4 * 15
    started = [event for event in journal.published if isinstance(event, AgentStarted)]
    assert [each.agent for each in started] == ["support", "billing"]
    assert started[1].parent_run_id == "r1"
    assert isinstance(journal.published[-1], RunFinished)


@pytest.mark.parametrize(
    "key", ["tool/0/model/1", "tool/0/tool/0", "tool/0/model/2", "tool/0/finish"]
)
async def test_the_call_of_a_delegated_run_that_goes_on_is_told_once(key: str) -> None:
    """Readers have its start from the life before, as after an approval below it."""
    journal, _, _ = await in_two_lives(key, *ASKING)

    calls = [
        event
        for event in journal.published
        if isinstance(event, ToolCallStarted | ToolCallFinished)
    ]
    of_asked = [type(each) for each in calls if each.run_id == "r1"]
    assert of_asked == [ToolCallStarted, ToolCallFinished]


@pytest.mark.parametrize("key", ["tool/0", "hand_over/1", "model/2", "finish"])
async def test_a_run_that_was_handed_over_stays_so(key: str) -> None:
    """The agent that has taken over is not asked to do so again."""
    agents = (agent_of("support", handoffs=["billing"], tools=[]), agent_of("billing", tools=[]))

    _, result, done = await in_two_lives(key, *agents)

    assert (result.content, result.agent) == ("billing says so.", "billing")
    assert done == {"support": 1, "billing": 1}


async def test_events_of_a_delegated_run_that_was_cut_off_go_on() -> None:
    """What its step had told in the life before gets no number again."""
    begun, gate = asyncio.Event(), asyncio.Event()

    @tool
    async def find_slowly() -> str:
        """Finds a bill."""
        begun.set()
        await gate.wait()
        return "12.50"

    journals = DictRunJournals()
    agents = (ASKING[0], agent_of("billing", tools=[find_slowly]))
    await engine_of(journals, Counter(), *agents).start()
    journal = journals.open(ASKED, run_id="r1")
    await let_go(journals, journal, begun.wait())
    gate.set()
    await journals.take_up("r1")

    below = [each.seq for each in journal.published if each.run_id != "r1"]
    assert below == list(range(1, len(below) + 1))
