"""What the front end is told of events that a short run does not have."""

from typing import Any

from ag_ui.core import Event, RunAgentInput
from pydantic import TypeAdapter

from arc_core import (
    AgentErrorCode,
    AgentHandedOff,
    AgentResult,
    AgentStarted,
    ContextCompacted,
    ReasoningDelta,
    RunFinished,
    TextDelta,
    ToolCall,
    ToolCallStarted,
    TurnRestarted,
)
from arc_core.serving import Position
from arc_plugins.surfaces.ag_ui.events import AgUiEventEncoder
from tests.arc_plugins.surfaces.told_runs import ToldRun, chunks_in

ASKED = RunAgentInput(thread_id="t", run_id="run", messages=[])
EVENTS: TypeAdapter[Any] = TypeAdapter(Event)


async def told(*events: Any) -> list[Any]:
    run = ToldRun(*events)
    stream = AgUiEventEncoder(run.id, ASKED).stream(run, after=Position())
    frames = [frame async for frame in stream]
    chunks = chunks_in(frames)
    for chunk in chunks:
        EVENTS.validate_python(chunk)
    return chunks


def finished(run_id: str = "run", **said: Any) -> RunFinished:
    result = AgentResult(**{"success": True, "run_id": run_id, **said})
    return RunFinished(result, run_id, 9)


async def test_a_turn_that_begins_again_names_the_messages_that_do_not_count() -> None:
    """What follows is a message of its own."""
    events = await told(
        ReasoningDelta("lost", "run", 1),
        TextDelta("lost", "run", 2),
        TurnRestarted(1, "run", 3),
        TextDelta("kept", "run", 4),
        finished(content="kept"),
    )

    restart = next(event for event in events if event["type"] == "CUSTOM")
    texts = [event["messageId"] for event in events if event["type"] == "TEXT_MESSAGE_START"]
    assert restart["name"] == "arc.turn_restarted"
    assert restart["value"] == {"turn": 1, "messageIds": ["run/1", "run/2"]}
    assert texts == ["run/2", "run/3"]


async def test_an_answer_that_was_not_streamed_is_told_at_the_end() -> None:
    """A structured answer is the result of the run, besides its text."""
    events = await told(finished(content='{"a":1}', output={"a": 1}, has_output=True))

    assert events[-1]["result"] == {"a": 1}
    assert [event["delta"] for event in events if "delta" in event] == ['{"a":1}']


async def test_another_agent_that_takes_over_is_told() -> None:
    """So is the agent that has begun."""
    events = await told(
        AgentStarted("desk", "run", None, 1),
        AgentHandedOff("refunds", "run", 2),
        finished(content="done"),
    )

    said = [event["value"]["agent"] for event in events if event["type"] == "CUSTOM"]
    assert said == ["desk", "refunds"]


async def test_agents_at_work_when_a_run_is_cancelled_are_ended_innermost_first() -> None:
    """The default agent, of which no start is told, is met with its first piece."""
    events = await told(
        AgentStarted("cook", "a", "run", 1),
        ToolCallStarted(ToolCall("", "ask_default", ""), "a", 2),
        TextDelta("half", "b", 1),
        finished(success=False, error_code=AgentErrorCode.CANCELLED),
    )

    begun = [event["name"] for event in events if event["type"] == "SUBAGENT_STARTED"]
    ended = [event["subagentRunId"] for event in events if event["type"] == "SUBAGENT_ERROR"]
    assert (begun, ended) == (["cook", "default"], ["b", "a"])
    assert events[-1]["outcome"] == {"type": "cancelled"}


async def test_an_agent_that_fails_does_not_end_the_run() -> None:
    """It has an error of its own."""
    events = await told(
        AgentStarted("cook", "a", "run", 1),
        finished("a", success=False, error_code=AgentErrorCode.TIMEOUT, error_message="Too late."),
        finished(content="sorry"),
    )

    failed = next(event for event in events if event["type"] == "SUBAGENT_ERROR")
    assert (failed["code"], failed["message"]) == ("TIMEOUT", "Too late.")
    assert events[-1]["outcome"] == {"type": "success"}


async def test_room_that_was_made_in_a_window_is_told() -> None:
    """With its figures, and of an agent below with the agent."""
    events = await told(
        ContextCompacted(3, 1, 9000, 4000, "run", 1),
        AgentStarted("cook", "below", "run", 2),
        ContextCompacted(2, 0, 700, 300, "below", 3),
        finished("below"),
        finished(content="done"),
    )

    own, below = (event for event in events if event["type"] == "CUSTOM")
    figures = {"cleared": 3, "dropped": 1, "tokensBefore": 9000, "tokensAfter": 4000}
    assert (own["name"], own["value"]) == ("arc.context_compacted", figures)
    assert (own.get("subagentRunId"), below["subagentRunId"]) == (None, "below")
