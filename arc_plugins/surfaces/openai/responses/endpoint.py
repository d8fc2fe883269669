"""`POST /v1/responses`, and below `/v1/responses/{id}` the response, its input and its end.

A response is a run. One that belongs to no session gets one of its own, unless `store` is false:
with what was said up to it, so that any number of others may go on from there
(`previous_response_id`).
"""

import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import replace
from typing import Any
from uuid import uuid4

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from arc_core import (
    AgentCommand,
    ConversationStore,
    RunHandle,
    Runs,
    RunState,
    RunSummary,
    ServedApplication,
    SessionOwnershipError,
    UserMessage,
)
from arc_core.components.extension_points import takes_parameter
from arc_core.serving import (
    Problem,
    RequestId,
    RunStreamResponse,
    caller_of,
    check_body,
    problem_of_result,
    read_body,
    until_disconnected,
)
from arc_plugins.surfaces.openai.conversation import ATTACHED_IN
from arc_plugins.surfaces.openai.fields import get_session, list_attachments, make_command
from arc_plugins.surfaces.openai.frames import make_answer
from arc_plugins.surfaces.openai.responses.events import (
    ResponseEvents,
    ResponseFields,
    make_response,
    run_id_in,
)
from arc_plugins.surfaces.openai.responses.items import PLACES, make_input_item
from arc_plugins.surfaces.openai.responses.requests import (
    FORMAT,
    INPUT,
    ResponseAsked,
    answers_in,
    make_command_fields,
    read_conversation,
)
from arc_plugins.surfaces.openai.waiting_calls import answer_calls

_PREVIOUS = "previous_response_id"
_CALL = "input[].call_id"
_AT_REST = frozenset({RunState.WAITING, RunState.FINISHED})
_MOST_TURNS = 10_000
_BOTH = "The conversation has the earlier messages; send only the new one."


