"""What the page is told of events that a short run does not have."""

from typing import Any

from arc_core import AgentErrorCode, AgentResult, ToolCall, ToolOutcome, ToolResult, events
from arc_core.serving import Position
from arc_plugins.surfaces.ai_sdk.events import AiSdkEventEncoder
from tests.arc_plugins.surfaces.told_runs import ToldRun, chunks_in


async def told(*events: Any) -> list[Any]:
    run = ToldRun(*events)
    stream = AiSdkEventEncoder(run.id).stream(run, after=Position())
    return chunks_in([frame async for frame in stream])


def finished(run_id: str = "run", **said: Any) -> events.RunFinished:
    result = AgentResult(**{"success": True, "run_id": run_id, **said})
    return events.RunFinished(result, run_id, 9)


async def test_a_turn_that_begins_again_is_a_step_of_its_own() -> None:
    """The page is told that what came before does not count."""
    chunks = await told(
        events.TextDelta("lost", "run", 1),
        events.TurnRestarted(1, "run", 2),
        events.TextDelta("kept", "run", 3),
        finished(content="kept"),
    )

    kinds = [chunk["type"] for chunk in chunks]
    restart = kinds.index("data-turn-restarted")
    assert kinds[restart - 2 : restart] == ["text-end", "finish-step"]
    assert kinds[restart + 1 : restart + 3] == ["start-step", "text-start"]


async def test_an_answer_that_was_not_streamed_is_told_at_the_end() -> None:
    """A structured answer is a data part, besides its text."""
    chunks = await told(finished(content='{"a":1}', output={"a": 1}, has_output=True))

    assert [chunk["delta"] for chunk in chunks if chunk["type"] == "text-delta"] == ['{"a":1}']
    assert [chunk["data"] for chunk in chunks if chunk["type"] == "data-output"] == [{"a": 1}]


async def test_a_cancelled_run_is_aborted() -> None:
    """That is not a failure, and nothing comes after it."""
    chunks = await told(
        events.TextDelta("half", "run", 1),
        finished(success=False, error_code=AgentErrorCode.CANCELLED, error_message="Cancelled."),
    )

    assert chunks[-1] == {"type": "abort", "reason": "Cancelled."}


async def test_another_agent_that_takes_over_is_told() -> None:
    """As metadata of the message, and as a part between the texts."""
    chunks = await told(
        events.AgentStarted("desk", "run", None, 1),
        events.AgentHandedOff("refunds", "run", 2),
        finished(agent="refunds", content="done"),
    )

    names = [
        chunk["messageMetadata"].get("agent") for chunk in chunks if "messageMetadata" in chunk
    ]
    assert names == [None, "desk", "refunds", "refunds"]
    assert {"runId": "run", "agent": "refunds"} in [chunk.get("data") for chunk in chunks]


async def test_what_another_agent_thinks_and_fails_at_does_not_end_the_message() -> None:
    """Its pieces are not kept; its end is."""
    chunks = await told(
        events.AgentStarted("cook", "below", "run", 1),
        events.ReasoningDelta("hm", "below", 2),
        finished("below", success=False),
        finished(content="sorry"),
    )

    thought = next(chunk for chunk in chunks if chunk["type"] == "data-agent-reasoning")
    states = [chunk["data"]["state"] for chunk in chunks if chunk["type"] == "data-agent"]
    assert (thought["data"]["delta"], thought["transient"]) == ("hm", True)
    assert states == ["running", "failed"]
    assert chunks[-1]["finishReason"] == "stop"


async def test_arguments_and_results_that_are_not_json_are_told_as_text() -> None:
    """Models write NaN, and worse."""
    chunks = await told(
        events.ToolCallStarted(ToolCall("c", "add", '{"a": NaN}'), "run", 1),
        events.ToolCallFinished(ToolResult("c", "add", "no", ToolOutcome.FAILED), 1.0, "run", 2),
        finished(content="done"),
    )

    call = next(chunk for chunk in chunks if chunk["type"] == "tool-input-available")
    error = next(chunk for chunk in chunks if chunk["type"] == "tool-output-error")
    assert (call["input"], error["errorText"]) == ('{"a": NaN}', "no")


async def test_room_that_was_made_in_a_window_is_a_part_between_the_texts() -> None:
    """With its run and its figures; that of an agent below parts no text of the run."""
    chunks = await told(
        events.TextDelta("be", "run", 1),
        events.ContextCompacted(2, 0, 700, 300, "below", 2),
        events.TextDelta("fore", "run", 3),
        events.ContextCompacted(3, 1, 9000, 4000, "run", 4),
        events.TextDelta("after", "run", 5),
        finished(content="beforeafter"),
    )

    told_of = [chunk["data"] for chunk in chunks if chunk["type"] == "data-context-compacted"]
    figures = {"cleared": 3, "dropped": 1, "tokensBefore": 9000, "tokensAfter": 4000}
    assert told_of[1] == {"runId": "run", **figures}
    assert told_of[0]["runId"] == "below"
    assert [chunk["type"] for chunk in chunks].count("text-start") == 2
