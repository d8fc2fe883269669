"""The tools that an application knows of, for those who decide about their calls."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from arc_autoconfig.containment import Contained
from arc_core.agent import Agent
from arc_core.engine.turns.tool_arguments import parse_arguments
from arc_core.errors import ToolArgumentsError
from arc_core.interfaces.tool import Tool
from arc_core.interfaces.tool_source import ToolSource

__all__ = ["KnownTools"]


class KnownTools:
    """Checks arguments as the engine does before it calls a tool.

    Args:
        tools: Those that are wired, and what brings tools.
        agents: May have tools of their own.
    """

    def __init__(self, tools: Iterable[Tool | ToolSource], agents: Iterable[Agent]) -> None:
        self._wired = tuple(tools)
        self._own = tuple(tool for agent in agents for tool in agent.own_tools)

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
