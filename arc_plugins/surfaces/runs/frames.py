"""The events of a run as server-sent events."""

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from arc_core import (
    AgentEvent,
    AgentHandedOff,
    AgentResult,
    AgentStarted,
    ApprovalRequested,
    ReasoningDelta,
    RunFinished,
    RunState,
    TextDelta,
    ToolCallFinished,
    ToolCallProgress,
    ToolCallStarted,
    TurnRestarted,
    Waiting,
)
from arc_core.forms import to_json
from arc_core.serving import NumberedReading, Position

_NAMES: dict[type, str] = {
    TextDelta: "message",
    ReasoningDelta: "reasoning",
    ToolCallStarted: "tool_start",
    ToolCallProgress: "tool_progress",
    ToolCallFinished: "tool_end",
    AgentStarted: "agent",
    AgentHandedOff: "agent",
    TurnRestarted: "turn_restarted",
    ApprovalRequested: "approval",
    RunFinished: "done",
}


async def stream_frames(reading: NumberedReading, *, note: str = "") -> AsyncGenerator[bytes]:
    """Return a server-sent event for each event of a run and of the runs it has started.

    Those of a run below have names of their own, such as `delegated_message`. Only a request for an
    approval has the same name there, since it is decided by the run that is read. A failure of the
    run is sent as `error` before its `done`. A note, such as that the run needs a worker, comes
    first, as `queued`, which is not an event of the run and has no id.
    """
    if note:
        said = {"run_id": reading.run_id, "message": note}
        yield f"event: queued\ndata: {json.dumps(said)}\n\n".encode()
    async with aclosing(reading.read()) as events:
        async for position, event in events:
            yield _frame(position, event, is_delegated=event.run_id != reading.run_id)


def _frame(position: Position, event: AgentEvent, *, is_delegated: bool) -> bytes:
    name = _NAMES[type(event)]
    if is_delegated and not isinstance(event, ApprovalRequested):
        name = f"delegated_{name}"
    frame = f"id: {position}\nevent: {name}\ndata: {to_json(event)}\n\n"
    if isinstance(event, RunFinished) and not is_delegated and event.result.error_code is not None:
        failure = {
            "code": event.result.error_code.value,
            "message": event.result.error_message,
            "run_id": event.run_id,
        }
        frame = f"event: error\ndata: {json.dumps(failure)}\n\n{frame}"
    return frame.encode()


def make_form(value: object) -> Any:
    """The JSON value of what has a form."""
    return json.loads(to_json(value))


def get_state(
    found: AgentResult[Any] | Waiting, *, requests: list[dict[str, Any]]
) -> dict[str, Any]:
    """Return the state of a run, as `arc runs show --json` prints it."""
    state = found.state if isinstance(found, Waiting) else RunState.FINISHED
    result = None if isinstance(found, Waiting) else make_form(found)
    return {"run_id": found.run_id, "state": state.value, "requests": requests, "result": result}
