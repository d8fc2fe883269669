"""Approvals of tool calls that a client answers in a request of its own.

The id of a question says all that is needed to go on: the run, the call, and how much of the run
the client has been told. No process has to remember it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NoReturn

from arc_core.approvals import ApprovalRequest
from arc_core.runs.callers import Caller
from arc_core.runs.runs import Runs
from arc_core.runs.store import Waiting
from arc_core.serving.positions import Position, read_position
from arc_core.serving.problems import Problem

__all__ = ["ApprovalQuestion", "FoundQuestions", "find_questions"]

_SEPARATOR = "#"


@dataclass(frozen=True, slots=True)
class ApprovalQuestion:
    """A tool call that waits for a person, as a client is told of it.

    Attributes:
        run_id: Of the run.
        key: Names the call within the run.
        position: Of the last event that the client was told.
    """

    run_id: str
    key: str
    position: Position

    @classmethod
    def of(cls, request: ApprovalRequest, position: Position) -> "ApprovalQuestion":
        """The question that a request is."""
        return cls(request.run_id, request.key, position)

    @classmethod
    def read(cls, text: str, *, param: str) -> "ApprovalQuestion":
        """The question of an id.

        Args:
            text: As `str()` of a question gives it.
            param: Where it stands in the request.

        Raises:
            Problem: It is not the id of a question (422).
        """
        rest, _, position = text.rpartition(_SEPARATOR)
        run_id, _, key = rest.rpartition(_SEPARATOR)
        if not (run_id and key and position):
            _refuse(f"{param} is not an id that was asked; send one that was received.", param)
        return cls(run_id, key, read_position(position, name=param))

    def __str__(self) -> str:
        return _SEPARATOR.join((self.run_id, self.key, str(self.position)))


@dataclass(frozen=True, slots=True)
class FoundQuestions:
    """The questions that a client answers.

    Attributes:
        run_id: Of the run that has asked.
        position: From which the client is to be told what follows.
        open: The questions that are not decided yet, by their ids. What was decided before is not
            among them: the same answers may be sent twice.
    """

    run_id: str
    position: Position
    open: Mapping[str, ApprovalRequest]


async def find_questions(
    ids: Iterable[str], *, runs: Runs, session_id: str, caller: Caller, param: str
) -> FoundQuestions:
    """The questions that have these ids.

    Args:
        ids: One or more.
        runs: Of the application.
        session_id: Of the conversation in which they are answered.
        caller: Who answers.
        param: Where the ids stand in the request.

    Raises:
        Problem: An id is none, or they belong to several runs or another conversation.
        UnknownRunError: There is no such run, or the caller may not see it.
    """
    questions = {text: ApprovalQuestion.read(text, param=param) for text in ids}
    run_id = next(iter(questions.values())).run_id
    if any(each.run_id != run_id for each in questions.values()):
        _refuse(f"{param} answers questions of several runs; answer one run at a time.", param)
    summary = await runs.for_caller(caller).find(run_id)
    if summary.session_id != session_id:
        _refuse(f"{param} answers a question of another conversation; answer it there.", param)
    found = await runs.for_caller(caller).result(run_id)
    requests = {each.key: each for each in found.requests} if isinstance(found, Waiting) else {}
    return FoundQuestions(
        run_id=run_id,
        position=min(each.position for each in questions.values()),
        open={text: requests[each.key] for text, each in questions.items() if each.key in requests},
    )


def _refuse(message: str, param: str) -> NoReturn:
    raise Problem(422, "invalid_request", message, param=param)
