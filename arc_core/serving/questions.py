"""Approvals of tool calls that a client answers in a request of its own.

The id of a question says all that is needed to go on: the run, the call, and how much of the run
the client has been told. No process has to remember it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar

from arc_core.requests import Answer, Approve, Deny, Request
from arc_core.runs.run import Run
from arc_core.runs.runs import Runs
from arc_core.serving.event_streams import Position, read_position
from arc_core.serving.problems import Problem

AnswerT = TypeVar("AnswerT")

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
    def of(cls, request: Request, position: Position) -> "ApprovalQuestion":
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


async def answer_questions(
    answers: Mapping[str, AnswerT],
    *,
    runs: Runs,
    session_id: str,
    param: str,
    read: Callable[[Request, AnswerT], Approve | Answer | Deny],
) -> tuple[Run[Any], Position]:
    """Decide what a client answers, and hold the run, to be told from the position returned.

    What was decided before is left out: the same answers may be sent twice.

    Args:
        answers: What the client sent, by the ids of its questions.
        runs: As the caller who answers may have them.
        session_id: Of the conversation in which they are answered.
        param: Where the ids stand in the request.
        read: Returns the decision about a request that an answer is.

    Raises:
        Problem: An id is none, or they belong to several runs or another conversation.
        UnknownRunError: There is no such run, or the caller may not see it.
        DecisionRightError: The caller has no right to decide about a call.
        DecisionError: A call does not wait for it, or the tool does not take the arguments.
    """
    questions = {text: ApprovalQuestion.read(text, param=param) for text in answers}
    run_id = next(iter(questions.values())).run_id
    if any(each.run_id != run_id for each in questions.values()):
        _refuse(f"{param} answers questions of several runs; answer one run at a time.", param)
    found = await runs.find(run_id)
    if found.session_id != session_id:
        _refuse(f"{param} answers a question of another conversation; answer it there.", param)
    requests = {each.key: each for each in found.requests}
    for text, question in questions.items():
        if (request := requests.get(question.key)) is not None:
            await runs.decide(run_id, request.key, read(request, answers[text]))
    position = min(each.position for each in questions.values())
    return await runs.get(run_id).open(), position


def _refuse(message: str, param: str) -> NoReturn:
    raise Problem(422, "invalid_request", message, param=param)
