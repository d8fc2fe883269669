"""Runs as tasks: of the extension `io.modelcontextprotocol/tasks`, and of 2025-11-25.

A task is a run that was submitted; their ids are the same. A client of the extension that asks for
no progress gets a task for each call of an agent; one of 2025-11-25 asks for it.
"""

from collections.abc import Callable
from typing import Any

import mcp_types
from mcp import MCPError
from mcp.server import Server, ServerRequestContext
from mcp.server.context import CallNext, HandlerResult
from pydantic import ValidationError

from arc_core import (
    AgentErrorCode,
    ArcError,
    Caller,
    NotPermittedError,
    Runs,
    RunState,
    RunSummary,
    ServedApplication,
)
from arc_core.runs.store import RunQuery
from arc_core.serving import Problem, await_decisions, get_problem
from arc_plugins.surfaces.mcp.calls import CallMeta, result_of_run
from arc_plugins.surfaces.mcp.elicitation import is_modern, make_elicitation
from arc_plugins.surfaces.mcp.run_calls import RunCalls, answer, make_run_command

EXTENSION = "io.modelcontextprotocol/tasks"
SUPPORT = mcp_types.ToolExecution(task_support="optional")

_RELATED = "io.modelcontextprotocol/related-task"
_POLL_MS = 1000

Context = ServerRequestContext[Any, Any]


class _UpdateParams(mcp_types.RequestParams):
    task_id: str
    input_responses: dict[str, Any]


class ServerWithTasks(Server[Any]):
    """A server that says that calls can become tasks."""

    def get_capabilities(self, *args: Any, **kwargs: Any) -> mcp_types.ServerCapabilities:
        """As the SDK's, with the tasks of 2025-11-25 for clients that know no extension."""
        found = super().get_capabilities(*args, **kwargs)
        if kwargs.get("protocol_version") is None:
            call = mcp_types.TasksToolsCapability(call=mcp_types.TasksCallCapability())
            found.tasks = mcp_types.ServerTasksCapability(
                list=mcp_types.TasksListCapability(),
                cancel=mcp_types.TasksCancelCapability(),
                requests=mcp_types.ServerTasksRequestsCapability(tools=call),
            )
        return found


