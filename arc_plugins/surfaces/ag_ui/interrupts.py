"""Requests to people as AG-UI has them: a run ends with interrupts, and another one resumes it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ag_ui.core import Interrupt, ResumeEntry
from pydantic import ConfigDict, ValidationError
from pydantic.alias_generators import to_camel

from arc_core import Answer, ApprovalRequest, Approve, Deny, Request, RequestKind
from arc_core.serving import (
    Position,
    Problem,
    RequestForm,
    RequestId,
    StrictFields,
    make_call_id,
    problem_of_fields,
    read_answer,
)

_REASONS = {
    RequestKind.APPROVAL: "tool_call",
    RequestKind.QUESTION: "input_required",
    RequestKind.LOGIN: "arc:login",
}
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


class _Approval(StrictFields):
    model_config = ConfigDict(alias_generator=to_camel)

    approved: bool
    edited_args: dict[str, Any] | None = None
    reason: str = ""


def make_interrupts(requests: Iterable[Request], position: Position) -> list[Interrupt]:
    """Return the interrupts of a run that waits."""
    return [_make_interrupt(each, RequestForm.of(each), position) for each in requests]


def _make_interrupt(request: Request, form: RequestForm, position: Position) -> Interrupt:
    is_approval = isinstance(request, ApprovalRequest)
    schema = _RESPONSE if is_approval else form.schema
    return Interrupt(
        id=str(RequestId.of(request, position)),
        reason=_REASONS[form.kind],
        message=form.text,
        tool_call_id=make_call_id(request) if is_approval else None,
        response_schema=None if schema is None else dict(schema),
        expires_at=None if request.until is None else request.until.isoformat(),
        metadata={"arc": dict(form.facts)},
    )


@dataclass(frozen=True, slots=True)
class Resumption:
    """An answer of a client to an interrupt.

    Attributes:
        entry: As it was sent.
        place: Of its payload in the request.
    """

    entry: ResumeEntry
    place: str

    def make_decision(self, request: Request) -> Approve | Answer | Deny:
        """Return the decision about the request that the interrupt was."""
        if self.entry.status == "cancelled":
            return Deny(_NOT_ANSWERED)
        if not isinstance(request, ApprovalRequest):
            return read_answer(self.entry.payload, request=request, param=self.place)
        try:
            answer = _Approval.model_validate(self.entry.payload)
        except ValidationError as error:
            found = problem_of_fields(error)
            message = f"{self.place}: {found.message}"
            raise Problem(422, found.code, message, param=self.place) from None
        return Approve(answer.edited_args) if answer.approved else Deny(answer.reason)


def answers_in(resume: Sequence[ResumeEntry]) -> dict[str, Resumption]:
    """Return what a client says, by the ids of the interrupts."""
    return {
        each.interrupt_id: Resumption(each, f"resume[{place}].payload")
        for place, each in enumerate(resume)
    }
