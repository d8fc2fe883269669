"""Records of runs in memory."""

import json
from typing import Any

import pytest

from arc_core import (
    Agent,
    AgentCommand,
    Capability,
    ConfigurationError,
    FunctionTool,
    Hook,
    HookContext,
    RunContext,
    RunFinished,
    ToolCall,
    UnknownRunError,
    tool,
)
from arc_core.engine.run.executor import ReActAgentExecutor
from arc_core.log import get_logger
from arc_core.testing import ScriptedChatModel, scripted_agent
from arc_plugins.journals.in_memory.journals import InMemoryRunJournals
from arc_plugins.journals.in_memory.recordings import Recordings


@tool
async def find(item: str) -> str:
    """Find an item."""
    return f"{item} found"


def store(**options: Any) -> InMemoryRunJournals:
    """Return a store that is asked to record."""
    journals = InMemoryRunJournals(logger=get_logger("test"), **options)
    journals.record_runs()
    return journals


def agent(
    journals: InMemoryRunJournals, *tools: FunctionTool[Any, Any], **parts: Any
) -> ReActAgentExecutor:
    """Return an engine whose model calls a tool and answers."""
    turns: list[Any] = [[ToolCall("1", "find", '{"item": "cup"}')], "Here it is."] * 5
    return scripted_agent(
        ScriptedChatModel(turns), run_journals=journals, tools=tools or (find,), **parts
    )


async def test_a_run_in_place_is_recorded_with_all_its_steps() -> None:
    """And with the texts of what its model was asked."""
    journals = store()

    result = await agent(journals).execute(AgentCommand(user_prompt="A cup?"))

    recording = await journals.recording(result.run_id)
    assert list(recording.steps) == ["enter", "model/1", "tool/0", "model/2", "finish"]
    request = json.loads(recording.steps["model/1"])["value"]["request"]
    named = {part["digest"] for part in request["parts"]} | {request["options"]}
    assert len(named) == 4
    assert len(named - recording.parts.keys()) == 1  # the question stands in `enter`
    assert recording.command.user_prompt == "A cup?"


async def test_the_command_is_recorded_as_it_was_asked() -> None:
    """What its agent fills in may have changed when the run is replayed."""
    journals, clerk = store(), Agent("clerk", instructions="You sell.", tools=[find])
    asked = AgentCommand(user_prompt="A cup?", agent="clerk")

    result = await agent(journals, agents=(clerk,)).execute(asked)

    recording = await journals.recording(result.run_id)
    assert recording.command == asked
    assert "You sell." in recording.steps["enter"]


async def write_instructions(run: RunContext) -> str:
    """Return instructions with a time."""
    return f"It is {run.now.isoformat()}."


async def test_the_time_of_a_run_is_recorded() -> None:
    """Instructions have it, and have the same again when the run is replayed."""
    journals, clerk = store(), Agent("clerk", instructions=write_instructions)

    result = await agent(journals, agents=(clerk,)).execute(
        AgentCommand(user_prompt="A cup?", agent="clerk")
    )

    entered = json.loads((await journals.recording(result.run_id)).steps["enter"])["value"]
    assert entered["system_prompt"] == f"It is {entered['started_at']}."


async def test_a_stream_in_place_is_recorded() -> None:
    """Its reader has all events, the last one as ever."""
    journals, command = store(), AgentCommand(user_prompt="A cup?")

    events = [event async for event in agent(journals).stream_events(command)]

    assert isinstance(events[-1], RunFinished)
    recording = await journals.recording(events[-1].result.run_id)
    assert list(recording.steps)[-1] == "finish"


async def test_a_store_that_is_not_asked_records_nothing() -> None:
    """It says what it lacks, and runs have no journal."""
    journals = InMemoryRunJournals(logger=get_logger("test"))
    result = await agent(journals).execute(AgentCommand(user_prompt="A cup?"))

    with pytest.raises(ConfigurationError, match="cannot record runs"):
        await journals.recording(result.run_id)
    assert Capability.RECORDS in journals.capabilities
    assert not journals.is_recording


class _Tagging(Hook):
    async def before_agent_start(self, context: HookContext) -> None:
        context.metadata["tag"] = object()


async def test_a_step_that_json_cannot_carry_is_left_out(caplog: pytest.LogCaptureFixture) -> None:
    """The run goes on, and the log says so."""
    journals = store()

    result = await agent(journals, hooks=(_Tagging(),)).execute(AgentCommand(user_prompt="A cup?"))

    recording = await journals.recording(result.run_id)
    assert result.success
    assert "enter" not in recording.steps
    assert "model/1" in recording.steps


async def test_the_oldest_records_make_room() -> None:
    """The newest stays, however large it is."""
    journals = store(max_bytes=1)
    engine = agent(journals)

    first, second = [await engine.execute(AgentCommand(user_prompt="A cup?")) for _ in range(2)]

    with pytest.raises(UnknownRunError):
        await journals.recording(first.run_id)
    assert (await journals.recording(second.run_id)).steps


async def test_a_record_that_is_forgotten_is_gone() -> None:
    """As is the run."""
    journals = store()
    result = await agent(journals).execute(AgentCommand(user_prompt="A cup?"))

    await journals.forget(result.run_id)

    with pytest.raises(UnknownRunError):
        await journals.recording(result.run_id)


def test_room_is_counted_over_all_runs() -> None:
    """What is removed no longer counts."""
    recordings = Recordings(logger=get_logger("test"), max_chars=10)
    for run_id in ("a", "b", "c"):
        recordings.open(run_id, AgentCommand(user_prompt="")).add_step("enter", lambda: "12345")

    with pytest.raises(UnknownRunError):
        recordings.find("a")
    assert recordings.find("b").steps == recordings.find("c").steps == {"enter": "12345"}