class Responses:
    """Answers responses with runs."""

    def __init__(self, application: ServedApplication, *, store: ConversationStore) -> None:
        self._application, self._runs, self._store = application, application.runs, store

    async def create(self, request: Request) -> Response:
        """Begin or submit a run, and answer with its end, its events, or that it is queued."""
        body = await read_body(request, attached_in=ATTACHED_IN)
        asked, run_id, runs = ResponseAsked.of(body), str(uuid4()), self._runs_for(request)
        if answers := answers_in(asked):
            check_body(body, (), self._application)
            return await self._go_on(asked, answers, request)
        command = await self._command_in(asked, request, run_id)
        check_body(body, list_attachments(command), self._application)
        facts = _make_fields(command, asked, run_id)
        if asked.background:
            await runs.submit(command, run_id=run_id)
            if not asked.stream:
                return _answer(make_response(self._add_note(facts), status="queued"))
            opening = runs.get(run_id)
        else:
            opening = runs.begin(command, run_id=run_id)
        return await self._tell(request, await opening.open(), facts, is_streamed=asked.stream)

    async def _go_on(
        self, asked: ResponseAsked, answers: Mapping[str, str], request: Request
    ) -> Response:
        """Answer what a response waits for, and with that response from its beginning on."""
        runs, run_id = (
            self._runs_for(request),
            RequestId.read(next(iter(answers)), param=_CALL).run_id,
        )
        previous = asked.previous_response_id
        if previous is not None and run_id_in(previous, param=_PREVIOUS) != run_id:
            message = f"{_PREVIOUS} is not the response that has asked."
            raise Problem(422, "invalid_request", message, param=_PREVIOUS)
        found = await runs.find(run_id)
        run, _ = await answer_calls(answers, runs=runs, session_id=found.session_id, param=_CALL)
        return await self._tell(request, run, _facts_in(found), is_streamed=asked.stream)

    async def _tell(
        self, request: Request, run: RunHandle, facts: ResponseFields, *, is_streamed: bool
    ) -> Response:
        """Answer with the events of a run, or with its end."""
        if is_streamed:
            return RunStreamResponse(run, _frames(run, self._stream_events(facts)))
        events = await _read_all(request, run, self._stream_events(facts))
        if events.result is not None and events.result.error_code is not None:
            raise problem_of_result(events.result)
        return _answer(events.response)

    async def retrieve(self, request: Request) -> Response:
        """Answer with a response as it is now, or its events after a number."""
        run_id, runs = self._find(request)
        summary = await runs.find(run_id)
        facts = _facts_in(summary)
        if request.query_params.get("stream", "").lower() in {"true", "1"}:
            after = _number_in(request, summary)
            run = await runs.get(run_id).open()
            return RunStreamResponse(run, _frames(run, self._stream_events(facts, after=after)))
        if summary.state is RunState.QUEUED:
            return _answer(make_response(self._add_note(facts), status="queued"))
        if summary.state not in _AT_REST:
            return _answer(make_response(facts, status="in_progress"))
        run = await runs.get(run_id).open()
        return _answer((await _read_all(request, run, self._stream_events(facts))).response)

    async def cancel_response(self, request: Request) -> Response:
        """End a response; one that has ended stays as it is."""
        run_id, runs = self._find(request)
        if (await runs.find(run_id)).state is RunState.FINISHED:
            return await self.retrieve(request)
        await runs.cancel(run_id)
        summary = await runs.find(run_id)
        return _answer(make_response(_facts_in(summary), status="cancelled"))

    async def delete(self, request: Request) -> Response:
        """Forget a response that has ended, and the conversation that is its own."""
        run_id, runs = self._find(request)
        summary = await runs.find(run_id)
        if summary.state is not RunState.FINISHED:
            message = "The response has not ended yet; cancel it first."
            raise Problem(409, "conflict", message, param="response_id")
        if summary.session_id == run_id and takes_parameter(self._store.delete, "owner"):
            owner = self._application.owner(
                caller_of(request), user_id=summary.user_id or None, tenant_id=summary.tenant_id
            )
            await self._store.delete(run_id, owner=owner)
        await runs.forget(run_id)
        return JSONResponse({"id": f"resp_{run_id}", "object": "response", "deleted": True})

    def _runs_for(self, request: Request) -> Runs:
        return self._runs.for_caller(caller_of(request))

    def _find(self, request: Request) -> tuple[str, Runs]:
        """The run of the response that the path names, and the runs of the caller."""
        run_id = run_id_in(request.path_params["response_id"], param="response_id")
        return run_id, self._runs_for(request)

    def _add_note(self, facts: ResponseFields) -> ResponseFields:
        """The facts of a response that is queued, with what its caller is told of that."""
        if not (note := self._runs.submitting_note):
            return facts
        return replace(facts, metadata={**facts.metadata, "message": note})

    def _stream_events(self, facts: ResponseFields, *, after: int | None = None) -> ResponseEvents:
        return ResponseEvents(facts, tell_waiting=self._application.tell_waiting, after=after)

    async def _command_in(
        self, asked: ResponseAsked, request: Request, run_id: str
    ) -> AgentCommand:
        conversation = read_conversation(asked)
        fields = make_command_fields(asked, conversation)
        named = None if asked.conversation is None else asked.conversation.id
        if conversation.has_history and (named or asked.previous_response_id is not None):
            raise Problem(422, "invalid_request", _BOTH, param=INPUT)
        session_id = named or get_session(request)
        if asked.previous_response_id is not None:
            previous = await self._find_previous(asked.previous_response_id, request)
            fields["user_id"] = fields["user_id"] or previous.user_id or None
            fields["tenant_id"] = previous.tenant_id
            if session_id is None and previous.session_id == previous.run_id:
                into = run_id if asked.store else None
                fields |= await self._branch(previous, fields, request, into=into)
                return make_command(fields, format_place=FORMAT)
            if session_id not in {None, previous.session_id}:
                message = f"{_PREVIOUS} belongs to another conversation than the one that is named."
                raise Problem(422, "invalid_request", message, param=_PREVIOUS)
            session_id = previous.session_id
        fields["session_id"] = session_id or (run_id if asked.store else None)
        return make_command(fields, format_place=FORMAT)

    async def _branch(
        self, previous: RunSummary, fields: Mapping[str, Any], request: Request, *, into: str | None
    ) -> dict[str, Any]:
        """Return the fields of a command that goes on after a response, with what was said there.

        The response that is to come gets a session of its own, so that the one before stays as it
        is, for others to go on from.
        """
        caller, before = caller_of(request), previous.session_id or ""
        if previous.state is not RunState.FINISHED:
            message = "The response has not ended yet; wait for its end to go on after it."
            raise Problem(409, "conflict", message, param=_PREVIOUS)
        user_id, tenant_id = fields["user_id"], fields["tenant_id"]
        owner = self._application.owner(caller, user_id=user_id, tenant_id=tenant_id)
        try:
            messages = await self._store.load(before, owner=owner, max_turns=_MOST_TURNS)
        except SessionOwnershipError:
            message = f"There is no response {_PREVIOUS} of this user."
            raise Problem(404, "not_found", message, param=_PREVIOUS) from None
        if into is None:
            return {"session_id": None, "conversation_history": tuple(messages)}
        await self._store.append(into, messages, owner=owner)
        return {"session_id": into}

    async def list_input(self, request: Request) -> Response:
        """Answer with the input of a response, without the conversation before it."""
        run_id, runs = self._find(request)
        result = (await runs.find(run_id)).result
        messages = () if result is None else result.messages
        asked = [each for each in messages if isinstance(each, UserMessage)]
        items = [make_input_item(each, run_id) for each in asked]
        ends = {"first_id": items[0]["id"], "last_id": items[-1]["id"]} if items else {}
        empty = {"first_id": None, "last_id": None, "has_more": False}
        return JSONResponse({"object": "list", "data": items, **empty, **ends})

    async def _find_previous(self, response_id: str, request: Request) -> RunSummary:
        run_id = run_id_in(response_id, param=_PREVIOUS)
        found = await self._runs_for(request).find(run_id)
        if found.session_id is None:
            message = f"The response {response_id} was not stored; send the conversation instead."
            raise Problem(422, "invalid_request", message, param=_PREVIOUS)
        return found


