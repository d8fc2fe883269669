"""`POST /v1/chat/completions`."""

from collections.abc import AsyncGenerator, Sequence

from starlette.requests import Request
from starlette.responses import Response

from arc_core import (
    AgentEvent,
    AgentResult,
    AgentStarted,
    ResponseFormat,
    RunFinished,
    ServedApplication,
)
from arc_core.serving import (
    HeldRun,
    RunStreamResponse,
    batches,
    caller_of,
    check_body,
    problem_of_result,
    read_body,
    until_disconnected,
)
from arc_plugins.surfaces.openai.chat.answers import ChatStream, completion_of
from arc_plugins.surfaces.openai.chat.asked import ChatAsked, command_in
from arc_plugins.surfaces.openai.commands import attachments_in, session_of

__all__ = ["ChatCompletions"]


class ChatCompletions:
    """Answers chat completions with runs.

    Args:
        application: Has the runs.
    """

    def __init__(self, application: ServedApplication) -> None:
        self._application, self._runs = application, application.runs

    async def create(self, request: Request) -> Response:
        """Begin a run, and answer with its end or its pieces."""
        body = await read_body(request, self._application)
        asked = ChatAsked.of(body)
        command = command_in(asked, session_of(request))
        check_body(body, attachments_in(command), self._application)
        held = await HeldRun.open(self._runs.begin(command, caller=caller_of(request)))
        is_document = command.response_format is not ResponseFormat.TEXT
        if asked.stream:
            stream = ChatStream(
                held.run.run_id,
                model=asked.model,
                has_usage=bool(asked.stream_options.include_usage),
                is_document=is_document,
            )
            return await _begin(request, held, stream)
        try:
            result = await until_disconnected(request, held.run.result())
        finally:
            await held.aclose()
        _check(result)
        completion = completion_of(result, model=asked.model, is_document=is_document)
        headers = {"x-run-id": result.run_id}
        text = completion.to_json(indent=None)
        return Response(text, headers=headers, media_type="application/json")


async def _begin(request: Request, held: HeldRun, stream: ChatStream) -> Response:
    """A response that streams, unless the run fails before it has anything to tell."""
    feed = batches(held.run.events())
    try:
        first = await until_disconnected(request, _read_first(feed))
        for event in first:
            if isinstance(event, RunFinished) and len(first) == 1:
                _check(event.result)
    except BaseException:
        await feed.aclose()
        await held.aclose()
        raise
    return RunStreamResponse(held, stream.frames(first, feed))


async def _read_first(feed: AsyncGenerator[Sequence[AgentEvent]]) -> Sequence[AgentEvent]:
    """The first events that tell something; none after a while, as the client has to be told."""
    async for batch in feed:
        told = [event for event in batch if not isinstance(event, AgentStarted)]
        if told or not batch:
            return told
    return ()


def _check(result: AgentResult) -> None:
    """Raise the problem of a run that has no answer.

    Raises:
        Problem: It has failed.
    """
    if not (result.success or result.waiting):
        raise problem_of_result(result)
