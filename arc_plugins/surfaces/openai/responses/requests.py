"""The body of a request for a response."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from arc_core import ToolCall
from arc_core.serving import JsonBody, Problem, StrictFields
from arc_plugins.surfaces.openai.conversation import Conversation, Parts, read_content
from arc_plugins.surfaces.openai.fields import (
    Metadata,
    fields_of_choice,
    fields_of_format,
    read_fields,
)
from arc_plugins.surfaces.openai.waiting_calls import outputs_in

INPUT = "input"
FORMAT = "text.format"


class _Item(StrictFields):
    """An item of the input: a message, or what an earlier response has put out."""

    type: Literal["message", "reasoning", "function_call", "function_call_output", "mcp_call"] = (
        "message"
    )
    role: Literal["system", "developer", "user", "assistant"] | None = None
    content: Parts = ()
    id: str | None = None
    call_id: str | None = None
    name: str = ""
    arguments: str = ""
    output: Parts = ()
    status: Any = None
    phase: Any = None
    summary: Any = None
    encrypted_content: Any = None
    server_label: Any = None
    approval_request_id: Any = None
    error: Any = None
    namespace: Any = None
    caller: Any = None
    async_: Any = Field(default=None, alias="async")


class _TextFormat(StrictFields):
    type: Literal["text", "json_object", "json_schema"] = "text"
    name: str = ""
    description: str | None = None
    schema_: dict[str, Any] | None = Field(default=None, alias="schema")
    strict: bool | None = None


class _TextConfig(StrictFields):
    format: _TextFormat = _TextFormat()
    verbosity: Any = None


class _ConversationName(StrictFields):
    id: str = Field(min_length=1)


class ResponseAsked(StrictFields):
    """The fields that count; `store` has a run without a session begin one of its own."""

    model: str = Field(min_length=1)
    input: Annotated[
        tuple[_Item, ...],
        Field(fail_fast=True),
        BeforeValidator(
            lambda said: [{"role": "user", "content": said}] if isinstance(said, str) else said
        ),
    ]
    instructions: str | None = None
    stream: bool = False
    stream_options: Any = None
    background: bool = False
    store: bool = True
    conversation: Annotated[
        _ConversationName | None,
        BeforeValidator(lambda said: {"id": said} if isinstance(said, str) else said),
    ] = None
    previous_response_id: str | None = None
    temperature: float | None = Field(default=None, ge=0, le=2)
    max_output_tokens: int | None = Field(default=None, ge=1)
    max_tool_calls: int | None = Field(default=None, ge=0)
    text: _TextConfig = _TextConfig()
    tool_choice: Any = "auto"
    user: str | None = None
    safety_identifier: str | None = None
    metadata: Metadata = Field(default_factory=dict)

    @classmethod
    def of(cls, body: JsonBody) -> "ResponseAsked":
        """The fields of a body."""
        items = body.value.get(INPUT)
        for place, item in enumerate(items if isinstance(items, list) else ()):
            if isinstance(item, dict) and not item.keys() & {"role", "type"}:
                role = f"{INPUT}[{place}].role"  # said before the fields of all others are read
                raise Problem(422, "invalid_request", f"{role} is missing.", param=role)
        return read_fields(body, cls)


def answers_in(asked: ResponseAsked) -> Mapping[str, str]:
    """Return the answers to what a response waits for, with which the input ends; else none."""
    outputs: list[tuple[str, Parts, str]] = []
    for index in range(len(asked.input) - 1, -1, -1):
        item = asked.input[index]
        if item.type != "function_call_output":
            break
        outputs.append((item.call_id or "", item.output, f"{INPUT}[{index}].output"))
    return outputs_in(outputs)


def make_command_fields(asked: ResponseAsked, conversation: Conversation) -> dict[str, Any]:
    """The fields of a command, without its session."""
    form = asked.text.format
    return {
        **conversation.as_fields(INPUT),
        **fields_of_format(form.type, form.schema_, FORMAT),
        **fields_of_choice(asked.tool_choice),
        "agent": asked.model,
        "temperature": asked.temperature,
        "max_output_tokens": asked.max_output_tokens,
        "max_tool_calls": asked.max_tool_calls,
        "user_id": asked.user or asked.safety_identifier,
        "metadata": asked.metadata,
    }


def read_conversation(asked: ResponseAsked) -> Conversation:
    """The messages of the input, and the instructions."""
    conversation = Conversation()
    conversation.instruct(asked.instructions or "")
    for index, item in enumerate(asked.input):
        place = f"{INPUT}[{index}]"
        if item.type == "message":
            if item.role is None:
                raise Problem(422, "invalid_request", f"{place}.role is missing.", f"{place}.role")
            conversation.add(item.role, item.content, place)
        if item.type in {"message", "reasoning"}:
            continue  # a vendor knows reasoning again only from its own runs
        call_id = item.call_id or item.id or ""
        if item.type != "function_call_output":
            call = ToolCall(call_id, item.name, item.arguments)
            conversation.answer("", [call], place)
        if item.type != "function_call":
            conversation.report(call_id, read_content(item.output, f"{place}.output"), place)
    return conversation
