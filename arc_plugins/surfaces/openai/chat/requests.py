"""The body of a request for a chat completion."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from arc_core import AgentCommand, ToolCall
from arc_core.serving import StrictFields
from arc_plugins.surfaces.openai.contents import Parts, read_content
from arc_plugins.surfaces.openai.conversation import Conversation
from arc_plugins.surfaces.openai.fields import (
    Metadata,
    fields_of_choice,
    fields_of_format,
    make_command,
)
from arc_plugins.surfaces.openai.waiting_calls import outputs_in

_MESSAGES = "messages"
_FORMAT = "response_format"


class _CalledFunction(StrictFields):
    name: str
    arguments: str


class _MessageCall(StrictFields):
    id: str
    type: Literal["function"] = "function"
    function: _CalledFunction


class _ChatMessage(StrictFields):
    role: Literal["system", "developer", "user", "assistant", "tool"]
    content: Parts = ()
    tool_calls: Annotated[tuple[_MessageCall, ...], Field(fail_fast=True)] | None = None
    tool_call_id: str = ""
    name: Any = None
    refusal: Any = None
    audio: Any = None
    annotations: Any = None
    function_call: None = None
    reasoning_content: Any = None


class _JsonSchema(StrictFields):
    name: str = ""
    description: str | None = None
    schema_: dict[str, Any] | None = Field(default=None, alias="schema")
    strict: bool | None = None


class _ChatFormat(StrictFields):
    type: Literal["text", "json_object", "json_schema"]
    json_schema: _JsonSchema | None = None


class _StreamOptions(StrictFields):
    include_usage: bool | None = None
    include_obfuscation: Any = None


class ChatAsked(StrictFields):
    """The fields that count; of `max_tokens`, by its older name, too, the smaller one holds."""

    model: str = Field(min_length=1)
    messages: Annotated[tuple[_ChatMessage, ...], Field(fail_fast=True)]
    stream: bool = False
    stream_options: _StreamOptions = _StreamOptions()
    temperature: float | None = Field(default=None, ge=0, le=2)
    max_tokens: int | None = Field(default=None, ge=1)
    max_completion_tokens: int | None = Field(default=None, ge=1)
    response_format: _ChatFormat = _ChatFormat(type="text")
    tool_choice: Any = "auto"
    user: str | None = None
    safety_identifier: str | None = None
    metadata: Metadata = Field(default_factory=dict)
    store: Any = None


def answers_in(asked: ChatAsked) -> Mapping[str, str]:
    """Return the answers to what a run waits for, with which the messages end; else none."""
    outputs: list[tuple[str, Parts, str]] = []
    for index in range(len(asked.messages) - 1, -1, -1):
        message = asked.messages[index]
        if message.role != "tool":
            break
        place = f"{_MESSAGES}[{index}].content"
        outputs.append((message.tool_call_id, message.content, place))
    return outputs_in(outputs)


def command_in(asked: ChatAsked, session_id: str | None) -> AgentCommand:
    """The command of a body."""
    form = asked.response_format
    schema = None if form.json_schema is None else form.json_schema.schema_
    conversation = Conversation()
    for index, message in enumerate(asked.messages):
        place = f"{_MESSAGES}[{index}]"
        if message.role == "tool":
            content = read_content(message.content, f"{place}.content")
            conversation.report(message.tool_call_id, content, place)
            continue
        calls = [
            ToolCall(call.id, call.function.name, call.function.arguments)
            for call in message.tool_calls or ()
        ]
        conversation.add(message.role, message.content, place, calls=calls)
    fields = {
        **conversation.as_fields(_MESSAGES),
        **fields_of_format(form.type, schema, f"{_FORMAT}.json_schema"),
        **fields_of_choice(asked.tool_choice),
        "agent": asked.model,
        "temperature": asked.temperature,
        "max_output_tokens": min(
            filter(None, (asked.max_completion_tokens, asked.max_tokens)), default=None
        ),
        "user_id": asked.user or asked.safety_identifier,
        "session_id": session_id,
        "metadata": asked.metadata,
    }
    return make_command(fields, format_place=_FORMAT)
