"""Runs as resources: start, read on after a lost connection, cancel, approve, look back.

Bodies and answers are Arc's own forms (`docs/forms.md`), events are server-sent. What is served:
`POST /api/runs`, `GET /api/runs/{id}`, `GET /api/runs/{id}/events`, `POST /api/runs/{id}/cancel`,
`POST /api/runs/{id}/decisions`, `GET /api/approvals`, `POST /api/chat`, `POST /api/chat/stream`,
and what `records` has.
"""

from collections.abc import Sequence
from contextlib import aclosing
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from arc_core import InvalidDecisionError, RunHandle, Runs, RunState, ServedApplication, Surface
from arc_core.serving import (
    JsonBody,
    Position,
    Problem,
    RunStreamResponse,
    caller_of,
    check_id,
    problem_of_result,
    problem_response,
    read_as,
    read_body,
    read_position,
    until_disconnected,
)
from arc_plugins.surfaces.runs.forms import (
    ChatBody,
    DecisionBody,
    Respond,
    RunBody,
    command_in,
    make_form,
    make_request_form,
    stream_frames,
)
from arc_plugins.surfaces.runs.records import RecordEndpoints

_WAITS = 202


class RunsSurface(Surface):
    """The protocol of Arc's own page, and of programs without another one."""

    order = 10

    def routes(self, application: ServedApplication) -> Sequence[BaseRoute]:
        """The routes below `/api`."""
        served = _Endpoints(application)
        return [
            *RecordEndpoints(application).routes,
            Route("/api/runs", served.start, methods=["POST"]),
            Route("/api/runs/{run_id}", served.show, methods=["GET"]),
            Route("/api/runs/{run_id}/events", served.follow, methods=["GET"]),
            Route("/api/runs/{run_id}/cancel", served.cancel_run, methods=["POST"]),
            Route("/api/runs/{run_id}/decisions", served.decide_call, methods=["POST"]),
            Route("/api/approvals", served.approvals, methods=["GET"]),
            Route("/api/chat", served.chat, methods=["POST"]),
            Route("/api/chat/stream", served.chat_stream, methods=["POST"]),
        ]


class _Endpoints:
    def __init__(self, application: ServedApplication) -> None:
        self._application, self._runs = application, application.runs

    async def start(self, request: Request) -> Response:
        """Begin a run, and respond as the body asks."""
        body = await read_body(request, attached_in=("data",))
        return await self._respond(request, body, RunBody.of(body))

    async def chat(self, request: Request) -> Response:
        return await self._chat(request, Respond.WAIT)

    async def chat_stream(self, request: Request) -> Response:
        return await self._chat(request, Respond.STREAM)

    async def _chat(self, request: Request, respond: Respond) -> Response:
        body = await read_body(request)
        return await self._respond(request, body, read_as(body, ChatBody).as_run(respond))

    async def _respond(self, request: Request, body: JsonBody, asked: RunBody) -> Response:
        runs, command = self._runs_for(request), command_in(asked, body, self._application)
        if asked.respond is Respond.SUBMIT:
            run_id = await runs.submit(
                command, run_id=asked.run_id, queue=asked.queue, not_before=asked.not_before
            )
            where = {"location": f"{request.scope.get('root_path', '')}/api/runs/{run_id}"}
            told = {"run_id": run_id}
            if note := self._runs.submitting_note:
                told["message"] = note
            return JSONResponse(told, _WAITS, headers=where)
        run = await runs.begin(command, run_id=asked.run_id).open()
        if asked.respond is Respond.STREAM:
            return _stream(run, Position())
        async with aclosing(run):
            result = await until_disconnected(request, run.result())
        if result.waiting:
            return JSONResponse(make_form(result), _WAITS)
        if not result.success:
            return problem_response(problem_of_result(result))
        return JSONResponse(make_form(result))

    async def show(self, request: Request) -> Response:
        """Answer with the state of a run, or its result."""
        run_id = request.path_params["run_id"]
        runs = self._runs_for(request)
        found = await runs.find(run_id)
        is_over = found.state is RunState.FINISHED
        state = {  # as `arc runs show --json` prints it
            "run_id": found.run_id,
            "state": found.state.value,
            "requests": [make_request_form(each, runs) for each in found.requests],
            "result": make_form(found.result) if is_over else None,
        }
        return JSONResponse(state, 200 if is_over else _WAITS)

    async def follow(self, request: Request) -> Response:
        """The events of a run, from where the reader is."""
        run_id, runs = request.path_params["run_id"], self._runs_for(request)
        position = read_position(request.headers.get("last-event-id"))
        summary = await runs.find(run_id)
        if position.seq > (summary.last_seq or 0):
            raise Problem(
                400, "invalid_position", f"The run has no event {position} yet.", "Last-Event-ID"
            )
        note = self._runs.submitting_note if summary.state is RunState.QUEUED else ""
        run = await runs.get(run_id).open()
        return _stream(run, position, note=note)

    async def cancel_run(self, request: Request) -> Response:
        run_id = request.path_params["run_id"]
        await self._runs_for(request).cancel(run_id)
        return JSONResponse({"run_id": run_id}, _WAITS)

    async def decide_call(self, request: Request) -> Response:
        """Let a waiting call go on, or not, or answer its question."""
        run_id, runs = request.path_params["run_id"], self._runs_for(request)
        asked = read_as(await read_body(request), DecisionBody)
        try:
            key = check_id(asked.key, param="key")
            open_request = await runs.decide(run_id, key, asked.make_decision())
        except InvalidDecisionError as error:
            raise asked.make_problem(error) from None
        told: dict[str, Any] = {"run_id": run_id, "key": asked.key}
        if open_request is None:
            return JSONResponse(told)
        return JSONResponse({**told, "request": make_request_form(open_request, runs)}, _WAITS)

    async def approvals(self, request: Request) -> Response:
        """Answer with the requests that wait for people, and which of them this caller decides."""
        user_id, runs = request.query_params.get("user_id"), self._runs_for(request)
        found = await runs.waiting(user_id=user_id)
        return JSONResponse({"requests": [make_request_form(each, runs) for each in found]})

    def _runs_for(self, request: Request) -> Runs:
        return self._runs.for_caller(caller_of(request))


def _stream(run: RunHandle, position: Position, *, note: str = "") -> Response:
    return RunStreamResponse(run, stream_frames(run, after=position, note=note))
