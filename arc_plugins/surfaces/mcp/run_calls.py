"""Calls that are runs, begun or read on, to their end or to where they wait.

They are those of the tools `ask_…`, and of tools that may have to wait for a person.

What the run waits for is asked of the user of the client, if the client can do that; the answer is
the decision about the request, as it is by any other way.
"""

import asyncio
import json
from collections.abc import Awaitable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import mcp_types
from mcp import MCPError
from mcp.shared.message import ServerMessageMetadata

from arc_core import (
    DEFAULT_AGENT,
    AgentCommand,
    AgentResult,
    DecisionError,
    LoginRequest,
    Request,
    RunFinished,
    RunHandle,
    Runs,
    ServedApplication,
    TextDelta,
    ToolCall,
    ToolCallFinished,
    ToolCallProgress,
    ToolResult,
    UnknownRunError,
)
from arc_core.serving import Problem, await_decisions, make_call_id
from arc_plugins.surfaces.mcp.calls import (
    CallMeta,
    CancelledCalls,
    Context,
    Progress,
    Result,
    caller_for,
    result_of_call,
    result_of_run,
)
from arc_plugins.surfaces.mcp.elicitation import (
    ElicitParams,
    is_modern,
    make_elicitation,
    read_decision,
    read_response,
)

_STATE = "#"
"""Between the run and the last event that its client has, in the state of a call that waits."""

_AT_ONCE_S = 1.0
"""Seconds in which most tools have ended, so that their clients need not ask again."""

_LOGIN_S = 30.0
"""Seconds for which a call is held for a login that its user makes now, since clients give up."""


def make_command(
    params: mcp_types.CallToolRequestParams, meta: CallMeta, *, agent: str | None
) -> AgentCommand:
    """Return the command of a call: of an agent, or of a run that is one call of a tool."""
    arguments = params.arguments or {}
    if agent is None:
        call = ToolCall(str(uuid4()), params.name, json.dumps(arguments))
        return AgentCommand(user_prompt="", tool_call=call, **meta.as_fields())
    task = arguments.get("task")
    if not isinstance(task, str) or len(arguments) > 1:
        raise Problem(422, "invalid_request", "The only argument is a text, `task`.", "task")
    return AgentCommand(user_prompt=task, agent=agent, **meta.as_fields())


def _read_state(state: str) -> tuple[str, int]:
    """Return the run of a call that goes on, and the last event that its client has."""
    run_id, _, after = state.rpartition(_STATE)
    if not run_id or not after.isdecimal():
        raise UnknownRunError(state)
    return run_id, int(after)


@dataclass(frozen=True, slots=True)
class _Reading:
    """A run as far as it was read: its result so far, and that of its last tool call."""

    result: AgentResult[Any]
    last_seq: int
    called: ToolResult | None = None


class RunCalls:
    """The calls of one application."""

    def __init__(self, application: ServedApplication, cancelled: CancelledCalls) -> None:
        self._application, self._cancelled = application, cancelled

    async def ask(
        self,
        context: Context,
        params: mcp_types.CallToolRequestParams,
        *,
        agent: str | None,
        may_leave: bool = False,
    ) -> Result | str:
        """Ask an agent, or call the tool if there is none; or read on what was begun before.

        The id of the run is returned if it `may_leave` it, and that takes longer than a moment.
        """
        is_tool, meta = agent is None, CallMeta.of(context, params)
        runs = self._application.runs.for_caller(caller_for(context))
        run_id, after = meta.run_id, meta.after
        if params.request_state is not None:
            run_id, after = _read_state(params.request_state)
        if run_id is not None:
            found = await runs.find(run_id)
            if found.agent != (agent or DEFAULT_AGENT):
                raise UnknownRunError(run_id)
            if params.request_state is not None:
                waiting, responses = found.requests, params.input_responses or {}
                if not await answer(runs, run_id, waiting=waiting, responses=responses):
                    async with runs.get(run_id) as run:
                        return self._tell(_Reading(await run.result(), after), run_id)
            async with runs.get(run_id) as run:
                reading = self.read(context, run, runs, after=after, is_tool=is_tool)
                return await _wait_or_leave(reading, run.id, may_leave=may_leave)
        run_id, command = str(uuid4()), make_command(params, meta, agent=agent)
        with self._cancelled.noting(context, run_id):
            async with runs.begin(command, run_id=run_id, outlives_caller=may_leave) as run:
                reading = self.read(context, run, runs, after=0, is_tool=is_tool)
                return await _wait_or_leave(reading, run.id, may_leave=may_leave)

    async def read(
        self, context: Context, run: RunHandle, runs: Runs, *, after: int, is_tool: bool = False
    ) -> Result:
        """Read a run to its end, or to where it waits for what this client cannot ask."""
        progress = Progress(context)
        await progress.tell(after, run_id=run.id)
        while True:
            reading = await _read_events(run, progress, after=after)
            after = reading.last_seq
            asked = {
                request.key: (request, params)
                for request in reading.result.waiting
                if runs.may_decide(request)
                and (params := make_elicitation(request, context)) is not None
            }
            if not asked:
                return self._tell(reading, run.id, is_tool=is_tool)
            if is_modern(context):
                return mcp_types.InputRequiredResult(
                    input_requests={
                        key: mcp_types.ElicitRequest(params=each)
                        for key, (_, each) in asked.items()
                    },
                    request_state=f"{run.id}{_STATE}{after}",
                )
            for request, params in asked.values():
                if not await _elicit(context, request, params, runs=runs):
                    return self._tell(reading, run.id)

    def _tell(
        self, reading: _Reading, run_id: str, *, is_tool: bool = False
    ) -> mcp_types.CallToolResult:
        if is_tool and reading.called is not None and not reading.result.waiting:
            return result_of_call(reading.called, run_id=run_id)
        tell_waiting = self._application.tell_waiting
        return result_of_run(reading.result, run_id=run_id, tell_waiting=tell_waiting)


