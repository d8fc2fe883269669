"""The agents and tools of an application, as tools of an MCP server."""

from importlib.metadata import version
from typing import Any, cast

import mcp_types
from mcp import MCPError
from mcp.server import Server

from arc_core import ArcError, Logger, ServedAgent, ServedApplication, ServedCall, UnknownRunError
from arc_core.serving import Problem, get_problem
from arc_plugins.surfaces.mcp.calls import (
    PREFIX,
    CallMeta,
    CancelledCalls,
    Context,
    Progress,
    Result,
    caller_for,
    find_agent,
    result_of_call,
    text_result,
)
from arc_plugins.surfaces.mcp.run_calls import RunCalls
from arc_plugins.surfaces.mcp.tasks import SUPPORT, RunTasks, ServerWithTasks

_INSTRUCTIONS = (
    "Each tool ask_… gives a task to an agent. A result has the id of its run as arc/run_id in "
    "_meta; a call with that id there reads this run instead of beginning another one."
)


def make_server(application: ServedApplication, *, logger: Logger) -> Server[Any]:
    """An MCP server, for any transport."""
    offer = Offer(application, logger=logger)
    server = ServerWithTasks(
        "arc",
        version=version("arc-agents"),
        instructions=_INSTRUCTIONS,
        on_list_tools=offer.list,
        on_call_tool=offer.call,
    )
    server.middleware.append(offer.cancelled.watch)
    offer.tasks.install(server)
    return server


class Offer:
    """Lists tools, and calls them."""

    def __init__(self, application: ServedApplication, *, logger: Logger) -> None:
        self._application, self._logger = application, logger
        self.cancelled = CancelledCalls(application.runs)
        self._calls = RunCalls(application, self.cancelled)
        self.tasks = RunTasks(application, self._calls)

    async def list(
        self, context: Context, _: mcp_types.PaginatedRequestParams | None
    ) -> mcp_types.ListToolsResult:
        """A tool for each agent, then the tools of the application, but for those of its names."""
        caller = caller_for(context)
        tools = [_make_tool(agent) for agent in self._application.agents(caller)]
        taken = {tool.name for tool in tools}
        tools += [
            mcp_types.Tool(
                name=each.name, description=each.description, input_schema=dict(each.parameters)
            )
            for each in self._application.tools.list_for(caller)
            if each.name not in taken
        ]
        return mcp_types.ListToolsResult(tools=tools)

    async def call(self, context: Context, params: mcp_types.CallToolRequestParams) -> Result:
        """Ask an agent, or call a tool."""
        try:
            return await self._call(context, params)
        except (Problem, ArcError, OSError) as error:
            message = get_problem(error).message
            if isinstance(error, UnknownRunError) and params.request_state is not None:
                raise MCPError(mcp_types.INVALID_PARAMS, message) from None
            return text_result(message, is_error=True)
        except MCPError:
            raise
        except Exception as error:
            self._logger.exception("a call by MCP failed", tool=params.name)
            raise MCPError(mcp_types.INTERNAL_ERROR, get_problem(error).message) from None

    async def _call(self, context: Context, params: mcp_types.CallToolRequestParams) -> Result:
        caller, takes_task = caller_for(context), self.tasks.takes_task(context, params)
        agent = find_agent(self._application, params.name, caller)
        if agent is not None and takes_task and params.request_state is None:
            task = await self.tasks.begin(context, params, agent=agent)
            return cast("Result", {"resultType": "task", **task})  # of the extension
        tools = () if agent is not None else self._application.tools.list_for(caller)
        tool = next((each for each in tools if each.name == params.name), None)
        if agent is None and tool is None:
            raise MCPError(mcp_types.INVALID_PARAMS, f"There is no tool {params.name[:100]!r}.")
        if tool is None or tool.may_wait:
            may_leave = tool is not None and takes_task
            found = await self._calls.ask(context, params, agent=agent, may_leave=may_leave)
            if isinstance(found, str):  # a run that takes longer
                return cast("Result", await self.tasks.make(context, found))  # of the extension
            return found
        meta = CallMeta.of(context, params)
        async with Progress(context).reports() as report:
            call = ServedCall(
                tool=params.name,
                arguments=params.arguments or {},
                report=report,
                **meta.as_fields(),
            )
            return result_of_call(await self._application.tools.call(call, caller=caller))


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
    return mcp_types.Tool(
        name=PREFIX + agent.name, description=description, input_schema=schema, execution=SUPPORT
    )
