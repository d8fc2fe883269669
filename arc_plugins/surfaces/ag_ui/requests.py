"""The requests of AG-UI clients: begins, reads again and resumes runs by a `RunAgentInput`."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any

from ag_ui import core
from pydantic import BeforeValidator, ConfigDict, Field
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError
from starlette.requests import Request
from starlette.responses import Response

from arc_core import (
    AgentCommand,
    Answer,
    ApprovalRequest,
    Approve,
    Attachment,
    Deny,
    ServedApplication,
)
from arc_core import Request as PendingRequest
from arc_core.serving import (
    Position,
    Problem,
    RunStreamResponse,
    StrictFields,
    answer_questions,
    attached_address,
    attached_base64,
    caller_of,
    check_body,
    check_id,
    read_answer,
    read_as,
    read_body,
)
from arc_plugins.surfaces.ag_ui.events import AgUiEventEncoder

_NO_FRONTEND_TOOLS = (
    "Arc runs the tools of its agents itself and cannot call tools of the front end; "
    "leave tools out, or register them with the agent."
)
_MAX_PARTS = 1_000
_NOT_ANSWERED = "the question was left without an answer"
_NO_QUESTION = "There is no message of the user; the last one is what the agent is asked."


def _check_parts(messages: object) -> object:
    """Refuse a message of too many parts before each is read."""
    for place, message in enumerate(messages if isinstance(messages, list) else ()):
        parts = message.values() if isinstance(message, dict) else ()
        if any(isinstance(each, list) and len(each) > _MAX_PARTS for each in parts):
            raise PydanticCustomError(
                "too_many_parts",
                "The message at {place} has a list of more than {most}.",
                {"place": place, "most": _MAX_PARTS},
            )
    return messages


class AgUiRunInput(core.RunAgentInput):
    """A `RunAgentInput` that is refused at the first wrong thing, since there may be many."""

    messages: Annotated[list[core.Message], Field(fail_fast=True), BeforeValidator(_check_parts)]
    tools: Annotated[list[core.Tool], Field(fail_fast=True)] | None = None
    context: Annotated[list[core.Context], Field(fail_fast=True)] | None = None
    resume: Annotated[list[core.ResumeEntry], Field(fail_fast=True)] | None = None


class ArcProps(StrictFields):
    """The fields of `forwardedProps.arc`."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    user_id: str | None = None
    model: str | None = None
    outlives_caller: bool = False


def props_in(asked: core.RunAgentInput) -> ArcProps:
    """Read `forwardedProps.arc`."""
    props = asked.forwarded_props
    if not isinstance(props, dict) or "arc" not in props:
        return ArcProps()
    return read_as(props["arc"], ArcProps, param="forwardedProps.arc")


def command_in(asked: core.RunAgentInput, *, agent: str | None) -> AgentCommand:
    """The command: the last message of the user, in the conversation that the thread is.

    Earlier messages are not read: Arc keeps the conversation itself.
    """
    if asked.tools:
        raise Problem(422, "invalid_request", _NO_FRONTEND_TOOLS, param="tools")
    place, question = question_in(asked.messages)
    content = question.content
    if not isinstance(content, str):
        content = "\n".join(each.text for each in content if isinstance(each, core.TextPart))
    told: dict[str, Any] = {}  # of the front end, for hooks and tools
    if asked.context:
        told["context"] = [each.model_dump(by_alias=True) for each in asked.context]
    if asked.state:
        told["state"] = asked.state
    props = props_in(asked)
    return AgentCommand(
        user_prompt=content,
        attachments=tuple(_attachments_in(question, place)),
        agent=agent,
        session_id=check_id(asked.thread_id, param="threadId"),
        user_id=props.user_id,
        model=props.model,
        metadata={"ag_ui": told} if told else {},
    )


def question_in(messages: Sequence[object]) -> tuple[int, core.UserMessage]:
    """The last message of the user, and its place."""
    for place in range(len(messages) - 1, -1, -1):
        message = messages[place]
        if isinstance(message, core.UserMessage):
            return place, message
    raise Problem(422, "invalid_request", _NO_QUESTION, param="messages")


def _attachments_in(message: core.UserMessage, place: int) -> Iterator[Attachment]:
    for at, part in enumerate(() if isinstance(message.content, str) else message.content):
        param = f"messages[{place}].content[{at}].source"
        if not isinstance(
            part, core.ImagePart | core.AudioPart | core.VideoPart | core.DocumentPart
        ):
            continue
        match part.source:
            case core.DataSource(value=value, mime_type=media_type):
                yield attached_base64(value, media_type=media_type, param=f"{param}.value")
            case core.UrlSource(value=value, mime_type=media_type):
                yield attached_address(value, media_type=media_type, param=f"{param}.value")
            case _:
                said = f"{param} names a file of a vendor; send its data, or an address."
                raise Problem(422, "invalid_request", said, param=param)


class _Approval(StrictFields):
    model_config = ConfigDict(alias_generator=to_camel)

    approved: bool
    edited_args: dict[str, Any] | None = None
    reason: str = ""


def _decide(
    request: PendingRequest, entry: core.ResumeEntry, param: str
) -> Approve | Answer | Deny:
    """Return the decision that an entry is, whose payload stands at `param`."""
    if entry.status == "cancelled":
        return Deny(_NOT_ANSWERED)
    if not isinstance(request, ApprovalRequest):
        return read_answer(entry.payload, request=request, param=param)
    answer = read_as(entry.payload, _Approval, param=param)
    return Approve(answer.edited_args) if answer.approved else Deny(answer.reason)


class Endpoint:
    """Answers the posts of front ends."""

    def __init__(self, application: ServedApplication) -> None:
        self._application = application

    async def run(self, request: Request) -> Response:
        """Begin a run, read one again, or resume one."""
        body = await read_body(request, attached_in=("value",), has_history=True)
        asked = read_as(body, AgUiRunInput)
        check_id(asked.run_id, param="runId")
        runs = self._application.runs.for_caller(caller_of(request))
        if asked.resume:
            said: dict[str, Any] = {"resume": [each.model_dump() for each in asked.resume]}
            check_body(said, (), self._application)
            entries = enumerate(asked.resume)
            run, after = await answer_questions(
                {each.interrupt_id: (each, f"resume[{at}].payload") for at, each in entries},
                runs=runs,
                session_id=asked.thread_id,
                param="resume[].interruptId",
                read=lambda request, answer: _decide(request, *answer),
            )
        else:
            command = command_in(asked, agent=request.path_params.get("agent"))
            question = question_in(asked.messages)[1].model_dump()  # the others are not read
            said = {"question": question, "told": command.metadata}
            check_body(said, command.attachments, self._application)
            outlives_caller = props_in(asked).outlives_caller
            opening = runs.begin(command, run_id=asked.run_id, outlives_caller=outlives_caller)
            run, after = await opening.open(), Position()
        encoder = AgUiEventEncoder(run.id, asked)
        return RunStreamResponse(run, encoder.stream(run, after=after))
