"""Runs that components ask the engine for, inside of a run."""

import asyncio
from collections import Counter
from typing import Any

import pytest

from arc_core import (
    AgentCommand,
    AgentStarted,
    Allowed,
    ChatRequest,
    Guard,
    GuardRequest,
    GuardResult,
    RunSuspended,
    TextDelta,
    ToolCall,
    ToolCallStarted,
    ToolResultMessage,
    tool,
)
from arc_core.engine.run.executor import ReActAgentExecutor
from arc_core.settings import AgentSettings
from arc_core.testing import ScriptedChatModel, scripted_agent
from arc_core.testing.run_journals import DictRunJournal, DictRunJournals
from tests.arc_core.engine.asking_agents import agent_of

ASKED = AgentCommand(user_prompt="My bill?", agent="support", user_id="ann")
ONE_PERMIT = {"max_concurrent_requests": 1, "acquire_timeout_s": 0.05}


class World:
    """An agent with a tool that asks another one by the engine, in one way.

    Attributes:
        engines: Of all lives; the tool asks the last one.
        done: How often the model was asked, by agents.
        looked: How often the tool of the asked agent was called.
    """

    def __init__(self, way: str = "execute") -> None:
        self.engines: list[ReActAgentExecutor] = []
        self.done, self.looked, self.way = Counter[str](), 0, way

    def engine(self, **more: Any) -> ReActAgentExecutor:
        """The engine of one life."""

        @tool
        async def look() -> str:
            """Look it up."""
            self.looked += 1
            return "12.50"

        @tool
        async def find_out() -> str:
            """Ask billing."""
            return await self._ask(AgentCommand(user_prompt="Look.", agent="billing"))

        agents = (agent_of("support", tools=[find_out]), agent_of("billing", tools=[look]))
        model = ScriptedChatModel([self._answer] * 40)
        self.engines.append(scripted_agent(model, agents=agents, **more))
        return self.engines[-1]

    async def _ask(self, command: AgentCommand) -> str:
        engine = self.engines[-1]
        if self.way == "execute":
            return str((await engine.execute(command)).unwrap())
        if self.way == "execute_stream":
            return "".join([piece async for piece in engine.execute_stream(command)])
        events = [event async for event in engine.stream_events(command)]
        return "".join(event.text for event in events if isinstance(event, TextDelta))

    def _answer(self, request: ChatRequest) -> Any:
        self.done[str(request.system_prompt)] += 1
        results = [each for each in request.messages if isinstance(each, ToolResultMessage)]
        if results:
            return results[-1].results[0].text
        return [ToolCall("1", request.tools[0].name, "{}")]

    async def live(self, key: str | None = None) -> tuple[DictRunJournal, Any]:
        """A run of two lives, if it is cut off before a step; else of one."""
        journals = DictRunJournals()
        await self.engine(run_journals=journals).start()
        journal = journals.open(ASKED, run_id="r1")
        journal.suspend_before = key
        assert journals.body is not None
        if key is None:
            return journal, await journals.body(ASKED, journal)
        with pytest.raises(RunSuspended):
            await journals.body(ASKED, journal)
        await self.engine(run_journals=journals).start()
        return journal, await journals.take_up("r1")


@pytest.mark.parametrize("way", ["execute", "execute_stream", "stream_events"])
async def test_a_run_below_a_tool_is_resumed_in_its_middle(way: str) -> None:
    """Wherever the process ended: no agent and no finished tool of it is asked twice."""
    journal, _ = await World(way).live()
    below = [key for key in journal.texts if key.startswith("tool/0/")]

    for key in (*below, "tool/0", "model/2", "finish"):
        world = World(way)
        again, result = await world.live(key)

        assert result.content == "12.50", key
        assert (world.done, world.looked) == ({"support": 2, "billing": 2}, 1), key
        assert result.token_usage.total_tokens == 4 * 15, key
        assert set(again.texts) == set(journal.texts), key
        started = [each for each in again.published if isinstance(each, ToolCallStarted)]
        told = sum(each.run_id == "r1" for each in started)
        assert told == 1 + key.endswith("/asked"), key
    assert len(below) == 7


async def test_events_of_a_run_below_a_tool_are_kept_with_those_of_its_caller() -> None:
    """Under its own id, which is the same in each life."""
    first, _ = await World().live()
    second, _ = await World().live("model/2")

    ids = [
        {each.run_id for each in journal.published if isinstance(each, AgentStarted)}
        for journal in (first, second)
    ]
    assert len(ids[0]) == 2
    assert ids[0] == ids[1]


class Judge(Guard):
    """Asks an agent whether a prompt may be let in."""

    order = 1

    def __init__(self, world: World) -> None:
        self.world = world

    async def check(self, request: GuardRequest) -> GuardResult:
        if request.agent != "billing":
            await self.world.engines[-1].execute(AgentCommand(user_prompt="?", agent="billing"))
        return Allowed()


async def test_a_guard_that_asks_an_agent_needs_no_permit_of_its_own() -> None:
    """Any component may ask."""
    world = World()
    settings = AgentSettings.model_validate({"concurrency": ONE_PERMIT})
    engine = world.engine(settings=settings, guards=(Judge(world),))

    result = await engine.execute(ASKED)

    assert result.success
    assert world.done["billing"] == 4


async def test_another_engine_has_permits_of_its_own() -> None:
    """Its runs have no run above, as those of any other program."""
    other = World()
    events: list[Any] = []

    @tool
    async def ask_elsewhere() -> str:
        """Ask another engine."""
        async for event in other.engine().stream_events(ASKED):
            events.append(event)
        return "asked"

    model = ScriptedChatModel([[ToolCall("1", "ask_elsewhere", "{}")], "Done."])
    result = await scripted_agent(model, tools=(ask_elsewhere,)).execute(
        AgentCommand(user_prompt="Go.")
    )

    started = [each for each in events if isinstance(each, AgentStarted)]
    assert started[0].parent_run_id is None
    assert result.token_usage is not None
    assert result.token_usage.total_tokens == 2 * 15


async def test_a_stream_that_a_tool_leaves_open_ends_with_its_run() -> None:
    """Nothing goes on behind the result."""
    world = World()
    streams: list[Any] = []

    @tool
    async def begin() -> str:
        """Read one event."""
        streams.append(stream := world.engines[-1].stream_events(ASKED))
        await anext(stream)
        return "begun"

    agents = (agent_of("desk", tools=[begin]), agent_of("support", tools=[]))
    model = ScriptedChatModel([[ToolCall("1", "begin", "{}")], *["word " * 500] * 2])
    world.engines.append(scripted_agent(model, agents=agents))
    before = asyncio.all_tasks()

    result = await world.engines[-1].execute(AgentCommand(user_prompt="Go.", agent="desk"))

    assert result.success
    assert asyncio.all_tasks() == before
