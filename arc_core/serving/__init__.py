"""For surfaces: callers, the bodies of requests, streams of events, and problems.

It needs the extra `server`. A surface turns a body into an `AgentCommand`, begins or attaches to a
run, and writes its events in the form of its protocol.
"""

from arc_core.serving.attached import attached_address, attached_base64
from arc_core.serving.bodies import (
    BoundedBodies,
    JsonBody,
    StrictFields,
    check_body,
    check_id,
    measure_size,
    problem_of_fields,
    read_as,
    read_body,
    receive_body,
)
from arc_core.serving.body_intake import refuse_size
from arc_core.serving.call_ids import ToolCallIds, make_call_id
from arc_core.serving.callers import caller_of, has_caller
from arc_core.serving.deferred import Deferred
from arc_core.serving.event_encoder import EventEncoder
from arc_core.serving.positions import NumberedReading, Position, read_position
from arc_core.serving.problems import Problem, get_problem, get_status, problem_of_result
from arc_core.serving.questions import (
    ApprovalQuestion,
    FoundQuestions,
    answer_questions,
    find_questions,
)
from arc_core.serving.responses import (
    HeldRun,
    RunStreamResponse,
    problem_response,
    until_disconnected,
)

__all__ = [
    "ApprovalQuestion",
    "BoundedBodies",
    "Deferred",
    "EventEncoder",
    "FoundQuestions",
    "HeldRun",
    "JsonBody",
    "NumberedReading",
    "Position",
    "Problem",
    "RunStreamResponse",
    "StrictFields",
    "ToolCallIds",
    "answer_questions",
    "attached_address",
    "attached_base64",
    "caller_of",
    "check_body",
    "check_id",
    "find_questions",
    "get_problem",
    "get_status",
    "has_caller",
    "make_call_id",
    "measure_size",
    "problem_of_fields",
    "problem_of_result",
    "problem_response",
    "read_as",
    "read_body",
    "read_position",
    "receive_body",
    "refuse_size",
    "until_disconnected",
]
