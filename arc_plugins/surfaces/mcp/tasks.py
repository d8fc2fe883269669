"""Runs as tasks: of the extension `io.modelcontextprotocol/tasks`, and of 2025-11-25.

A task is a run that was submitted; their ids are the same. A client of the extension that asks for
no progress gets a task for each call of an agent, and for a call of a tool that is a run and has no
result at once; one of 2025-11-25 asks for it, of agents.
"""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import mcp_types
from mcp import MCPError
from mcp.server import Server
from mcp.server.context import CallNext, HandlerResult
from mcp.shared.inbound import MCP_NAME_HEADER, decode_header_value
from pydantic import ValidationError

from arc_core import (
    AgentErrorCode,
    AgentResult,
    ArcError,
    AssistantMessage,
    NotPermittedError,
    Runs,
    RunState,
    RunSummary,
    ServedApplication,
    ToolResult,
    ToolResultMessage,
)
from arc_core.runs.store import RunQuery
from arc_core.serving import Problem, await_decisions, get_problem
from arc_plugins.surfaces.mcp.calls import (
    RUN_ID,
    CallMeta,
    Context,
    caller_for,
    find_agent,
    headers_in,
    result_of_call,
    result_of_run,
)
from arc_plugins.surfaces.mcp.elicitation import is_modern, make_elicitation
from arc_plugins.surfaces.mcp.run_calls import RunCalls, answer, make_command

EXTENSION = "io.modelcontextprotocol/tasks"
SUPPORT = mcp_types.ToolExecution(task_support="optional")

_RELATED = "io.modelcontextprotocol/related-task"
_POLL_MS = 1000

P = TypeVar("P", bound=mcp_types.RequestParams)
_Handler = Callable[[Context, P], Awaitable[dict[str, Any]]]


class _UpdateParams(mcp_types.RequestParams):
    task_id: str
    input_responses: dict[str, Any]