def _make_fields(command: AgentCommand, asked: ResponseAsked, run_id: str) -> ResponseFields:
    further: dict[str, Any] = {"background": asked.background}
    if asked.previous_response_id is not None:
        further[_PREVIOUS] = asked.previous_response_id
    return ResponseFields(
        run_id=run_id,
        model=asked.model,
        created_at=int(time.time()),
        session_id=command.session_id,
        metadata=asked.metadata,
        further=further,
    )


def _facts_in(summary: RunSummary) -> ResponseFields:
    return ResponseFields(
        run_id=summary.run_id,
        model=summary.agent,
        created_at=int(summary.since.timestamp()),
        session_id=summary.session_id,
    )


def _number_in(request: Request, summary: RunSummary) -> int | None:
    """Return the number after which a reader goes on, or raise a 400 if no event has it yet."""
    text = request.query_params.get("starting_after")
    if not text:
        return None
    last = (summary.last_seq or 0) * PLACES + PLACES - 1
    is_number = text.isascii() and text.isdigit() and len(text) <= len(str(last))
    if not is_number or int(text) > last:
        message = "starting_after is not the sequence_number of an event of this response so far."
        raise Problem(400, "invalid_position", message, param="starting_after")
    return int(text)


async def _frames(run: RunHandle, events: ResponseEvents) -> AsyncGenerator[bytes]:
    yield events.tell()
    async with aclosing(run.events()) as found:
        async for event in found:
            if frame := events.tell(event):
                yield frame


async def _read_all(request: Request, run: RunHandle, events: ResponseEvents) -> ResponseEvents:
    async def read() -> None:
        async with aclosing(run.events()) as found:
            async for event in found:
                events.tell(event)

    async with aclosing(run):
        await until_disconnected(request, read())
    return events


def _answer(response: Mapping[str, object] | None) -> Response:
    assert response is not None, "the last event of a run is its end"
    return make_answer(response, run_id=run_id_in(str(response["id"]), param="id"))
