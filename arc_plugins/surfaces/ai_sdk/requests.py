"""The requests of `useChat`: a new message, an old one again, or answers to what was asked."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

from arc_core import AgentCommand, Answer, Approve, Attachment, Deny, Request
from arc_core.serving import Problem, StrictFields, attached_address, check_id, read_answer, read_as

_NO_QUESTION = (
    "There is nothing to do: the last message is neither one of the user nor one with answers to "
    "approvals."
)
_TWO_KINDS = "has a part of type {kind!r}; messages of users have parts of type text and file."


class _Read(BaseModel):
    model_config = ConfigDict(frozen=True, alias_generator=to_camel, populate_by_name=True)


class UiMessage(_Read):
    """A message as the client keeps it; what Arc does not need of it is left alone."""

    id: str = ""
    role: Literal["system", "user", "assistant"]
    parts: Annotated[list[dict[str, Any]], Field(fail_fast=True)]


class RequestAnswer(StrictFields):
    """An answer to a question, or a decision; exactly one of `answer` and `approve`."""

    answer: dict[str, Any] | None = None
    approve: bool | None = None
    reason: str = ""

    @model_validator(mode="after")
    def check_one(self) -> Self:
        """Refuse both, and neither."""
        if (self.answer is None) is (self.approve is None):
            raise PydanticCustomError("one_of", "It has to have one of answer and approve.")
        return self


class UseChatBody(_Read, StrictFields):
    """A request of `DefaultChatTransport`, with what its `body` may add.

    Only the last message is read, since Arc keeps the conversation, whose id is that of the chat.

    Attributes:
        answers: To questions and logins, by the `requestId` of their parts `data-request`.
    """

    id: str
    messages: Annotated[list[UiMessage], Field(fail_fast=True)]
    trigger: Literal["submit-message", "regenerate-message"] = "submit-message"
    message_id: str | None = None
    user_id: str | None = None
    model: str | None = None
    metadata: dict[str, Any] = Field(default_factory=dict)
    outlives_caller: bool = False
    answers: dict[str, RequestAnswer] = Field(default_factory=dict)


class _TextPart(_Read):
    type: Literal["text"]
    text: str


class _FilePart(_Read):
    type: Literal["file"]
    media_type: str
    url: str
    filename: str | None = None


class _Approval(_Read):
    id: str
    approved: bool
    reason: str | None = None


class ApprovalPart(_Read):
    """A tool call with the answer of a person, who may have changed its input."""

    approval: _Approval
    input: Any = None


def command_in(asked: UseChatBody, *, agent: str | None, user_id: str | None) -> AgentCommand:
    """The command: the last message, which is the user's."""
    place = len(asked.messages) - 1
    if place < 0 or asked.messages[place].role != "user":
        raise Problem(422, "invalid_request", _NO_QUESTION, param="messages")
    texts: list[str] = []
    attachments: list[Attachment] = []
    for at, part in enumerate(asked.messages[place].parts):
        param = f"messages[{place}].parts[{at}]"
        if part.get("type") == "text":
            texts.append(read_as(part, _TextPart, param=param).text)
        elif part.get("type") == "file":
            file, where = read_as(part, _FilePart, param=param), f"{param}.url"
            attachments.append(
                attached_address(
                    file.url, media_type=file.media_type, name=file.filename, param=where
                )
            )
        else:
            message = f"{param} {_TWO_KINDS.format(kind=part.get('type'))}"
            raise Problem(422, "invalid_request", message, param=param)
    return AgentCommand(
        user_prompt="\n".join(texts),
        attachments=tuple(attachments),
        agent=agent,
        session_id=check_id(asked.id, param="id"),
        user_id=asked.user_id or user_id,
        model=asked.model,
        metadata=asked.metadata,
    )


def answers_in(asked: UseChatBody) -> Mapping[str, ApprovalPart | RequestAnswer]:
    """The answers to what was asked, by its id: in the body, and in the message to be continued."""
    named = [at for at, each in enumerate(asked.messages) if each.id == asked.message_id]
    place = named[-1] if named and asked.message_id else len(asked.messages) - 1
    if place < 0 or asked.messages[place].role != "assistant":
        return asked.answers
    answers: dict[str, ApprovalPart | RequestAnswer] = dict(asked.answers)
    for at, part in enumerate(asked.messages[place].parts):
        kind = part.get("type")
        is_call = isinstance(kind, str) and (kind == "dynamic-tool" or kind.startswith("tool-"))
        if is_call and part.get("state") == "approval-responded":
            answer = read_as(part, ApprovalPart, param=f"messages[{place}].parts[{at}]")
            answers[answer.approval.id] = answer
    return answers


def answer_to(request: Request, part: ApprovalPart | RequestAnswer) -> Approve | Answer | Deny:
    """Return the decision; other arguments than those that were asked for take their place."""
    if isinstance(part, RequestAnswer):
        if part.answer is not None:
            return read_answer(part.answer, request=request, param="answers")
        return Approve() if part.approve else Deny(part.reason)
    if not part.approval.approved:
        return Deny(part.approval.reason or "")
    if part.input is None or part.input == dict(request.arguments):
        return Approve()
    if not isinstance(part.input, dict):
        message = f"The input of {request.tool} is not a JSON object."
        raise Problem(422, "invalid_request", message, param="messages[].parts[].input")
    return Approve(part.input)
