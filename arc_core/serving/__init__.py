"""For surfaces: callers, the bodies of requests, streams of events, and problems.

It needs the extra `server`. A surface turns a body into an `AgentCommand`, begins or attaches to a
run, and writes its events in the form of its protocol.
"""

from arc_core.serving.attached import attached_address, attached_base64, decode_base64
from arc_core.serving.deferred import Deferred
from arc_core.serving.event_streams import (
    EventEncoder,
    Position,
    ToolCallIds,
    make_call_id,
    number_events,
    read_position,
)
from arc_core.serving.problems import Problem, get_problem, problem_of_result
from arc_core.serving.questions import (
    RequestForm,
    RequestId,
    answer_questions,
    await_decisions,
    read_answer,
)
from arc_core.serving.requests import (
    BoundedBodies,
    JsonBody,
    StrictFields,
    caller_of,
    check_body,
    check_id,
    has_caller,
    problem_of_fields,
    read_as,
    read_body,
    refuse_size,
)
from arc_core.serving.responses import (
    HeldRun,
    RunStreamResponse,
    problem_response,
    until_disconnected,
)

__all__ = [
    "BoundedBodies",
    "Deferred",
    "EventEncoder",
    "HeldRun",
    "JsonBody",
    "Position",
    "Problem",
    "RequestForm",
    "RequestId",
    "RunStreamResponse",
    "StrictFields",
    "ToolCallIds",
    "answer_questions",
    "attached_address",
    "attached_base64",
    "await_decisions",
    "caller_of",
    "check_body",
    "check_id",
    "decode_base64",
    "get_problem",
    "has_caller",
    "make_call_id",
    "number_events",
    "problem_of_fields",
    "problem_of_result",
    "problem_response",
    "read_answer",
    "read_as",
    "read_body",
    "read_position",
    "refuse_size",
    "until_disconnected",
]
