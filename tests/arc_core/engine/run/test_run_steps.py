"""Runs that a journal keeps: what was done in an earlier life is not done again."""

import json
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest

from arc_core import (
    AgentCommand,
    AgentResult,
    Approve,
    Decision,
    Deny,
    FunctionTool,
    RunFinished,
    RunSuspended,
    TextDelta,
    ToolCall,
    ToolContext,
    ToolOutcome,
    ToolResultMessage,
    TurnRestarted,
    tool,
)
from arc_core.engine.run.executor import ReActAgentExecutor
from arc_core.interfaces.guards.guard import Allowed, Guard, GuardRequest, GuardResult
from arc_core.interfaces.hook import Hook, HookContext, ToolCallContext, ToolCallResult
from arc_core.settings import AgentSettings, CacheSettings
from arc_core.testing import ScriptedChatModel
from arc_core.testing.fakes import DictResponseCache
from arc_core.testing.run_journals import DictRunJournal, DictRunJournals
from arc_core.testing.scripted_agent import scripted_agent
from tests.arc_core.leaving_runs import leave_run_before


class Counting(Guard):
    """Lets all in."""

    order = 1

    def __init__(self, done: Counter[str]) -> None:
        self._done = done

    async def check(self, request: GuardRequest) -> GuardResult:
        """Count."""
        self._done["guard"] += 1
        return Allowed()


class Watching(Hook):
    """Leaves a note for itself at the start."""

    def __init__(self, done: Counter[str]) -> None:
        self._done = done

    async def before_agent_start(self, context: HookContext) -> None:
        """Count, and leave the note."""
        self._done["start"] += 1
        context.metadata["from_hook"] = ["kept"]

    async def before_tool_call(self, context: ToolCallContext) -> None:
        """Count."""
        self._done[f"before {context.tool_name}"] += 1

    async def after_tool_call(self, context: ToolCallContext, result: ToolCallResult) -> None:
        """Count."""
        self._done[f"after {context.tool_name}"] += 1

    async def after_agent_complete(self, context: HookContext, response: AgentResult) -> None:
        """Count, and find the note."""
        self._done["end"] += 1
        assert context.metadata["from_hook"] == ["kept"]


def find_tools(done: Counter[str]) -> tuple[FunctionTool, FunctionTool]:
    """One that finds and one that pays."""

    @tool
    async def find(what: str) -> str:
        """Find."""
        done["find"] += 1
        return f"found {what}"

    @tool
    async def pay(amount: int, context: ToolContext) -> str:
        """Pay."""
        done["pay"] += 1
        return f"paid {amount} by {context.idempotency_key}"

    return find, pay


@dataclass
class World:
    """A run with two tools at once, and what is done in it."""

    done: Counter[str] = field(default_factory=Counter)
    journals: DictRunJournals = field(default_factory=DictRunJournals)

    def executor(self, pay_tool: FunctionTool | None = None) -> ReActAgentExecutor:
        """The engine, in a process of its own as it were."""
        model = ScriptedChatModel([lambda request: self._answer(len(request.messages))] * 9)
        find, pay = find_tools(self.done)
        return scripted_agent(
            model,
            run_journals=self.journals,
            guards=(Counting(self.done),),
            hooks=(Watching(self.done),),
            tools=(find, pay_tool or pay),
        )

    async def suspend(self, command: AgentCommand, key: str) -> DictRunJournal:
        """Begin the run `r1`, leave it before a step, and have another process ready for it."""
        await self.executor().start()
        journal = await leave_run_before(key, self.journals, command, run_id="r1")
        await self.executor().start()
        return journal

    def _answer(self, messages: int) -> Any:
        self.done["model"] += 1
        if messages > 1:
            return "All done."
        return [ToolCall("a", "find", '{"what": "it"}'), ToolCall("b", "pay", '{"amount": 3}')]


KEYS = ("enter", "model/1", "tool/0", "tool/1", "model/2", "finish")
ONCE = {
    **dict.fromkeys(("guard", "start", "find", "pay", "end"), 1),
    **dict.fromkeys(("before find", "after find", "before pay", "after pay"), 1),
    "model": 2,
}


@pytest.mark.parametrize("key", KEYS)
async def test_nothing_is_done_twice_in_a_later_life(key: str) -> None:
    """Guards, hooks, models and tools are asked once each, wherever the process has ended."""
    world = World()
    command = AgentCommand(user_prompt="Find it and pay.", metadata={"of": "the caller"})
    await world.suspend(command, key)

    result = await world.journals.take_up("r1")

    assert (result.content, result.run_id) == ("All done.", "r1")
    assert world.done == ONCE
    assert result.tools_used == ("find", "pay")
    assert [type(each).__name__ for each in result.messages] == [
        *("UserMessage", "AssistantMessage", "ToolResultMessage", "AssistantMessage")
    ]
    assert result.metadata["from_hook"] == ["kept"]
    assert "paid 3 by r1/1" in str(result.messages[2])


