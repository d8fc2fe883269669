"""What surfaces share: who calls, the bodies of requests, streams of events, and problems.

It needs the extra `server`. A surface turns a body into an `AgentCommand`, begins or attaches to a
run, and writes its events in the form of its protocol.
"""

from arc_core.serving.attached import attached_address, attached_base64
from arc_core.serving.bodies import (
    Body,
    StrictFields,
    check_body,
    check_id,
    problem_of_fields,
    read_as,
    read_body,
    receive_body,
    size_of,
)
from arc_core.serving.body_intake import refuse_size
from arc_core.serving.bounded_bodies import BoundedBodies
from arc_core.serving.call_ids import CallIds, call_id_of
from arc_core.serving.callers import caller_of, has_caller
from arc_core.serving.deferred import Deferred
from arc_core.serving.positions import NumberedReading, Position, position_of
from arc_core.serving.problems import Problem, problem_of, problem_of_result, status_of
from arc_core.serving.questions import FoundQuestions, Question, find_questions
from arc_core.serving.responses import (
    HeldRun,
    RunStreamResponse,
    problem_response,
    until_disconnected,
)

__all__ = [
    "Body",
    "BoundedBodies",
    "CallIds",
    "Deferred",
    "FoundQuestions",
    "HeldRun",
    "NumberedReading",
    "Position",
    "Problem",
    "Question",
    "RunStreamResponse",
    "StrictFields",
    "attached_address",
    "attached_base64",
    "call_id_of",
    "caller_of",
    "check_body",
    "check_id",
    "find_questions",
    "has_caller",
    "position_of",
    "problem_of",
    "problem_of_fields",
    "problem_of_result",
    "problem_response",
    "read_as",
    "read_body",
    "receive_body",
    "refuse_size",
    "size_of",
    "status_of",
    "until_disconnected",
]
