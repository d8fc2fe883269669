"""`POST /v1/chat/completions`."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import Annotated, Any, Literal

from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response

from arc_core import (
    AgentCommand,
    AgentEvent,
    AgentResult,
    AgentStarted,
    ResponseFormat,
    RunFinished,
    RunHandle,
    ServedApplication,
    ToolCall,
)
from arc_core.serving import (
    JsonBody,
    Position,
    RunStreamResponse,
    StrictFields,
    caller_of,
    check_body,
    problem_of_result,
    read_body,
    until_disconnected,
)
from arc_plugins.surfaces.openai.chat.answers import ChatStream, make_completion
from arc_plugins.surfaces.openai.conversation import ATTACHED_IN, Conversation, Parts, read_content
from arc_plugins.surfaces.openai.fields import (
    Metadata,
    fields_of_choice,
    fields_of_format,
    get_session,
    list_attachments,
    make_command,
    read_fields,
)
from arc_plugins.surfaces.openai.frames import make_answer
from arc_plugins.surfaces.openai.waiting_calls import answer_calls, outputs_in

_MESSAGES = "messages"
_FORMAT = "response_format"
_ANSWERED = "messages[].tool_call_id"
_PATIENCE_S = 15.0
"""After this time a client is answered though nothing is known of the run, lest it give up."""


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


class ChatCompletions:
    """Answers chat completions with runs."""

    def __init__(self, application: ServedApplication) -> None:
        self._application, self._runs = application, application.runs

    async def create(self, request: Request) -> Response:
        """Begin a run, and answer with its end or its pieces."""
        body = await read_body(request, attached_in=ATTACHED_IN)
        asked = read_fields(body, ChatAsked)
        run, after, is_document = await self._open(asked, body, request)
        tell_waiting = self._application.tell_waiting
        if asked.stream:
            stream = ChatStream(
                run.id,
                model=asked.model,
                has_usage=bool(asked.stream_options.include_usage),
                is_document=is_document,
                tell_waiting=tell_waiting,
            )
            return await _begin(request, run, stream, after=after.seq)
        async with aclosing(run):
            result = await until_disconnected(request, run.result())
        _check(result)
        completion = make_completion(
            result,
            model=asked.model,
            is_document=is_document,
            tell_waiting=tell_waiting,
            last=await self._find_last(result, request),
        )
        return make_answer(completion, run_id=result.run_id)

    async def _open(
        self, asked: ChatAsked, body: JsonBody, request: Request
    ) -> tuple[RunHandle, Position, bool]:
        """Begin a run, or answer what one waits for; say from where it is told, and its format."""
        runs, session_id = self._runs.for_caller(caller_of(request)), get_session(request)
        if answers := answers_in(asked):
            check_body(body, (), self._application)
            run, after = await answer_calls(
                answers, runs=runs, session_id=session_id, param=_ANSWERED
            )
            return run, after, asked.response_format.type != "text"
        command = command_in(asked, session_id)
        check_body(body, list_attachments(command), self._application)
        is_document = command.response_format is not ResponseFormat.TEXT
        return await runs.begin(command).open(), Position(), is_document

    async def _find_last(self, result: AgentResult, request: Request) -> Position:
        """Return up to where a client knows a run that waits."""
        if not result.waiting:
            return Position()
        found = await self._runs.for_caller(caller_of(request)).find(result.run_id)
        return Position(found.last_seq or 0)


async def _begin(request: Request, run: RunHandle, stream: ChatStream, *, after: int) -> Response:
    """A response that streams, unless the run fails before it has anything to tell."""
    events = run.events(after=after)
    first = asyncio.create_task(_read_first(events), name="arc-first-event")
    try:
        await until_disconnected(request, asyncio.wait((first,), timeout=_PATIENCE_S))
        if first.done() and isinstance(event := first.result(), RunFinished):
            _check(event.result)
    except BaseException:
        first.cancel()
        await asyncio.wait((first,))
        await events.aclose()
        await run.aclose()
        raise
    return RunStreamResponse(run, stream.frames(first, events))


async def _read_first(events: AsyncGenerator[AgentEvent]) -> AgentEvent:
    """The first event that tells what comes of the run."""
    while isinstance(event := await anext(events), AgentStarted):
        pass
    return event


def _check(result: AgentResult) -> None:
    """Raise the problem of a run that has no answer."""
    if not (result.success or result.waiting):
        raise problem_of_result(result)
