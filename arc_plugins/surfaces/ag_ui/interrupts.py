"""Approvals as AG-UI has them: a run ends with interrupts, and another one resumes it."""

from collections.abc import Iterable, Sequence
from typing import Any

from ag_ui.core import Interrupt, ResumeEntry
from pydantic import ConfigDict, ValidationError
from pydantic.alias_generators import to_camel

from arc_core import Approve, Deny, Request
from arc_core.serving import (
    ApprovalQuestion,
    Position,
    Problem,
    StrictFields,
    make_call_id,
    problem_of_fields,
)

_NOT_ANSWERED = "the question was left without an answer"
_RESPONSE = {
    "type": "object",
    "properties": {
        "approved": {"type": "boolean"},
        "editedArgs": {
            "type": "object",
            "description": "Arguments in the place of those that were asked for; not merged.",
        },
        "reason": {"type": "string", "description": "What the agent is told of a denial."},
    },
    "required": ["approved"],
    "additionalProperties": False,
}


class _Answer(StrictFields):
    model_config = ConfigDict(alias_generator=to_camel)

    approved: bool
    edited_args: dict[str, Any] | None = None
    reason: str = ""


def make_interrupts(requests: Iterable[Request], position: Position) -> list[Interrupt]:
    """Return the interrupts of requests for approval."""
    return [
        Interrupt(
            id=str(ApprovalQuestion.of(request, position)),
            reason="tool_call",
            message=request.summary or f"May {request.agent} call the tool {request.tool}?",
            tool_call_id=make_call_id(request),
            response_schema=_RESPONSE,
            expires_at=None if request.until is None else request.until.isoformat(),
            metadata={"arc": {"tool": request.tool, "arguments": dict(request.arguments)}},
        )
        for request in requests
    ]


def answers_in(resume: Sequence[ResumeEntry]) -> dict[str, Approve | Deny]:
    """Return the decisions of a client, by the ids of the interrupts."""
    return {each.interrupt_id: _answer_in(each, place) for place, each in enumerate(resume)}


def _answer_in(entry: ResumeEntry, place: int) -> Approve | Deny:
    if entry.status == "cancelled":
        return Deny(_NOT_ANSWERED)
    try:
        answer = _Answer.model_validate(entry.payload)
    except ValidationError as error:
        found = problem_of_fields(error)
        param = f"resume[{place}].payload"
        raise Problem(422, found.code, f"{param}: {found.message}", param=param) from None
    return Approve(answer.edited_args) if answer.approved else Deny(answer.reason)
