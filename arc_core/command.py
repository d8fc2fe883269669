"""Commands of callers: one `AgentCommand` is one run."""

import hashlib
from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, PlainValidator, ValidationInfo, field_validator

from arc_core.limits import Limits
from arc_core.messages import Message, ToolCall, UserMessage
from arc_core.messages.content import Attachment, Text
from arc_core.output_types import flaw_of_type
from arc_core.tools.json_schema import find_flaw
from arc_core.usage import ReasoningEffort as ReasoningEffort

DEFAULT_AGENT = "default"
"""The agent of a command that names none: the one the settings describe, unless one of this
name is wired."""

ANONYMOUS = "anonymous"
"""The bucket of all users without an id, for guards, caches and the ownership of sessions."""


class AgentMode(StrEnum):
    """The way of answering: once, or in turns with tools."""

    STANDARD = "standard"
    """Once, without tools."""

    REACT = "react"
    """In turns, with tools, until it answers."""


class ResponseFormat(StrEnum):
    """The form that the answer must have."""

    TEXT = "text"
    JSON = "json"
    YAML = "yaml"


def _only_message(value: object) -> object:
    # A mapping says no role, and the first class that fits would be a system message.
    if not isinstance(value, Message):
        raise ValueError(  # noqa: TRY004 -- pydantic makes a ValidationError of it
            "not a message: write SystemMessage(…), UserMessage(…), AssistantMessage(…) or "
            "ToolResultMessage(…)"
        )
    return value


class AgentCommand(BaseModel):
    """One question to an agent, with all that belongs to it.

    Attributes:
        user_prompt: The question; guards decide whether it is acceptable.
        attachments: Images, documents and sounds that belong to the question, in their order.
        system_prompt: Replaces `llm.system_prompt` for this run; None keeps that.
        mode: With tools in turns, or one model call without any.
        model: A name of `llm.models`, `default` for the model of `llm` itself, or any other name,
            which that model's vendor is asked for; None is the configured one.
        conversation_history: Earlier messages, oldest first; if there are any, the store is not
            read.
        temperature: Sent to the vendor only when given here or in the settings.
        reasoning: How much the model thinks before it answers; None is `llm.reasoning`.
        max_output_tokens: Of each answer of the model; None is `llm.max_output_tokens`.
        tool_choice: What the model has to do in its first turn: `auto` leaves it to the model,
            `required` demands a tool call, and the name of a tool demands a call of that tool. None
            is `auto`. A run that cannot offer what is demanded ends with `INVALID_INPUT`.
        tool_call: The call of a tool that is made in place of asking a model; the text of its
            result is the answer. It is bound by all that binds the calls of models, and waits for
            people as they do. Without it, the model is asked.
        max_tool_calls: At most this many tool calls; the smaller of it and the setting holds, and
            less than 0 is 0.
        user_id: Who asks; missing or blank is `anonymous`.
        session_id: The conversation this belongs to; int and UUID become text.
        tenant_id: The company or team of the user.
        agent: The name of the agent that answers, and fills in what the command leaves open: system
            prompt, model and how it is asked, tools, response schema, limits; None is `default`.
        limits: Bounds of this run, within those of the agent and of the settings.
        metadata: Passed on to guards, hooks and tools; Arc does not look into it.
        response_format: Text, JSON or YAML.
        response_schema: What a JSON or YAML answer must be: a pydantic class, a dataclass, a
            TypedDict, a `list[…]`, a union, a `Literal`, an enum or a scalar, whose value is the
            `output` of the result; or a JSON Schema as a dictionary. What has no JSON Schema is
            refused here, before any model is asked. A type whose schema is not an object's is
            asked for inside an object with the one property `answer`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    user_prompt: str
    attachments: tuple[Attachment, ...] = ()
    system_prompt: str | None = None
    mode: AgentMode = AgentMode.REACT
    model: str | None = None
    conversation_history: tuple[Annotated[Message, PlainValidator(_only_message)], ...] = ()
    temperature: float | None = Field(default=None, ge=0)
    reasoning: ReasoningEffort | None = None
    max_output_tokens: int | None = Field(default=None, ge=1)
    tool_choice: str | None = None
    tool_call: ToolCall | None = None
    max_tool_calls: int | None = None
    user_id: str | None = None
    session_id: str | None = None
    tenant_id: str | None = None
    metadata: dict[str, Any] = Field(default_factory=dict)
    response_format: ResponseFormat = ResponseFormat.TEXT
    response_schema: Any = None
    agent: str | None = None
    limits: Limits | None = None

    @field_validator("session_id", mode="before")
    @classmethod
    def _as_text(cls, value: object) -> object:
        is_number = isinstance(value, int) and not isinstance(value, bool)
        return str(value) if is_number or isinstance(value, UUID) else value

    @field_validator("response_schema")
    @classmethod
    def _is_schema_of_format(cls, schema: object, info: ValidationInfo) -> object:
        if schema is None:
            return None
        if info.data.get("response_format") is ResponseFormat.TEXT:
            raise ValueError("text has no schema: set response_format to JSON or YAML, too")
        if isinstance(schema, Mapping):
            if flaw := find_flaw(schema):
                raise ValueError(f"it is not a JSON Schema: {flaw}")
            return dict(schema)
        if flaw := flaw_of_type(schema):
            raise ValueError(f"no answer can be of this type: {flaw}")
        return schema


def identity_of(user_id: str | None) -> str:
    """The user a run counts for: the id without surrounding blanks, or `anonymous`."""
    return (user_id or "").strip() or ANONYMOUS


def tenant_of(tenant_id: str | None) -> str | None:
    """The tenant a run counts for: the id without surrounding blanks, or None."""
    return (tenant_id or "").strip() or None


def question_of(command: AgentCommand) -> UserMessage:
    """The message that a command adds to its conversation: the prompt, then what is attached."""
    prompt, attachments = command.user_prompt, command.attachments
    if not attachments:
        return UserMessage(prompt)
    return UserMessage((Text(prompt), *attachments) if prompt else attachments)


def session_key(command: AgentCommand) -> str | None:
    """A hash of agent and session, 64 characters long; None for a run without a session.

    A session is that of its tenant and its user: another one's of the same id has another key.
    """
    if not command.session_id:
        return None
    tenant, user = tenant_of(command.tenant_id) or "", identity_of(command.user_id)
    names = (command.agent or DEFAULT_AGENT, tenant, user, command.session_id)
    text = "".join(f"{len(name)}:{name}" for name in names)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
