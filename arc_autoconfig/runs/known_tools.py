"""The tools and agents of an application, for those who decide about calls."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from arc_autoconfig.containment import Contained
from arc_core.agents.agent import DEFAULT_AGENT, Agent
from arc_core.agents.tools import ask_name, transfer_name
from arc_core.approvals import ApprovalRequest
from arc_core.engine.agents.agent_profiles import every_agent
from arc_core.engine.tool_calls.tool_arguments import parse_arguments
from arc_core.errors import ToolArgumentsError
from arc_core.interfaces.tools.tool import Tool, ToolSource

__all__ = ["KnownTools"]


class KnownTools:
    """Knows what calls that wait need, and checks arguments as the engine does.

    Args:
        tools: Those that are wired, and what brings tools.
        agents: May have tools of their own.
    """

    def __init__(self, tools: Iterable[Tool | ToolSource], agents: Iterable[Agent]) -> None:
        self._wired = tuple(tools)
        agents = every_agent(tuple(agents), self._wired)
        self._own = tuple(tool for agent in agents for tool in agent.own_tools)
        self._agents = {DEFAULT_AGENT, *(agent.name for agent in agents)}
        self._asking = {ask_name(name) for agent in agents for name in agent.delegates}
        self._asking |= {transfer_name(name) for agent in agents for name in agent.handoffs}

    def find_missing_agent(self, names: Iterable[str]) -> str:
        """Name the first agent that is not there; empty if all are."""
        return next(
            (f"its agent {name!r} is not there" for name in names if name not in self._agents), ""
        )

    async def find_obstacle(
        self, request: ApprovalRequest, changed: Mapping[str, Any] | None = None
    ) -> str:
        """Say why a call cannot be made if it is approved; empty if it can.

        Args:
            request: What is asked of a person.
            changed: What they have written in the place of its arguments, which is checked before.
        """
        name = request.tool
        if name in self._asking:
            return ""
        if not any(True for _ in self._find(name)):
            return f"the tool {name!r} is not there"
        if changed is not None or not request.is_checked:
            return ""
        problems = await self.problems(name, request.arguments)
        if not problems:
            return ""
        return f"the tool {name!r} does not take the arguments any more: {'; '.join(problems)}"

    async def problems(self, name: str, arguments: Mapping[str, Any]) -> Sequence[str]:
        """What in the arguments does not fit a tool; nothing if it is not known now.

        Several tools of a name, as agents may have them, are fit by what fits one of them.
        """
        problems: Sequence[str] = ()
        text = json.dumps(dict(arguments))
        for tool in self._find(name):
            with Contained() as attempt:
                await parse_arguments(tool, text)
            if not isinstance(attempt.error, ToolArgumentsError):
                return ()  # it fits, or the engine has to see
            problems = problems or attempt.error.problems
        return problems

    def _find(self, name: str) -> Iterator[Tool]:
        for each in (*self._own, *self._wired):
            if isinstance(each, Tool):
                tools: Sequence[Tool] = (each,)
            else:
                tools = ()
                with Contained():  # a source that fails has no tools
                    tools = each.tools()
            yield from (tool for tool in tools if tool.name == name)
