"""The tools of an application, for callers with a key."""

import json
from collections.abc import Sequence
from uuid import uuid4

from arc_core.command import AgentCommand
from arc_core.interfaces.agent_executor import AgentExecutor, CallsTools
from arc_core.interfaces.serving.served_application import ServedCall, ServedTool, ServedTools
from arc_core.log import get_logger
from arc_core.messages import ToolCall, ToolOutcome, ToolResult
from arc_core.runs.callers import Caller
from arc_core.runs.permissions import tenant_for, user_for

logger = get_logger("server")


class ApplicationTools(ServedTools):
    """Called by the engine, if that can.

    Args:
        executor: The engine; none of its tools are offered if it is not a `CallsTools`.
    """

    def __init__(self, executor: AgentExecutor) -> None:
        self._engine = executor if isinstance(executor, CallsTools) else None
        if self._engine is None:
            logger.warning(
                "tools are not offered to callers, only agents: the agent executor calls none",
                agent_executor=type(executor).__qualname__,
                remedy="give it callable_tools() and call_tool(), as CallsTools has them",
            )

    def list_for(self, caller: Caller) -> Sequence[ServedTool]:
        """The tools that there are at this moment; none for a key that is for some agents."""
        if self._engine is None or caller.agents is not None:
            return ()
        return [
            ServedTool(name=tool.name, description=tool.description, parameters=tool.parameters)
            for tool in self._engine.callable_tools()
        ]

    async def call(self, call: ServedCall, *, caller: Caller) -> ToolResult:
        """Call a tool; failures are results."""
        command = AgentCommand(
            user_prompt="",
            user_id=user_for(call.user_id, caller),
            tenant_id=tenant_for(call.tenant_id, caller),
            session_id=call.session_id,
        )
        made = ToolCall(str(uuid4()), call.tool, json.dumps(dict(call.arguments)))
        if self._engine is None or caller.agents is not None:
            text = f"Error: Tool '{call.tool}' not found"
            return ToolResult(made.id, made.name, text, ToolOutcome.NOT_FOUND)
        return await self._engine.call_tool(made, command, report=call.report)
