"""Requests to people, for which runs wait, and the decisions about them.

A tool call waits for an approval; a tool that is called waits for the answer to a question, or for
a login; and a run waits for a login before it has the tools of a server.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Any, ClassVar

_EXPIRY = "expiry"
_TOO_LATE = "it was not decided in time"


class RequestKind(StrEnum):
    """The kind of a request to a person."""

    APPROVAL = "approval"
    QUESTION = "question"
    LOGIN = "login"


@dataclass(frozen=True, slots=True)
class Approve:
    """The tool is called.

    Attributes:
        arguments: In the place of those that the model wrote, validated again; None keeps these.
    """

    arguments: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a question.

    Attributes:
        values: The tool gets them; they are validated by the schema of the question.
    """

    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Deny:
    """The tool is not called, or its question is not answered; the model is told so.

    Attributes:
        reason: What the model and people read.
    """

    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A request to a person, for which a run waits: an approval, a login or a question.

    Attributes:
        run_id: Of the run that waits; the one that a program has started, also if an agent below it
            calls the tool.
        key: Names the request within the run, as `approve/4`.
        tool: The name of the tool; of a login before the first turn a pattern, as `mcp:shop/*`.
        arguments: What the model wants to call the tool with, or has called it with, with secrets
            masked.
        agent: Who calls it.
        user_id: For whom the agent works.
        tenant_id: The user's company or team, if any.
        summary: What it is about, in words for people; empty if there are none.
        since: When it was asked first, in UTC.
        until: When it is denied by itself; None if it waits for ever.
        arguments_hash: SHA-256 of what was asked, in hexadecimal digits: for an approval, of the
            arguments as the model wrote them; a decision is bound to it.
        deciders: The names of the groups, keys and people that may decide; empty if all may that
            have the right.
        people: How many different ones have to approve it.
        approvals: Who has approved it so far, if several have to; oldest first.
        kind: For programs that tell requests apart by a word.
        takes: The classes of answers that a decision about it may have.
    """

    kind: ClassVar[RequestKind]
    takes: ClassVar[tuple[type, ...]] = (Answer, Deny)

    run_id: str
    key: str
    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    agent: str = "default"
    user_id: str = ""
    tenant_id: str | None = None
    summary: str = ""
    since: datetime
    until: datetime | None = None
    arguments_hash: str = ""
    deciders: tuple[str, ...] = ()
    people: int = 1
    approvals: tuple["Decision", ...] = ()

    def find_class_problem(self, answer: Approve | Answer | Deny) -> str | None:
        """Return why a decision of this class cannot be made about it; None if it can."""
        if isinstance(answer, self.takes):
            return None
        classes = " or ".join(each.__name__ for each in self.takes)
        return f"it takes {classes}, and not {type(answer).__name__}"

    def take(self, decision: "Decision") -> "Request | Decision":
        """Return the decision that counts now, or the request with one more approval.

        A denial counts at once. An approval does if enough others came before it.

        Args:
            decision: In which `find_decision_problem` has found nothing wrong.
        """
        is_enough = len(self.approvals) + 1 >= self.people
        if is_enough or isinstance(decision.answer, Deny):
            return replace(decision, approvals=self.approvals)
        return replace(self, approvals=(*self.approvals, decision))

    def expire(self, at: datetime) -> "Decision":
        """Return the denial of a request that was not decided in time."""
        return Decision(answer=Deny(_TOO_LATE), by=_EXPIRY, at=at, approvals=self.approvals)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalRequest(Request):
    """A tool call that waits for a person.

    Attributes:
        is_checked: Whether the arguments are shown as they are, and did fit the tool when the
            person was asked.
    """

    kind: ClassVar[RequestKind] = RequestKind.APPROVAL
    takes: ClassVar[tuple[type, ...]] = (Approve, Deny)

    is_checked: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionRequest(Request):
    """A question of a tool to the user, which `ToolContext.ask` has asked.

    Attributes:
        text: The question, in words for people.
        schema: JSON Schema of the answer, of type `object`.
        url: An address at which the user can answer it, in the place of a form; None if there is
            none.
    """

    kind: ClassVar[RequestKind] = RequestKind.QUESTION

    text: str
    schema: Mapping[str, Any] = field(default_factory=dict)
    url: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LoginRequest(Request):
    """A login of the user at a service, for which `ToolContext.credential` or a run waits.

    It ends when there is a credential, by `Runs.end_logins`; people can only deny it.

    Attributes:
        service: The name of the service in `services`.
        url: The address at which the user logs in.
        scopes: The rights that the tool asks for.
    """

    kind: ClassVar[RequestKind] = RequestKind.LOGIN

    service: str
    url: str
    scopes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A decision about a request, and who made it.

    Attributes:
        answer: Whether the tool is called, or what it is answered.
        by: Who decided; `expiry` if the time was over first. The last one, if several had to.
        at: When, in UTC.
        arguments_hash: Of the request that was decided; empty takes the request as it is.
        approvals: Of those who have approved before, if several had to; oldest first.
    """

    answer: Approve | Answer | Deny
    by: str
    at: datetime
    arguments_hash: str = ""
    approvals: tuple["Decision", ...] = ()


_VERBS = {Approve: "approved", Answer: "answered", Deny: "denied"}


def find_decision_problem(
    decision: Decision, *, request: Request | None, made: Decision | None, has_ended: bool
) -> str | None:
    """Return why a call does not wait for a decision; None if it does. For journals of runs.

    Args:
        decision: The new one.
        request: What was asked; None if nothing was under this key.
        made: The decision that counts already, if there is one.
        has_ended: Whether the run has.
    """
    if made is not None:
        return _describe(made)
    if request is None or has_ended:
        return "it was not asked for" if request is None else "the run has ended"
    if problem := request.find_class_problem(decision.answer):
        return problem
    if decision.arguments_hash not in {"", request.arguments_hash}:
        return "its arguments are not those that were decided on; look at the request again"
    return _find_problem_beside(request.approvals, decision)


def _describe(made: Decision) -> str:
    if made.by == _EXPIRY:
        return f"{_TOO_LATE}, and {_EXPIRY} has denied it at {made.at.isoformat()}"
    verb = _VERBS[type(made.answer)]
    return f"{made.by} has {verb} it already, at {made.at.isoformat()}"


def _find_problem_beside(approvals: tuple[Decision, ...], decision: Decision) -> str | None:
    """Return why an approval does not stand beside those before it; a denial always does."""
    if not approvals or isinstance(decision.answer, Deny):
        return None
    for each in approvals:
        if is_same_decider(each.by, decision.by):
            return (
                f"{each.by} has approved it already, at {each.at.isoformat()}, "
                "and another person has to approve it, too"
            )
    if approvals[0].answer != decision.answer:
        return (
            f"{approvals[0].by} has approved other arguments; approve the same ones, "
            "as the request shows them, or deny it"
        )
    return None


def is_same_decider(one: str, other: str) -> bool:
    """Return whether two names are of one person; case and blanks do not make two of them."""
    return one.strip().casefold() == other.strip().casefold()