class RunTasks:
    """The tasks of one application.

    Args:
        application: Whose runs they are.
        calls: Reads the runs of calls.
        caller_for: Returns the caller of a message.
        find_agent: Returns the agent that a tool of the caller asks; None if it asks none.
    """

    def __init__(
        self,
        application: ServedApplication,
        *,
        calls: RunCalls,
        caller_for: Callable[[Context], Caller],
        find_agent: Callable[[str, Caller], str | None],
    ) -> None:
        self._application, self._calls = application, calls
        self._caller_for, self._find_agent = caller_for, find_agent

    def install(self, server: Server[Any]) -> None:
        """Serve the methods of tasks."""
        server.extensions[EXTENSION] = {}
        server.middleware.append(self.watch)
        by_id = mcp_types.GetTaskRequestParams
        server.add_request_handler("tasks/get", by_id, self.get)
        server.add_request_handler("tasks/cancel", by_id, self.end)
        server.add_request_handler("tasks/result", by_id, self.wait)
        server.add_request_handler("tasks/update", _UpdateParams, self.update)
        server.add_request_handler("tasks/list", mcp_types.PaginatedRequestParams, self.list)

    async def watch(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """Make tasks of the calls of 2025-11-25 that ask for it, as middleware of the SDK."""
        fields = ctx.params or {}
        if ctx.method != "tools/call" or is_modern(ctx) or not isinstance(fields.get("task"), dict):
            return await call_next(ctx)
        try:
            params = mcp_types.CallToolRequestParams.model_validate(dict(fields), by_name=False)
        except ValidationError:
            raise MCPError(mcp_types.INVALID_PARAMS, "Invalid request parameters") from None
        agent = self._find_agent(params.name, self._caller_for(ctx))
        if agent is None:
            message = f"Calls of {params.name[:100]!r} cannot become tasks."
            raise MCPError(mcp_types.METHOD_NOT_FOUND, message)
        return {"task": await self.begin(ctx, params, agent=agent)}

    def wants_task(self, context: Context, params: mcp_types.CallToolRequestParams) -> bool:
        """Return whether a call of a client that knows the extension becomes a task."""
        capabilities = context.session.client_capabilities
        known = (None if capabilities is None else capabilities.extensions) or {}
        meta = params.meta or {}
        goes_on = params.request_state is not None or "arc/run_id" in meta
        reads_pieces = "progress_token" in (context.meta or {})
        return is_modern(context) and EXTENSION in known and not (goes_on or reads_pieces)

    async def begin(
        self, context: Context, params: mcp_types.CallToolRequestParams, *, agent: str
    ) -> dict[str, Any]:
        """Submit a run, and return its task."""
        headers = {} if context.request is None else context.request.headers
        try:
            meta = CallMeta.of(params.meta, headers)
            command = make_run_command(params.arguments or {}, agent, meta)
            runs = self._runs_for(context)
            return self._describe(context, await runs.find(await runs.submit(command)))
        except (ArcError, Problem) as error:
            raise _make_error(error) from None

    async def get(self, context: Context, params: mcp_types.GetTaskRequestParams) -> dict[str, Any]:
        """Return a task as it is now."""
        return self._describe(context, await self._find(context, params.task_id))

    async def end(self, context: Context, params: mcp_types.GetTaskRequestParams) -> dict[str, Any]:
        """End a task, wherever its run is."""
        found, runs = await self._find(context, params.task_id), self._runs_for(context)
        if found.state is RunState.FINISHED and not is_modern(context):
            raise MCPError(mcp_types.INVALID_PARAMS, "The task has ended.")
        await runs.cancel(found.run_id)
        return {} if is_modern(context) else await self.get(context, params)

    async def update(self, context: Context, params: _UpdateParams) -> dict[str, Any]:
        """Answer what a task asks."""
        found = await self._find(context, params.task_id)
        responses, waiting = params.input_responses, found.requests
        try:
            await answer(
                self._runs_for(context), found.run_id, waiting=waiting, responses=responses
            )
        except (ArcError, Problem) as error:
            raise _make_error(error) from None
        return {}

    async def wait(
        self, context: Context, params: mcp_types.GetTaskRequestParams
    ) -> dict[str, Any]:
        """Return the result of a task, once it has ended; meanwhile ask what it waits for."""
        found, runs = await self._find(context, params.task_id), self._runs_for(context)
        while found.state is not RunState.FINISHED:
            async with runs.get(found.run_id) as run:
                await self._calls.read(context, run, runs, after=found.last_seq or 0)
            found = await self._find(context, params.task_id)
            await await_decisions(found.requests, run_id=found.run_id, runs=runs)
        result = self._make_result(found)
        meta = {**result.get("_meta", {}), _RELATED: {"taskId": found.run_id}}
        return {**result, "_meta": meta}

    async def list(
        self, context: Context, params: mcp_types.PaginatedRequestParams
    ) -> dict[str, Any]:
        """Return the newest runs, for callers with the right to see records."""
        del params
        try:
            page = await self._runs_for(context).search(RunQuery())
        except ArcError as error:
            raise _make_error(error) from None
        return {"tasks": [self._describe(context, each) for each in page.runs]}

    def _runs_for(self, context: Context) -> Runs:
        return self._application.runs.for_caller(self._caller_for(context))

    async def _find(self, context: Context, task_id: str) -> RunSummary:
        try:
            return await self._runs_for(context).find(task_id)
        except ArcError as error:
            raise _make_error(error) from None

    def _describe(self, context: Context, found: RunSummary) -> dict[str, Any]:
        suffix = "Ms" if is_modern(context) else ""
        task: dict[str, Any] = {
            "taskId": found.run_id,
            "status": _get_status(found),
            "createdAt": found.since.isoformat(),
            "lastUpdatedAt": (found.finished_at or found.since).isoformat(),
            f"ttl{suffix}": None,
            f"pollInterval{suffix}": _POLL_MS,
        }
        if found.state is RunState.WAITING:
            task["statusMessage"] = self._application.tell_waiting(found.run_id, found.requests)
            if is_modern(context):
                task["inputRequests"] = self._make_requests(context, found)
        elif task["status"] == "completed" and is_modern(context):
            task["result"] = self._make_result(found)
        return task

    def _make_requests(self, context: Context, found: RunSummary) -> dict[str, Any]:
        runs, requests = self._runs_for(context), dict[str, Any]()
        for request in filter(runs.may_decide, found.requests):
            if (params := make_elicitation(request, context)) is not None:
                requests[request.key] = _dump(mcp_types.ElicitRequest(params=params))
        return requests

    def _make_result(self, found: RunSummary) -> dict[str, Any]:
        tell_waiting = self._application.tell_waiting
        return _dump(result_of_run(found.so_far, run_id=found.run_id, tell_waiting=tell_waiting))


def _get_status(found: RunSummary) -> mcp_types.TaskStatus:
    match found.state:
        case RunState.WAITING:
            return "input_required"
        case RunState.FINISHED:
            cancelled = found.error_code is AgentErrorCode.CANCELLED
            return "cancelled" if cancelled else "completed"
        case RunState.INCOMPATIBLE:
            return "failed"
    return "working"


def _dump(value: Any) -> dict[str, Any]:
    dumped: dict[str, Any] = value.model_dump(by_alias=True, mode="json", exclude_none=True)
    return dumped


def _make_error(error: Exception) -> MCPError:
    problem = get_problem(error)
    if isinstance(error, NotPermittedError):
        return MCPError(mcp_types.INVALID_REQUEST, problem.message)
    return MCPError(mcp_types.INVALID_PARAMS, problem.message)
