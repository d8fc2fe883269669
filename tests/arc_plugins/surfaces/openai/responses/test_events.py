"""From the events of a run to those of a response."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from openai.types.responses import Response, ResponseStreamEvent
from pydantic import TypeAdapter

from arc_core import (
    AgentErrorCode,
    AgentResult,
    ApprovalRequest,
    FinishReason,
    ToolCall,
    ToolOutcome,
    ToolResult,
)
from arc_core.events import (
    AgentEvent,
    ApprovalRequested,
    ContextCompacted,
    ReasoningDelta,
    RunFinished,
    TextDelta,
    ToolCallFinished,
    ToolCallStarted,
    TurnRestarted,
)
from arc_plugins.surfaces.openai.responses.events import ResponseEvents, ResponseFields

FACTS = ResponseFields(run_id="r", model="default", created_at=7, session_id="s")
CALL = ToolCall("1", "add", "{}")
REQUEST = ApprovalRequest(run_id="r", key="approve/0", tool="add", since=datetime.now(UTC))
DONE = AgentResult(success=True, content="ab", run_id="r")
EVENT: TypeAdapter[Any] = TypeAdapter(ResponseStreamEvent)


def numbered(*events: AgentEvent) -> list[AgentEvent]:
    """The events of one run, in their order."""
    return [replace(event, run_id="r", seq=at) for at, event in enumerate(events, 1)]


def told(*events: AgentEvent, after: int | None = None) -> list[dict[str, Any]]:
    """What a reader gets, which fits the types of the SDK."""
    read = ResponseEvents(FACTS, tell_waiting=lambda run_id, _: f"{run_id} waits", after=after)
    frames = b"".join([read.tell(), *map(read.tell, events)]).decode().split("\n\n")[:-1]
    found = [json.loads(frame.partition("data: ")[2]) for frame in frames]
    for each in found:
        EVENT.validate_python(each)
    return found


def items_of(*events: AgentEvent) -> list[Any]:
    """What the response has put out at the end."""
    read = ResponseEvents(FACTS, tell_waiting=lambda run_id, _: f"{run_id} waits")
    for event in events:
        read.tell(event)
    return [*Response.model_validate(read.response).output]


def test_numbers_come_from_those_of_the_run() -> None:
    """So a reader can go on after any of them."""
    run = numbered(TextDelta("a"), TextDelta("b"), RunFinished(DONE))
    whole = told(*run)

    assert [each["sequence_number"] for each in whole] == [0, 1, 16, 17, 18, 32, 48, 49, 50, 51]
    for place, each in enumerate(whole):
        assert told(*run, after=each["sequence_number"]) == whole[place + 1 :]


def test_runs_below_are_not_shown() -> None:
    """Their texts are not the answer."""
    below = TextDelta("x", run_id="below", seq=9)
    run = numbered(TextDelta("a"), TextDelta("b"), RunFinished(DONE))

    assert told(run[0], below, *run[1:]) == told(*run)


def test_a_turn_that_began_again_leaves_out_what_it_said() -> None:
    """The item is incomplete, and not among those of the response."""
    run = numbered(TextDelta("x"), TurnRestarted(1), TextDelta("ab"), RunFinished(DONE))

    items = [each["item"]["status"] for each in told(*run) if each["type"].endswith("item.done")]
    assert items == ["incomplete", "completed"]
    assert [item.content[0].text for item in items_of(*run)] == ["ab"]


def test_a_repaired_answer_is_told_at_its_end() -> None:
    """Since its pieces were sent already."""
    result = replace(DONE, content='{"a":1}', output={"a": 1}, has_output=True)
    events = told(*numbered(TextDelta("{"), RunFinished(result)))

    texts = [each["text"] for each in events if each["type"] == "response.output_text.done"]
    assert texts == ['{"a":1}']


def test_an_answer_without_pieces_is_told_whole() -> None:
    """As one that comes from elsewhere than a model."""
    events = told(*numbered(ReasoningDelta("hm"), RunFinished(DONE)))

    assert [each["delta"] for each in events if "delta" in each] == ["hm", "ab"]
    assert [item.type for item in items_of(*numbered(RunFinished(DONE)))] == ["message"]


def test_an_answer_that_was_cut_is_incomplete() -> None:
    """It says why."""
    result = replace(DONE, finish_reason=FinishReason.LENGTH)
    last = told(*numbered(TextDelta("ab"), RunFinished(result)))[-1]

    assert last["type"] == "response.incomplete"
    assert last["response"]["incomplete_details"] == {"reason": "max_output_tokens"}


def test_a_call_that_begins_again_is_one_item() -> None:
    """As after the process has died that made it: nothing of it is left open at the end."""
    result = ToolResult(CALL.id, CALL.name, "3", ToolOutcome.SUCCESS)
    run = numbered(
        ToolCallStarted(CALL),
        ToolCallStarted(CALL),
        ToolCallFinished(result, 1.0),
        RunFinished(DONE),
    )

    items = [(item.type, item.status) for item in items_of(*run)]
    assert items == [("mcp_call", "completed"), ("message", "completed")]


def test_a_failure_ends_what_is_open() -> None:
    """Texts and calls are incomplete; the error is of the form that the SDK raises."""
    result = AgentResult(success=False, run_id="r", error_code=AgentErrorCode.TIMEOUT)
    run = numbered(ToolCallStarted(CALL), TextDelta("a"), RunFinished(result))
    failed, error = told(*run)[-2:]

    assert [item.status for item in items_of(*run)] == ["incomplete", "incomplete"]
    assert (failed["response"]["status"], error["error"]["code"]) == ("failed", "TIMEOUT")


def test_a_call_that_fails_is_a_failed_item() -> None:
    """With what the model was told; a result without a call is not shown."""
    result = ToolResult("1", "add", "no", ToolOutcome.FAILED)
    stray = ToolCallFinished(ToolResult("9", "add", "?"), 1)
    run = numbered(ToolCallStarted(CALL), ToolCallFinished(result, 1), stray, RunFinished(DONE))

    call = items_of(*run)[0]
    assert (call.status, call.output) == ("failed", "no")
    assert "response.mcp_call.failed" in {each["type"] for each in told(*run)}


def test_a_run_that_waits_ends_twice() -> None:
    """First with what it waits for; at last that is left out, and no number comes twice."""
    waiting = AgentResult(success=False, run_id="r", waiting=(REQUEST,))
    asked = numbered(ToolCallStarted(CALL), ApprovalRequested(REQUEST))
    answer = ToolCallFinished(ToolResult("1", "add", "3"), 1)
    *_, answered, finished = numbered(*asked, answer, RunFinished(DONE))

    before = told(*asked, RunFinished(waiting, run_id="r", seq=2))
    after = told(*asked, answered, finished, after=before[-1]["sequence_number"])

    assert before[-1]["type"] == after[-1]["type"] == "response.completed"
    assert before[-1]["response"]["output"][1]["content"][0]["text"] == "r waits"
    assert after[0]["type"] == "response.mcp_call.completed"
    kinds = [item["type"] for item in after[-1]["response"]["output"]]
    assert kinds == ["mcp_call", "message"]


def test_calls_cost_the_same_however_many_have_started() -> None:
    """A vendor that gives all of its calls one id cannot hold the event loop."""
    calls = [ToolCall("c", f"tool_{place}", "{}") for place in range(4_000)]
    results = [ToolResult("c", call.name, "done") for call in reversed(calls)]
    started = [ToolCallStarted(call) for call in calls]
    finished = [ToolCallFinished(each, 1.0) for each in results]

    items = items_of(*numbered(*started, *finished, RunFinished(DONE)))

    assert {each.status for each in items if each.type == "mcp_call"} == {"completed"}


def test_room_that_was_made_in_a_window_is_not_told() -> None:
    """The protocol has no place for it; the text goes on in its item."""
    compacted = ContextCompacted(cleared=3, dropped=1, tokens_before=9000, tokens_after=4000)

    [message] = items_of(*numbered(TextDelta("a"), compacted, TextDelta("b"), RunFinished(DONE)))

    assert message.content[0].text == "ab"