async def _wait_or_leave(
    reading: Awaitable[Result], run_id: str, *, may_leave: bool
) -> Result | str:
    """Return the result of a call, or the id of its run if there is none at once."""
    if not may_leave:
        return await reading
    try:
        async with asyncio.timeout(_AT_ONCE_S):
            return await reading
    except TimeoutError:
        return run_id


async def answer(
    runs: Runs, run_id: str, *, waiting: Sequence[Request], responses: Mapping[str, object]
) -> bool:
    """Decide what the user of a client says; return whether the run may go on with it.

    Responses are by the keys of requests; those that do not wait any more are left out.
    """
    for request in waiting:
        found = read_response(responses.get(request.key))
        if found is not None and not await _decide(request, found, run_id=run_id, runs=runs):
            return False
    return bool(responses)


async def _elicit(context: Context, request: Request, params: ElicitParams, *, runs: Runs) -> bool:
    """Ask the user within the open call; return whether the run goes on."""
    try:
        said = await context.session.send_request(
            mcp_types.ElicitRequest(params=params),
            mcp_types.ElicitResult,
            metadata=ServerMessageMetadata(related_request_id=context.request_id),
        )
    except MCPError:  # the client has none, or refuses
        return False
    is_decided = await _decide(request, said, run_id=request.run_id, runs=runs)
    if is_decided and isinstance(request, LoginRequest):
        await context.session.send_elicit_complete(
            make_call_id(request), related_request_id=context.request_id
        )
    return is_decided


async def _decide(
    request: Request, said: mcp_types.ElicitResult, *, run_id: str, runs: Runs
) -> bool:
    """Decide about a request; return whether it does not wait any more."""
    decision = read_decision(request, said)
    if decision is not None:
        try:
            await runs.decide(run_id, request.key, decision)
        except DecisionError:
            if any(each.key == request.key for each in (await runs.find(run_id)).requests):
                raise
        return True
    if said.action != "accept":
        return False
    try:
        async with asyncio.timeout(_LOGIN_S):
            await await_decisions([request], run_id=run_id, runs=runs)
    except TimeoutError:
        return False
    return True


async def _read_events(run: RunHandle, progress: Progress, *, after: int) -> _Reading:
    """Return how a run ends or waits, and its last event; its pieces of text are progress."""
    result = called = None
    async with aclosing(run.events(after=after)) as events:
        async for event in events:
            if event.run_id != run.id:
                continue
            after = max(after, event.seq)
            match event:
                case RunFinished():
                    result = event.result
                case ToolCallFinished():
                    called = event.result
                case TextDelta(text=text) | ToolCallProgress(message=text):
                    await progress.tell(event.seq, text, run_id=run.id)
    if result is None:  # the client has its end already
        result = await run.result()
    return _Reading(result, after, called)
