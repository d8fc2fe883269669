"""Runs get a journal only once a person may have to be asked about a call."""

from collections import Counter
from datetime import UTC, datetime
from typing import Any

from arc_core import (
    Agent,
    AgentCommand,
    AgentResult,
    Approve,
    Decision,
    Document,
    Hook,
    HookContext,
    Tool,
    ToolCall,
    ToolContext,
    tool,
)
from arc_core.engine.run.executor import ReActAgentExecutor
from arc_core.settings import AgentSettings
from arc_core.testing import ScriptedChatModel
from arc_core.testing.fakes import FixedRetriever
from arc_core.testing.run_journals import DictRunJournals
from arc_core.testing.scripted_agent import scripted_agent

COMMAND = AgentCommand(user_prompt="Pay what we owe.", metadata={"plan": "free"})
LOOK = [ToolCall("1", "look", '{"name": "debts"}'), ToolCall("2", "look", '{"name": "Ann"}')]
PAY = [ToolCall("3", "pay", '{"amount": 7}')]


class World:
    """Counts what is done in all lives of a run: it looks twice, and may pay after that."""

    def __init__(self, *turns: Any, **parts: Any) -> None:
        self.done: Counter[str] = Counter()
        self.journals, self.model = DictRunJournals(), ScriptedChatModel(turns)
        given = {"tools": self._tools(), "hooks": (_Counting(self.done),)} | parts
        self.engine: ReActAgentExecutor = scripted_agent(
            self.model, run_journals=self.journals, **given
        )

    def _tools(self) -> tuple[Tool, ...]:
        @tool
        async def look(name: str, context: ToolContext) -> str:
            """Look something up."""
            self.done[name] += 1
            context.metadata[name] = self.done[name]  # type: ignore[index]
            return f"It says {name}."

        @tool(needs_approval=True)
        async def pay(amount: int) -> str:
            """Pay."""
            self.done["paid"] += amount
            return "paid"

        return look, pay

    async def ask(self, command: AgentCommand = COMMAND) -> AgentResult:
        """The first life of a run."""
        await self.engine.start()
        return await self.engine.execute(command)

    async def approve(self, result: AgentResult) -> AgentResult:
        """The second one."""
        [request] = result.waiting
        decision = Decision(answer=Approve(), by="boss", at=datetime.now(UTC))
        await self.journals.decide(result.run_id, request.key, decision)
        return await self.journals.take_up(result.run_id)


class _Counting(Hook):
    def __init__(self, done: Counter[str]) -> None:
        self._done = done

    async def before_agent_start(self, context: HookContext) -> None:
        self._done["start"] += 1
        context.metadata["seat"] = 1

    async def after_agent_complete(self, context: HookContext, response: AgentResult) -> None:
        self._done["end"] += 1


async def test_a_run_that_calls_no_marked_tool_has_no_journal() -> None:
    """Though there is one, so that approval costs those runs nothing that do not need it."""
    world = World(LOOK, "We owe nothing.")

    result = await world.ask()

    assert result.content == "We owe nothing."
    assert world.journals.records == {}


async def test_a_run_is_resumed_with_what_it_did_before_it_had_a_journal() -> None:
    """After the approval nothing is done again: no hook, no model call, no other tool."""
    world = World(LOOK, LOOK[:1], PAY, "All paid.")

    ended = await world.approve(await world.ask())

    assert ended.content == "All paid."
    assert world.done == {"start": 1, "debts": 2, "Ann": 1, "paid": 7, "end": 1}
    assert len(world.model.requests) == 4
    assert ended.metadata == {"plan": "free", "seat": 1, "debts": 2, "Ann": 1}
    assert ended.token_usage is not None
    assert ended.token_usage.total_tokens == 4 * 15
    assert ended.tools_used == ("look", "pay")


async def test_a_resumed_run_tells_its_model_the_same_as_before() -> None:
    """The conversation is that of the first life, with the documents and results it had."""
    world = World(LOOK, PAY, "All paid.", retriever=FixedRetriever([Document("We owe Ann 7.")]))

    await world.approve(await world.ask())

    first, second, third = world.model.requests
    assert third.messages[: len(second.messages)] == second.messages
    assert second.messages[: len(first.messages)] == first.messages
    assert third.system_prompt == second.system_prompt


async def test_a_run_waits_after_a_handoff_and_resumes_with_the_agent_in_charge() -> None:
    """What handed over before there was a journal is not asked again."""
    world = World()
    _, pay = world._tools()
    agents = (
        Agent("desk", instructions="desk", tools=[], handoffs=["clerk"]),
        Agent("clerk", instructions="clerk", tools=[pay]),
    )
    turns = ([ToolCall("1", "transfer_to_clerk", "{}")], PAY, "All paid.")
    world = World(*turns, tools=(), agents=agents)

    ended = await world.approve(await world.ask(COMMAND.model_copy(update={"agent": "desk"})))

    assert (ended.content, ended.agent) == ("All paid.", "clerk")
    assert [each.system_prompt for each in world.model.requests] == ["desk", "clerk", "clerk"]


async def test_a_resumed_run_does_not_take_an_answer_that_was_cached_while_it_waited() -> None:
    """It looked before it began, and goes on with what was approved."""
    settings = AgentSettings.model_validate({"cache": {"enabled": True}, "llm": {"temperature": 0}})
    world = World(PAY, "Answered elsewhere.", "All paid.", settings=settings)
    waiting = await world.ask()
    await world.engine.execute(COMMAND)

    ended = await world.approve(waiting)

    assert (ended.content, world.done["paid"]) == ("All paid.", 7)
