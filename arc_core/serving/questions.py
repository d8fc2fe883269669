"""Requests to people as protocols tell of them, which a client answers in a request of its own.

The id of a request says all that is needed to go on: the run, the key, and how much of the run the
client has been told. No process has to remember it.
"""

import asyncio
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar

from arc_core.requests import (
    Answer,
    Approve,
    Deny,
    LoginRequest,
    QuestionRequest,
    Request,
    RequestKind,
)
from arc_core.runs.run import Run
from arc_core.runs.runs import Runs
from arc_core.serving.event_streams import Position, read_position
from arc_core.serving.problems import Problem

AnswerT = TypeVar("AnswerT")

_SEPARATOR = "#"
_POLL_S = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestForm:
    """A request to a person in the words of all protocols.

    Attributes:
        kind: What it is: an approval, a question or a login.
        text: What is asked, in words for people.
        schema: JSON Schema of the answer to a question; None if the request takes no values.
        url: Where the user answers the question, or logs in; None if there is none.
        facts: What else a program can show of it, as JSON carries it.
    """

    kind: RequestKind
    text: str
    schema: Mapping[str, Any] | None = None
    url: str | None = None
    facts: Mapping[str, Any]

    @classmethod
    def of(cls, request: Request) -> "RequestForm":
        """The form of a request."""
        facts: dict[str, Any] = {"kind": request.kind.value, "tool": request.tool}
        match request:
            case LoginRequest(service=service, url=url):
                text = f"Log in to {service}, so that {request.agent} can act for you there."
                facts |= {"url": url, "service": service, "scopes": list(request.scopes)}
                return cls(kind=request.kind, text=text, url=url, facts=facts)
            case QuestionRequest(text=text, schema=schema, url=url):
                facts |= {} if url is None else {"url": url}
                return cls(kind=request.kind, text=text, schema=dict(schema), url=url, facts=facts)
        text = request.summary or f"May {request.agent} call the tool {request.tool}?"
        facts |= {"arguments": dict(request.arguments)}
        return cls(kind=request.kind, text=text, facts=facts)


def read_answer(said: object, *, request: Request, param: str) -> Answer:
    """Read the answer to a question; the one text that it asks for may come as such.

    A login is ended by no answer; the runs say so if it is not made yet.

    Args:
        said: What the client sent.
        request: What was asked.
        param: Where the answer stands in the request of the client.

    Raises:
        Problem: It is not a JSON object (422).
    """
    if isinstance(request, LoginRequest):
        return Answer()
    if isinstance(said, str) and isinstance(request, QuestionRequest):
        said = _read_text(said, request.schema)
    if not isinstance(said, Mapping):
        _refuse(f"{param} is not a JSON object of the fields that {request.tool} asks for.", param)
    return Answer(dict(said))


def _read_text(said: str, schema: Mapping[str, Any]) -> object:
    try:
        values = json.loads(said)
    except (ValueError, RecursionError):
        values = None
    properties = schema.get("properties")
    if isinstance(values, dict) or not isinstance(properties, Mapping) or len(properties) != 1:
        return values
    [(name, of_field)] = properties.items()
    is_text = isinstance(of_field, Mapping) and of_field.get("type") == "string"
    return {name: said} if is_text else values


@dataclass(frozen=True, slots=True)
class RequestId:
    """The id of a request to a person, as a client is told of it.

    Attributes:
        run_id: Of the run.
        key: Names the request within the run.
        position: Of the last event that the client was told.
    """

    run_id: str
    key: str
    position: Position

    @classmethod
    def of(cls, request: Request, position: Position) -> "RequestId":
        """The id of a request."""
        return cls(request.run_id, request.key, position)

    @classmethod
    def read(cls, text: str, *, param: str) -> "RequestId":
        """Read an id.

        Args:
            text: As `str()` of an id gives it.
            param: Where it stands in the request.

        Raises:
            Problem: It is not the id of a request (422).
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
    session_id: str | None,
    param: str,
    read: Callable[[Request, AnswerT], Approve | Answer | Deny],
) -> tuple[Run[Any], Position]:
    """Decide what a client answers, and hold the run, to be told from the position returned.

    What was decided before is left out: the same answers may be sent twice.

    Args:
        answers: What the client sent, by the ids of requests.
        runs: As the caller who answers may have them.
        session_id: Of the conversation in which they are answered; None if it is none.
        param: Where the ids stand in the request.
        read: Returns the decision about a request that an answer is.

    Raises:
        Problem: An id is none, or they belong to several runs or another conversation.
        UnknownRunError: There is no such run, or the caller may not see it.
        DecisionRightError: The caller has no right to decide about a call.
        DecisionError: A call does not wait for it, or the tool does not take the arguments.
    """
    questions = {text: RequestId.read(text, param=param) for text in answers}
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


async def await_decisions(requests: Iterable[Request], *, run_id: str, runs: Runs) -> None:
    """Return once none of these requests of a run waits any more, wherever they are decided."""
    keys = {each.key for each in requests}
    found = await runs.find(run_id)
    while keys & {each.key for each in found.requests}:
        await asyncio.sleep(_POLL_S)
        found = await runs.find(run_id)


def _refuse(message: str, param: str) -> NoReturn:
    raise Problem(422, "invalid_request", message, param=param)
