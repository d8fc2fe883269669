"""`POST /v1/chat/completions`."""

import asyncio
from collections.abc import AsyncGenerator

from starlette.requests import Request
from starlette.responses import Response

from arc_core import (
    AgentEvent,
    AgentResult,
    AgentStarted,
    ResponseFormat,
    RunFinished,
    RunHandle,
    ServedApplication,
)
from arc_core.serving import (
    JsonBody,
    Position,
    RunStreamResponse,
    caller_of,
    check_body,
    problem_of_result,
    read_body,
    until_disconnected,
)
from arc_plugins.surfaces.openai.chat.answers import ChatStream, make_completion
from arc_plugins.surfaces.openai.chat.requests import ChatAsked, answers_in, command_in
from arc_plugins.surfaces.openai.contents import ATTACHED_IN
from arc_plugins.surfaces.openai.fields import get_session, list_attachments, read_fields
from arc_plugins.surfaces.openai.frames import make_answer
from arc_plugins.surfaces.openai.waiting_calls import answer_calls

_ANSWERED = "messages[].tool_call_id"
_PATIENCE_S = 15.0
"""After this time a client is answered though nothing is known of the run, lest it give up."""


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
        try:
            result = await until_disconnected(request, run.result())
        finally:
            await run.aclose()
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
