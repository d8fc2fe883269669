"""Runs that go on in another process: their spans are those of one trace, and none is lost."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.trace import StatusCode

from arc_core import (
    Agent,
    AgentCommand,
    AgentResult,
    Approve,
    Decision,
    FunctionTool,
    Hook,
    HookContext,
    Reject,
    RunSuspended,
    ToolCall,
    tool,
)
from arc_core.engine.run.executor import ReActAgentExecutor
from arc_core.log import get_logger
from arc_core.testing import ScriptedChatModel, scripted_agent
from arc_core.testing.run_journals import DictRunJournals
from arc_plugins.journals.in_memory.journals import InMemoryRunJournals
from arc_plugins.metrics.open_telemetry.hook import OpenTelemetryHook
from tests.arc_core.engine.suspending import let_go
from tests.arc_plugins.metrics.open_telemetry.telemetry import Telemetry, attributes

COMMAND = AgentCommand(user_prompt="Look it up.", model="m")
CALL = ToolCall("1", "look_up", '{"word": "arc"}')


@tool
async def look_up(word: str) -> str:
    """Look up a word."""
    return word


@tool(needs_approval=True)
async def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


class World:
    """A run, the journals that keep it, and what is told of it."""

    def __init__(self, *turns: Any) -> None:
        self.telemetry, self.journals = Telemetry(), DictRunJournals()
        self.model = ScriptedChatModel(turns)
        self.parts: dict[str, Any] = {"tools": (look_up, pay)}
        self.hooks: list[OpenTelemetryHook] = []

    async def process(self, *hooks: Hook) -> ReActAgentExecutor:
        """A process of its own as it were, with a hook that knows of no run."""
        self.hooks.append(self.telemetry.hook())
        agent = scripted_agent(
            self.model,
            **{
                "hooks": (self.hooks[-1], *hooks),
                "agent_metrics": self.telemetry.metrics(),
                "run_journals": self.journals,
                **self.parts,
            },
        )
        await agent.start()
        return agent

    async def suspend(self, key: str, command: AgentCommand = COMMAND) -> None:
        """Run in one process, up to a step."""
        journal = self.journals.open(command, run_id="r1")
        journal.suspend_before = key
        assert self.journals.body is not None
        task = asyncio.create_task(self._body(command, journal))
        with pytest.raises(RunSuspended):
            await task

    async def _body(self, command: AgentCommand, journal: Any) -> AgentResult:
        assert self.journals.body is not None
        return await self.journals.body(command, journal)

    async def go_on(self) -> AgentResult:
        """Run on in another process."""
        await self.process()
        return await asyncio.create_task(self.journals.take_up("r1"))

    @property
    def runs(self) -> list[ReadableSpan]:
        """The spans of runs, in the order of their ends."""
        return [span for span in self.telemetry.spans if span.name == "invoke_agent"]

    @property
    def open_spans(self) -> list[Any]:
        """Of all processes."""
        return [each for hook in self.hooks for each in hook._open.values()]


def traces(spans: Any) -> set[int]:
    """The ids of the traces in which spans are."""
    return {span.context.trace_id for span in spans}


@pytest.mark.parametrize("key", ["model/1", "tool/0", "model/2", "finish"])
async def test_a_run_in_two_lives_has_one_trace(key: str) -> None:
    """Wherever it left: model calls and tool calls of both lives are in the trace of the first."""
    world = World([CALL], "Done.")
    await world.process()

    await world.suspend(key)
    await world.go_on()

    names = sorted(span.name for span in world.telemetry.spans)
    assert names == ["chat m", "chat m", "execute_tool look_up", "invoke_agent", "invoke_agent"]
    assert len(traces(world.telemetry.spans)) == 1


async def test_the_span_of_a_later_life_says_so() -> None:
    """It lies in that of the first, and says that it goes on; the first says that it has left."""
    world = World([CALL], "Done.")
    await world.process()

    await world.suspend("model/2")
    await world.go_on()

    first, later = world.runs
    assert later.parent is not None
    assert (later.parent.span_id, later.parent.is_remote) == (first.context.span_id, True)
    assert attributes(later)["arc.run.resumed"] is True
    assert attributes(first)["arc.run.suspended"] is True
    assert {attributes(span)["arc.run.id"] for span in world.runs} == {"r1"}
    assert first.end_time is not None
    assert later.start_time is not None
    assert later.start_time >= first.end_time


@pytest.mark.parametrize("key", ["begin", "enter", "model/1", "tool/0", "model/2", "finish"])
async def test_a_suspended_run_leaks_no_span(key: str) -> None:
    """What was opened has ended, without an error, and nothing is remembered."""
    world = World([CALL], "Done.")
    world.parts["agents"] = (Agent("desk"),)
    await world.process()

    await world.suspend(key, COMMAND.model_copy(update={"agent": "desk"}))

    assert world.open_spans == []
    assert {span.status.status_code for span in world.telemetry.spans} <= {StatusCode.UNSET}


def tool_that_waits(begun: asyncio.Event) -> FunctionTool:
    """In its first call for ever."""
    calls_made: list[str] = []

    @tool
    async def wait() -> str:
        """Wait in the first life."""
        calls_made.append("wait")
        if len(calls_made) == 1:
            begun.set()
            await asyncio.Event().wait()
        return "waited"

    return wait


async def test_a_call_that_was_let_go_has_a_span_in_each_life() -> None:
    """That of the first says that it has left, and has no error."""
    begun = asyncio.Event()
    world = World([ToolCall("1", "wait", "{}")], "Done.")
    world.parts["tools"] = (tool_that_waits(begun),)
    await world.process()
    await let_go(world.journals, world.journals.open(COMMAND, run_id="r1"), begun.wait())
    await world.go_on()

    calls = [span for span in world.telemetry.spans if span.name == "execute_tool wait"]
    assert [attributes(span).get("arc.run.suspended") for span in calls] == [True, None]
    assert {span.status.status_code for span in calls} == {StatusCode.UNSET}
    assert len(traces(world.telemetry.spans)) == 1
    assert world.open_spans == []


async def test_runs_of_agents_go_on_in_the_trace() -> None:
    """The run of an agent that was asked has a span in each life, too."""
    turns = [ToolCall("1", "ask_clerk", '{"task": "Well?"}')], [CALL], "Yes.", "You get it."
    world = World(*turns)
    world.parts["agents"] = Agent("desk", delegates=["clerk"]), Agent("clerk")
    await world.process()

    await world.suspend("tool/0/model/2", COMMAND.model_copy(update={"agent": "desk"}))
    await world.go_on()

    names = [attributes(span)["gen_ai.agent.name"] for span in world.runs]
    assert names == ["clerk", "desk", "clerk", "desk"]
    assert len(traces(world.telemetry.spans)) == 1
    assert world.open_spans == []


@pytest.fixture
async def memory() -> AsyncIterator[InMemoryRunJournals]:
    """Journals that go on by themselves."""
    journals = InMemoryRunJournals(logger=get_logger("journals"))
    yield journals
    await journals.aclose()


async def test_a_run_that_waits_for_a_person_has_one_trace(memory: InMemoryRunJournals) -> None:
    """Also if it goes on in the process that it has left."""
    world = World([ToolCall("1", "pay", '{"amount": 3}')], "Done.")
    world.parts["run_journals"] = memory
    agent = await world.process()

    waiting = await agent.execute(COMMAND)
    [request] = waiting.waiting
    decision = Decision(answer=Approve(), by="boss", at=request.since)
    await memory.decide(waiting.run_id, request.key, decision)
    async for _ in memory.events(waiting.run_id):
        pass

    assert len(world.runs) == 2
    assert len(traces(world.telemetry.spans)) == 1
    assert world.open_spans == []


class Closed(Hook):
    """Lets no run in, after telemetry has seen it."""

    async def before_agent_start(self, context: HookContext) -> Reject:
        return Reject("closed")


async def test_a_rejected_run_ends_in_its_trace() -> None:
    """Also if its process ends between the rejection and the end."""
    world = World()
    await world.process(Closed())

    await world.suspend("finish")
    result = await world.go_on()

    assert [attributes(span).get("arc.run.resumed") for span in world.runs] == [None, True]
    assert len(traces(world.runs)) == 1
    assert attributes(world.runs[1])["error.type"] == result.error_code


async def test_a_run_that_no_journal_keeps_has_no_note() -> None:
    """Nothing is put into the metadata of a run that cannot go on."""
    world = World("Done.")
    del world.parts["tools"]
    agent = await world.process()

    result = await agent.execute(COMMAND)

    assert result.metadata == {}


@pytest.mark.parametrize("note", ["nonsense", 3])
async def test_a_note_that_is_not_one_begins_a_trace(note: object) -> None:
    """What stands in the metadata under that name may come from the caller."""
    world = World([CALL], "Done.")
    await world.process()

    await world.suspend("model/2")
    text = world.journals.records["r1"].texts["enter"]
    world.journals.records["r1"].texts["enter"] = with_note(text, note)
    await world.go_on()

    assert len(traces(world.runs)) == 2
    assert len(world.runs) == 2


def with_note(text: str, note: object) -> str:
    """The record of a step that has left another note."""
    record = json.loads(text)
    [change] = record["changes"]
    assert change["path"] == ["arc.traceparent"]
    assert change["value"].startswith("00-")
    return json.dumps({**record, "changes": [{**change, "value": note}]})
