"""The events of a run as server-sent events."""

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from arc_core import (
    AgentHandedOff,
    AgentStarted,
    AnswerRequested,
    ApprovalRequested,
    ContextCompacted,
    LoginRequested,
    ReasoningDelta,
    Request,
    RunFinished,
    RunHandle,
    Runs,
    TextDelta,
    ToolCallFinished,
    ToolCallProgress,
    ToolCallStarted,
    TurnRestarted,
)
from arc_core.forms import to_json
from arc_core.serving import Position, number_events

_NAMES: dict[type, str] = {
    TextDelta: "message",
    ReasoningDelta: "reasoning",
    ToolCallStarted: "tool_start",
    ToolCallProgress: "tool_progress",
    ToolCallFinished: "tool_end",
    AgentStarted: "agent",
    AgentHandedOff: "agent",
    ContextCompacted: "context_compacted",
    TurnRestarted: "turn_restarted",
    ApprovalRequested: "approval",
    AnswerRequested: "question",
    LoginRequested: "login",
    RunFinished: "done",
}
_REQUESTED = (ApprovalRequested, AnswerRequested, LoginRequested)


async def stream_frames(
    run: RunHandle, *, after: Position, note: str = ""
) -> AsyncGenerator[bytes]:
    """Return a server-sent event for each event of a run and of the runs it has started.

    Those of a run below have names of their own, such as `delegated_message`. Only a request to a
    person has the same name there, since it is decided by the run that is read. A failure of the
    run is sent as `error` before its `done`. A note, such as that the run needs a worker, comes
    first, as `queued`, which is not an event of the run and has no id.
    """
    if note:
        said = {"run_id": run.id, "message": note}
        yield f"event: queued\ndata: {json.dumps(said)}\n\n".encode()
    async with aclosing(number_events(run, after=after)) as events:
        async for position, event in events:
            name, failure = _NAMES[type(event)], ""
            if position.below and not isinstance(event, _REQUESTED):
                name = f"delegated_{name}"
            elif isinstance(event, RunFinished) and event.result.error_code is not None:
                told = {
                    "code": event.result.error_code.value,
                    "message": event.result.error_message,
                    "run_id": event.run_id,
                }
                failure = f"event: error\ndata: {json.dumps(told)}\n\n"
            frame = f"{failure}id: {position}\nevent: {name}\ndata: {to_json(event)}\n\n"
            yield frame.encode()


def make_form(value: object) -> Any:
    """The JSON value of what has a form."""
    return json.loads(to_json(value))


def make_request_form(request: Request, runs: Runs) -> dict[str, Any]:
    """Return the form of a request with its kind, and whether the caller may decide about it."""
    form = make_form(request)
    return {**form, "kind": request.kind.value, "may_decide": runs.may_decide(request)}
