"""The requests of AG-UI clients: the command of a `RunAgentInput`."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any

from ag_ui.core import (
    AudioPart,
    Context,
    DataSource,
    DocumentPart,
    ImagePart,
    Message,
    ResumeEntry,
    RunAgentInput,
    TextPart,
    Tool,
    UrlSource,
    UserMessage,
    VideoPart,
)
from pydantic import BeforeValidator, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

from arc_core import AgentCommand, Attachment
from arc_core.serving import (
    Problem,
    StrictFields,
    attached_address,
    attached_base64,
    check_id,
    problem_of_fields,
)

_NO_FRONTEND_TOOLS = (
    "Arc runs the tools of its agents itself and cannot call tools of the front end; "
    "leave tools out, or register them with the agent."
)
_MAX_PARTS = 1_000
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


class AgUiRunInput(RunAgentInput):
    """A `RunAgentInput` that is refused at the first wrong thing, since there may be many."""

    messages: Annotated[list[Message], Field(fail_fast=True), BeforeValidator(_check_parts)]
    tools: Annotated[list[Tool], Field(fail_fast=True)] | None = None
    context: Annotated[list[Context], Field(fail_fast=True)] | None = None
    resume: Annotated[list[ResumeEntry], Field(fail_fast=True)] | None = None


class ArcProps(StrictFields):
    """The fields of `forwardedProps.arc`."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    user_id: str | None = None
    model: str | None = None
    outlives_caller: bool = False


def props_in(asked: RunAgentInput) -> ArcProps:
    """Read `forwardedProps.arc`."""
    props = asked.forwarded_props
    if not isinstance(props, dict) or "arc" not in props:
        return ArcProps()
    try:
        return ArcProps.model_validate(props["arc"])
    except ValidationError as error:
        problem = problem_of_fields(error)
        place = f"forwardedProps.arc.{problem.param}"
        raise Problem(422, problem.code, f"{place}: {problem.message}", param=place) from None


def command_in(asked: RunAgentInput, *, agent: str | None) -> AgentCommand:
    """The command: the last message of the user, in the conversation that the thread is.

    Earlier messages are not read: Arc keeps the conversation itself.
    """
    if asked.tools:
        raise Problem(422, "invalid_request", _NO_FRONTEND_TOOLS, param="tools")
    prompt, attachments = _read_content(*question_in(asked.messages))
    props = props_in(asked)
    return AgentCommand(
        user_prompt=prompt,
        attachments=attachments,
        agent=agent,
        session_id=check_id(asked.thread_id, param="threadId"),
        user_id=props.user_id,
        model=props.model,
        metadata=_read_metadata(asked),
    )


def _read_metadata(asked: RunAgentInput) -> dict[str, Any]:
    """Return the context and state of the front end, for hooks and tools."""
    told: dict[str, Any] = {}
    if asked.context:
        told["context"] = [each.model_dump(by_alias=True) for each in asked.context]
    if asked.state:
        told["state"] = asked.state
    return {"ag_ui": told} if told else {}


def question_in(messages: Sequence[object]) -> tuple[int, UserMessage]:
    """The last message of the user, and its place."""
    for place in range(len(messages) - 1, -1, -1):
        message = messages[place]
        if isinstance(message, UserMessage):
            return place, message
    raise Problem(422, "invalid_request", _NO_QUESTION, param="messages")


def _read_content(place: int, message: UserMessage) -> tuple[str, tuple[Attachment, ...]]:
    if isinstance(message.content, str):
        return message.content, ()
    text = "\n".join(each.text for each in message.content if isinstance(each, TextPart))
    return text, tuple(_attachments_in(message, place))


def _attachments_in(message: UserMessage, place: int) -> Iterator[Attachment]:
    for at, part in enumerate(message.content):
        param = f"messages[{place}].content[{at}].source"
        match part:
            case (
                ImagePart(source=source)
                | AudioPart(source=source)
                | VideoPart(source=source)
                | DocumentPart(source=source)
            ):
                yield _read_attachment(source, param)
            case _:
                continue


def _read_attachment(source: object, param: str) -> Attachment:
    match source:
        case DataSource(value=value, mime_type=media_type):
            return attached_base64(value, media_type=media_type, param=f"{param}.value")
        case UrlSource(value=value, mime_type=media_type):
            return attached_address(value, media_type=media_type, param=f"{param}.value")
        case _:
            message = f"{param} names a file of a vendor; send its data, or an address."
            raise Problem(422, "invalid_request", message, param=param)
