"""The agents and tools of an application, as tools of an MCP server."""

from collections.abc import Mapping
from contextlib import aclosing
from importlib.metadata import version
from typing import Any
from uuid import uuid4

import mcp_types
from mcp import MCPError
from mcp.server import Server, ServerRequestContext

from arc_core import (
    AgentCommand,
    ArcError,
    Caller,
    Logger,
    RunFinished,
    RunHandle,
    ServedAgent,
    ServedApplication,
    ServedCall,
    TextDelta,
    ToolCallProgress,
    UnknownRunError,
)
from arc_core.serving import Problem, caller_of, get_problem
from arc_plugins.surfaces.mcp.calls import (
    CallMeta,
    Progress,
    result_of_call,
    result_of_run,
    text_result,
)
from arc_plugins.surfaces.mcp.cancelled_calls import CancelledCalls

_PREFIX = "ask_"
_INSTRUCTIONS = (
    "Each tool ask_… gives a task to an agent. A result has the id of its run as arc/run_id in "
    "_meta; a call with that id there reads this run instead of beginning another one."
)
_LOCAL = Caller(name="local")

Context = ServerRequestContext[Any, Any]


def make_server(application: ServedApplication, *, logger: Logger) -> Server[Any]:
    """An MCP server, for any transport."""
    offer = Offer(application, logger=logger)
    server: Server[Any] = Server(
        "arc",
        version=version("arc-agents"),
        instructions=_INSTRUCTIONS,
        on_list_tools=offer.list,
        on_call_tool=offer.call,
    )
    server.middleware.append(offer.cancelled.watch)
    return server


class Offer:
    """Lists tools, and calls them."""

    def __init__(self, application: ServedApplication, *, logger: Logger) -> None:
        self._application, self._logger = application, logger
        self.cancelled = CancelledCalls(application.runs, caller_for=_caller_for)

    async def list(
        self, context: Context, _: mcp_types.PaginatedRequestParams | None
    ) -> mcp_types.ListToolsResult:
        """A tool for each agent, then the tools of the application, but for those of its names."""
        caller = _caller_for(context)
        tools = [_make_tool(agent) for agent in self._application.agents(caller)]
        taken = {tool.name for tool in tools}
        tools += [
            mcp_types.Tool(
                name=each.name,
                description=each.description,
                input_schema=dict(each.parameters),
            )
            for each in self._application.tools.list_for(caller)
            if each.name not in taken
        ]
        return mcp_types.ListToolsResult(tools=tools)

    async def call(
        self, context: Context, params: mcp_types.CallToolRequestParams
    ) -> mcp_types.CallToolResult:
        """Ask an agent, or call a tool."""
        try:
            return await self._call(context, params)
        except (Problem, ArcError, OSError) as error:
            return text_result(get_problem(error).message, is_error=True)
        except MCPError:
            raise
        except Exception as error:
            self._logger.exception("a call by MCP failed", tool=params.name)
            raise MCPError(mcp_types.INTERNAL_ERROR, get_problem(error).message) from None

    async def _call(
        self, context: Context, params: mcp_types.CallToolRequestParams
    ) -> mcp_types.CallToolResult:
        headers = {} if context.request is None else context.request.headers
        caller, meta = _caller_for(context), CallMeta.of(params.meta, headers)
        arguments = params.arguments or {}
        agents = {_PREFIX + each.name: each.name for each in self._application.agents(caller)}
        if params.name in agents:
            agent = agents[params.name]
            return await self._ask(context, agent, arguments, meta=meta, caller=caller)
        if all(each.name != params.name for each in self._application.tools.list_for(caller)):
            raise MCPError(mcp_types.INVALID_PARAMS, f"There is no tool {params.name[:100]!r}.")
        async with Progress(context).reports() as report:
            call = ServedCall(
                tool=params.name,
                arguments=arguments,
                user_id=meta.user_id,
                session_id=meta.session_id,
                tenant_id=meta.tenant_id,
                report=report,
            )
            return result_of_call(await self._application.tools.call(call, caller=caller))

    async def _ask(
        self,
        context: Context,
        agent: str,
        arguments: Mapping[str, Any],
        *,
        meta: CallMeta,
        caller: Caller,
    ) -> mcp_types.CallToolResult:
        runs = self._application.runs.for_caller(caller)
        if meta.run_id is not None:
            found = await runs.find(meta.run_id)
            if found.agent != agent:
                raise UnknownRunError(meta.run_id)
            async with runs.get(meta.run_id) as run:
                return await self._read(run, Progress(context), after=meta.after)
        task = arguments.get("task")
        if not isinstance(task, str) or len(arguments) > 1:
            raise Problem(422, "invalid_request", "The only argument is a text, `task`.", "task")
        command = AgentCommand(
            user_prompt=task,
            agent=agent,
            user_id=meta.user_id,
            session_id=meta.session_id,
            tenant_id=meta.tenant_id,
        )
        run_id = str(uuid4())
        with self.cancelled.noting(context, run_id):
            async with runs.begin(command, run_id=run_id) as run:
                return await self._read(run, Progress(context), after=0)

    async def _read(
        self, run: RunHandle, progress: Progress, *, after: int
    ) -> mcp_types.CallToolResult:
        """Read a run to its end, or to where it waits; the pieces of its text are progress."""
        result = None
        await progress.tell(after, run_id=run.id)
        async with aclosing(run.events(after=after)) as events:
            async for event in events:
                if event.run_id != run.id:
                    continue
                match event:
                    case RunFinished():
                        result = event.result
                    case TextDelta(text=text) | ToolCallProgress(message=text):
                        await progress.tell(event.seq, text, run_id=run.id)
        if result is None:  # the client has its end already
            result = await run.result()
        tell_waiting = self._application.tell_waiting
        return result_of_run(result, run_id=run.id, tell_waiting=tell_waiting)


def _make_tool(agent: ServedAgent) -> mcp_types.Tool:
    schema = {
        "type": "object",
        "properties": {
            "task": {
                "type": "string",
                "description": "What it is to do, with all it needs to know: it sees nothing of "
                "this conversation.",
            }
        },
        "required": ["task"],
        "additionalProperties": False,
    }
    description = agent.description or f"Asks the agent {agent.name}."
    return mcp_types.Tool(name=_PREFIX + agent.name, description=description, input_schema=schema)


def _caller_for(context: Context) -> Caller:
    """Return the caller; over standard input it is the program that has started this one."""
    return _LOCAL if context.request is None else caller_of(context.request)
