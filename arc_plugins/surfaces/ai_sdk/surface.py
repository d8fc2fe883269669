"""The AI SDK's UI message stream, so that `useChat` and `DefaultChatTransport` work unchanged.

The id of a chat is the conversation. `POST /ai-sdk` asks the default agent, `POST /ai-sdk/{agent}`
another one; `GET …/{chat}/stream` reads the run of a chat again, from its beginning, and has no
content (204) if none goes on; with `?runId=` it reads that run, also once it has ended. `?userId=`
says who asks, for keys that are not for one user.
"""

from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from arc_core import RunHandle, ServedApplication, Surface
from arc_core.serving import (
    Position,
    RunStreamResponse,
    answer_questions,
    caller_of,
    check_body,
    read_as,
    read_body,
)
from arc_plugins.surfaces.ai_sdk.events import AiSdkEventEncoder
from arc_plugins.surfaces.ai_sdk.requests import UseChatBody, answer_to, answers_in, command_in

_HEADERS = {"x-vercel-ai-ui-message-stream": "v1"}
_NOTHING_RUNS = 204


class AiSdkSurface(Surface):
    """The protocol of front ends that are built with Vercel's AI SDK."""

    order = 40

    def routes(self, application: ServedApplication) -> Sequence[BaseRoute]:
        """The routes of the default agent, and those of the others."""
        served = _Endpoints(application)
        return [
            Route("/ai-sdk", served.chat, methods=["POST"]),
            Route("/ai-sdk/{agent}", served.chat, methods=["POST"]),
            Route("/ai-sdk/{chat}/stream", served.resume, methods=["GET"]),
            Route("/ai-sdk/{agent}/{chat}/stream", served.resume, methods=["GET"]),
        ]


class _Endpoints:
    def __init__(self, application: ServedApplication) -> None:
        self._application = application

    async def chat(self, request: Request) -> Response:
        """Begin a run, or go on with one that has waited."""
        body = await read_body(request, attached_in=("url",), has_history=True)
        asked = read_as(body, UseChatBody)
        runs = self._application.runs.for_caller(caller_of(request))
        if answers := answers_in(asked):
            sent = {"answers": [each.model_dump() for each in answers.values()]}
            check_body(sent, (), self._application)
            run, position = await answer_questions(
                answers,
                runs=runs,
                session_id=asked.id,
                param="answers, or messages[].parts[].approval.id",
                read=answer_to,
            )
            return _stream(run, position)
        command = command_in(
            asked,
            agent=request.path_params.get("agent"),
            user_id=request.query_params.get("userId"),
        )
        question = asked.messages[-1].model_dump()  # the others are not read
        said = {"question": question, "metadata": command.metadata}
        check_body(said, command.attachments, self._application)
        opening = runs.begin(command, outlives_caller=asked.outlives_caller)
        return _stream(await opening.open(), Position())

    async def resume(self, request: Request) -> Response:
        """The run that is named, or that goes on in the chat, from its beginning."""
        runs = self._application.runs.for_caller(caller_of(request))
        chat, user_id = request.path_params["chat"], request.query_params.get("userId")
        asked = request.query_params.get("runId")
        run_id = asked or await runs.running_in(chat, user_id=user_id)
        if run_id is None:
            return Response(status_code=_NOTHING_RUNS)
        return _stream(await runs.get(run_id).open(), Position())


def _stream(run: RunHandle, after: Position) -> Response:
    frames = AiSdkEventEncoder(run.id).stream(run, after=after)
    return RunStreamResponse(run, frames, headers=_HEADERS)
