"""The forms of this protocol: the bodies of requests, and events as server-sent ones."""

import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from enum import StrEnum
from typing import Any, Self

from pydantic import AwareDatetime, Field, StrictInt, model_validator
from pydantic_core import PydanticCustomError

from arc_core import (
    AgentCommand,
    AgentHandedOff,
    AgentStarted,
    Answer,
    AnswerRequested,
    ApprovalRequested,
    Approve,
    ContextCompacted,
    Deny,
    InvalidDecisionError,
    LoginRequested,
    ReasoningDelta,
    Request,
    RequestKind,
    RunFinished,
    RunHandle,
    Runs,
    ServedApplication,
    TextDelta,
    ToolCallFinished,
    ToolCallProgress,
    ToolCallStarted,
    TurnRestarted,
)
from arc_core.forms import from_json, to_json
from arc_core.serving import (
    JsonBody,
    Position,
    Problem,
    StrictFields,
    check_body,
    number_events,
    read_as,
)

_NAMES: dict[type, str] = {
    TextDelta: "message",
    ReasoningDelta: "reasoning",
    ToolCallStarted: "tool_start",
    ToolCallProgress: "tool_progress",
    ToolCallFinished: "tool_end",
    AgentStarted: "agent",
    AgentHandedOff: "agent",
    ContextCompacted: "context_compacted",
    TurnRestarted: "turn_restarted",
    ApprovalRequested: "approval",
    AnswerRequested: "question",
    LoginRequested: "login",
    RunFinished: "done",
}
_REQUESTED = (ApprovalRequested, AnswerRequested, LoginRequested)

_RUN_ID = r"^[A-Za-z0-9_.:@~+=-]+$"
"""The characters that stand in a path and in a header as they are."""

_DECLINE = '{"key": …, "approve": false} declines it.'
_TAKES: Mapping[RequestKind, str] = {
    RequestKind.APPROVAL: 'an approval: send {"key": …, "approve": true} or "approve": false.',
    RequestKind.QUESTION: f'a question: send {{"key": …, "answer": {{…}}}}; {_DECLINE}',
    RequestKind.LOGIN: f"a login, which ends once its url was opened and followed; {_DECLINE}",
}


class Respond(StrEnum):
    """The form of the answer."""

    WAIT = "wait"
    STREAM = "stream"
    SUBMIT = "submit"


class ChatBody(StrictFields):
    """One prompt."""

    message: str
    user_id: str | None = None
    session_id: str | StrictInt | None = None
    agent: str | None = None
    model: str | None = None
    system_prompt: str | None = None
    metadata: dict[str, Any] = Field(default_factory=dict)

    def as_run(self, respond: Respond) -> "RunBody":
        """The same in the long form."""
        said = self.model_dump(exclude={"message"}, exclude_none=True)
        return RunBody(respond=respond, command={"user_prompt": self.message, **said})


class RunBody(StrictFields):
    """A command in its form, and how it is to run; the same id twice is one run."""

    command: dict[str, Any]
    respond: Respond = Respond.WAIT
    run_id: str | None = Field(default=None, max_length=200, pattern=_RUN_ID)
    queue: str | None = None
    not_before: AwareDatetime | None = None

    @classmethod
    def of(cls, body: JsonBody) -> "RunBody":
        """A body that has the fields of the command beside those that say how it runs."""
        own = cls.model_fields.keys() - {"command"}
        said = {name: value for name, value in body.value.items() if name in own}
        command = {name: value for name, value in body.value.items() if name not in own}
        return read_as({"command": command, **said}, cls)


class DecisionBody(StrictFields):
    """The decision of a person about a request: of an approval `approve`, of a question `answer`.

    `"approve": false` declines a request of any kind.
    """

    key: str
    approve: bool | None = None
    arguments: dict[str, Any] | None = None
    reason: str = ""
    answer: dict[str, Any] | None = None

    @model_validator(mode="after")
    def _says_one_thing(self) -> Self:
        if (self.approve is None) == (self.answer is None):
            raise PydanticCustomError(
                "decision", 'send "approve" for an approval, or "answer" for a question'
            )
        if self.answer is not None and (self.arguments is not None or self.reason):
            raise PydanticCustomError("decision", '"answer" stands alone beside "key"')
        return self

    def make_decision(self) -> Approve | Answer | Deny:
        """Return the same as runs take it."""
        if self.answer is not None:
            return Answer(self.answer)
        return Approve(self.arguments) if self.approve else Deny(self.reason)

    def make_problem(self, error: InvalidDecisionError) -> Problem:
        """Return why this does not fit what was asked, and what does."""
        if error.place:
            text = f"The {error.place} does not fit, {error.problem}."
        else:
            text = f"{self.key} is {_TAKES[error.request.kind]}"
        param = error.place or ("approve" if self.answer is None else "answer")
        return Problem(422, "invalid_request", text, param=param)


def command_in(asked: RunBody, body: JsonBody, application: ServedApplication) -> AgentCommand:
    """The command of a body."""
    if "tool_call" in asked.command:
        problem = "Tools are called by agents, or by MCP: leave tool_call out."
        raise Problem(422, "invalid_request", problem, param="tool_call")
    form = {"v": 1, "type": "agent_command", **asked.command}
    command = from_json(json.dumps(form), AgentCommand)
    check_body(body, command.attachments, application)
    return command


async def stream_frames(
    run: RunHandle, *, after: Position, note: str = ""
) -> AsyncGenerator[bytes]:
    """Return a server-sent event for each event of a run and of the runs it has started.

    Those of a run below have names of their own, such as `delegated_message`. Only a request to a
    person has the same name there, since it is decided by the run that is read. A failure of the
    run is sent as `error` before its `done`. A note, such as that the run needs a worker, comes
    first, as `queued`, which is not an event of the run and has no id.
    """
    if note:
        said = {"run_id": run.id, "message": note}
        yield f"event: queued\ndata: {json.dumps(said)}\n\n".encode()
    async with aclosing(number_events(run, after=after)) as events:
        async for position, event in events:
            name, failure = _NAMES[type(event)], ""
            if position.below and not isinstance(event, _REQUESTED):
                name = f"delegated_{name}"
            elif isinstance(event, RunFinished) and event.result.error_code is not None:
                told = {
                    "code": event.result.error_code.value,
                    "message": event.result.error_message,
                    "run_id": event.run_id,
                }
                failure = f"event: error\ndata: {json.dumps(told)}\n\n"
            frame = f"{failure}id: {position}\nevent: {name}\ndata: {to_json(event)}\n\n"
            yield frame.encode()


def make_form(value: object) -> Any:
    """The JSON value of what has a form."""
    return json.loads(to_json(value))


def make_request_form(request: Request, runs: Runs) -> dict[str, Any]:
    """Return the form of a request with its kind, and whether the caller may decide about it."""
    form = make_form(request)
    return {**form, "kind": request.kind.value, "may_decide": runs.may_decide(request)}