T = TypeVar("T", bound=mcp_types.GetTaskRequestParams | _UpdateParams)


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
    """The tasks of one application."""

    def __init__(self, application: ServedApplication, calls: RunCalls) -> None:
        self._application, self._calls = application, calls

    def install(self, server: Server[Any]) -> None:
        """Serve the methods of tasks."""
        server.extensions[EXTENSION] = {}
        server.middleware.append(self.watch)
        by_id = mcp_types.GetTaskRequestParams
        server.add_request_handler("tasks/get", by_id, _of_extension(self.get))
        server.add_request_handler("tasks/cancel", by_id, _of_extension(self.end))
        server.add_request_handler("tasks/update", _UpdateParams, _of_extension(self.update))
        server.add_request_handler("tasks/result", by_id, _of_earlier_versions(self.wait))
        by_page = mcp_types.PaginatedRequestParams
        server.add_request_handler("tasks/list", by_page, _of_earlier_versions(self.list))

    async def watch(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """Make tasks of the calls of 2025-11-25 that ask for it, as middleware of the SDK."""
        fields = ctx.params or {}
        if ctx.method != "tools/call" or is_modern(ctx) or not isinstance(fields.get("task"), dict):
            return await call_next(ctx)
        try:
            params = mcp_types.CallToolRequestParams.model_validate(dict(fields), by_name=False)
        except ValidationError:
            raise MCPError(mcp_types.INVALID_PARAMS, "Invalid request parameters") from None
        agent = find_agent(self._application, params.name, caller_for(ctx))
        if agent is None:
            message = f"Calls of {params.name[:100]!r} cannot become tasks."
            raise MCPError(mcp_types.METHOD_NOT_FOUND, message)
        return {"task": await self.begin(ctx, params, agent=agent)}

    def takes_task(self, context: Context, params: mcp_types.CallToolRequestParams) -> bool:
        """Return whether a call may have a task as its result."""
        reads_run = RUN_ID in (params.meta or {}) or "progress_token" in (context.meta or {})
        return is_modern(context) and _knows_tasks(context) and not reads_run

    async def make(self, context: Context, run_id: str) -> dict[str, Any]:
        """Return a run as the task that a call has as its result."""
        return {"resultType": "task", **self._describe(context, await self._find(context, run_id))}

    async def begin(
        self, context: Context, params: mcp_types.CallToolRequestParams, *, agent: str
    ) -> dict[str, Any]:
        """Submit a run, and return its task."""
        with _reporting_errors():
            command = make_command(params, CallMeta.of(context, params), agent=agent)
            runs = self._runs_for(context)
            return self._describe(context, await runs.find(await runs.submit(command)))

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
        runs, said = self._runs_for(context), params.input_responses
        with _reporting_errors():
            await answer(runs, found.run_id, waiting=found.requests, responses=said)
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
        with _reporting_errors():
            page = await self._runs_for(context).search(RunQuery())
        return {"tasks": [self._describe(context, each) for each in page.runs]}

    def _runs_for(self, context: Context) -> Runs:
        return self._application.runs.for_caller(caller_for(context))

    async def _find(self, context: Context, task_id: str) -> RunSummary:
        with _reporting_errors():
            return await self._runs_for(context).find(task_id)

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
        result, run_id = found.so_far, found.run_id
        if (called := _find_called(result)) is not None:
            return _dump(result_of_call(called, run_id=run_id))
        tell_waiting = self._application.tell_waiting
        return _dump(result_of_run(result, run_id=run_id, tell_waiting=tell_waiting))


def _find_called(result: AgentResult[Any]) -> ToolResult | None:
    """Return the result of the tool if that is all that the run was; None of an agent's."""
    match result.messages:
        case [AssistantMessage(), ToolResultMessage(results=[called]), *_]:
            return called
    return None


def _knows_tasks(context: Context) -> bool:
    """Return whether the client has the extension."""
    capabilities = context.session.client_capabilities
    return EXTENSION in ((None if capabilities is None else capabilities.extensions) or {})


def _of_extension(handler: _Handler[T]) -> _Handler[T]:
    """Return a handler that refuses clients which do not say that they know the extension."""

    async def handle(context: Context, params: T) -> dict[str, Any]:
        if is_modern(context):
            _check_extension(context)
            _check_header(context, params.task_id)
        return await handler(context, params)

    return handle


def _check_extension(context: Context) -> None:
    if not _knows_tasks(context):
        needed = mcp_types.ClientCapabilities(extensions={EXTENSION: {}})
        data = mcp_types.MissingRequiredClientCapabilityErrorData(required_capabilities=needed)
        message = f"Only clients that have the extension {EXTENSION} have tasks."
        raise MCPError(mcp_types.MISSING_REQUIRED_CLIENT_CAPABILITY, message, data=_dump(data))


def _check_header(context: Context, task_id: str) -> None:
    """Refuse a request that a balancer would take for one of another task."""
    named = headers_in(context).get(MCP_NAME_HEADER)
    if named is not None and decode_header_value(named) != task_id:
        message = f"The header {MCP_NAME_HEADER} names another task than taskId."
        raise MCPError(mcp_types.HEADER_MISMATCH, message)


def _of_earlier_versions(handler: _Handler[P]) -> _Handler[P]:
    """Return a handler of a method that there is only before 2026-07-28."""

    async def handle(context: Context, params: P) -> dict[str, Any]:
        if is_modern(context):
            raise MCPError(mcp_types.METHOD_NOT_FOUND, "Method not found")
        return await handler(context, params)

    return handle


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


@contextmanager
def _reporting_errors() -> Iterator[None]:
    """Report what is raised inside as an error of the protocol."""
    try:
        yield
    except (ArcError, Problem) as error:
        is_refused = isinstance(error, NotPermittedError)
        code = mcp_types.INVALID_REQUEST if is_refused else mcp_types.INVALID_PARAMS
        raise MCPError(code, get_problem(error).message) from None