@pytest.mark.parametrize("key", KEYS)
async def test_events_of_two_lives_have_no_gap(key: str) -> None:
    """Numbers go on, and a reader who drops the text of a restarted turn has the answer."""
    world = World()
    journal = await world.suspend(AgentCommand(user_prompt="Find it and pay."), key)

    await world.journals.take_up("r1")

    events = journal.published
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert isinstance(events[-1], RunFinished)
    text = ""
    for event in events:
        text = "" if isinstance(event, TurnRestarted) else text
        text += event.text if isinstance(event, TextDelta) else ""
    assert text == "All done."


async def test_the_first_step_of_an_attempt_says_who_makes_it() -> None:
    """Only that one, also if several calls go on at the same time."""
    world = World()
    journal = await world.suspend(AgentCommand(user_prompt="Find it and pay."), "tool/1")
    journal.worker, journal.deaths = "second", 1

    await world.journals.take_up("r1")

    records = {key: json.loads(text) for key, text in journal.texts.items()}
    begun = {key: each["attempt"] for key, each in records.items() if "attempt" in each}
    assert [*begun] == ["enter", "tool/1"]
    assert "worker" not in begun["enter"]
    expected = {"type": "attempt", "attempt_id": journal.attempt_id, "worker": "second"}
    assert begun["tool/1"] == {**expected, "deaths": 1}
    assert all(each["started_at"] <= each["ended_at"] for each in records.values())


async def decide_and_take_up(
    world: World, result: AgentResult, answer: Approve | Deny
) -> AgentResult:
    [request] = result.waiting
    decision = Decision(answer=answer, by="boss", at=datetime.now(UTC))
    await world.journals.decide(result.run_id, request.key, decision)
    return await world.journals.take_up(result.run_id)


def asking(world: World) -> Any:
    """A tool that waits for a person."""

    @tool(needs_approval=True)
    async def pay(amount: int) -> str:
        """Pay."""
        world.done["pay"] += 1
        return f"paid {amount}"

    return pay


@pytest.mark.parametrize(
    ("answer", "told", "outcome"),
    [
        (Approve(), "paid 3", ToolOutcome.SUCCESS),
        (Approve({"amount": 2}), "paid 2", ToolOutcome.SUCCESS),
        (Deny("too much"), "denied: too much", ToolOutcome.DENIED),
    ],
)
async def test_a_call_waits_for_a_person(
    answer: Approve | Deny, told: str, outcome: ToolOutcome
) -> None:
    """Siblings of the call end first; then the run has no answer until it is decided."""
    world = World()
    agent = world.executor(asking(world))
    await agent.start()

    result = await agent.execute(AgentCommand(user_prompt="Find it and pay."))
    before = dict(world.done)
    ended = await decide_and_take_up(world, result, answer)

    assert (result.success, result.error_code) == (False, None)
    assert result.waiting[0].arguments == {"amount": 3}
    assert (before["find"], before.get("pay"), before["model"]) == (1, None, 1)
    told_of = ended.messages[2]
    assert isinstance(told_of, ToolResultMessage)
    called = told_of.results[1]
    assert told in called.text
    assert called.outcome is outcome
    assert world.done["find"] == 1
    assert world.done["model"] == 2


@pytest.mark.parametrize("key", ["answer", "finish"])
async def test_a_hit_of_the_response_cache_is_a_step(key: str) -> None:
    """It is looked up once, and what is there later changes nothing."""
    journals, cache = DictRunJournals(), DictResponseCache()
    model = ScriptedChatModel(["answer 1"])

    def engine() -> ReActAgentExecutor:
        settings = AgentSettings(cache=CacheSettings(enabled=True))
        return scripted_agent(model, settings, run_journals=journals, response_cache=cache)

    command = AgentCommand(user_prompt="What is it?", temperature=0.0)
    await engine().start()
    assert journals.body is not None
    first = await journals.body(command, journals.open(command, run_id="r1"))
    await engine().start()
    journal = journals.open(command, run_id="r2")
    journal.suspend_before = key
    with pytest.raises(RunSuspended):
        await journals.body(command, journal)
    await engine().start()
    second = await journals.take_up("r2")

    assert (first.content, first.cache_hit) == ("answer 1", False)
    assert (second.content, second.cache_hit) == ("answer 1", True)
