"""Which tools an agent may call: its own, and those of the wired ones that it names."""

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase

from arc_core.agents.agent import Agent
from arc_core.agents.tools import AgentTool, HandoffTool
from arc_core.components.text_lists import check_list
from arc_core.engine.tools.tool_inventory import Inventory
from arc_core.errors import ConfigurationError
from arc_core.interfaces.optional import QualifiesTools
from arc_core.interfaces.tool import Tool
from arc_core.interfaces.tool_source import ToolSource
from arc_core.log import get_logger
from arc_core.text.near_names import nearest

__all__ = ["AgentTools", "check_tools"]

logger = get_logger("tools")

_WILDCARDS = "*?["
_LOGGED = 10


class AgentTools:
    """What one agent sees of the inventory.

    Args:
        agent: Whose tools they are.
        descriptions: Of all agents, by their names.
    """

    def __init__(self, agent: Agent, descriptions: Mapping[str, str] | None = None) -> None:
        self._agent = agent
        told = descriptions or {}
        delegates = [AgentTool(each, description=told.get(each, "")) for each in agent.delegates]
        handoffs = [
            HandoffTool(each, description=told.get(each, ""))
            for each in agent.handoffs
            if not any(_hands_over_to(tool, each) for tool in agent.own_tools)
        ]
        own: tuple[Tool, ...] = (*agent.own_tools, *delegates, *handoffs)
        self._own = {tool.name: tool for tool in own}
        self._seen: tuple[Inventory, Inventory] | None = None

    def among(self, inventory: Inventory) -> Inventory:
        """The agent's own tools, always offered, and the wired ones that it names."""
        if self._seen is None or self._seen[0] is not inventory:
            self._seen = inventory, self._view(inventory)
        return self._seen[1]

    def _view(self, inventory: Inventory) -> Inventory:
        chosen, local = self._choose(inventory), set(map(id, inventory.local))
        return Inventory(
            local=(*self._own.values(), *(each for each in chosen if id(each) in local)),
            selectable={each.name: each for each in chosen if id(each) not in local},
        )

    def _choose(self, inventory: Inventory) -> list[Tool]:
        """The wired tools that the agent names, in the order of the inventory.

        Of two with one name it gets the one that it names first.
        """
        wired = [*inventory.local, *inventory.selectable.values()]
        names = self._agent.tool_names
        if names is None:
            return [tool for tool in wired if tool.name not in self._own]
        every = [*wired, *inventory.by_place]
        chosen: dict[str, Tool] = {}
        for name in names:
            named = [tool for tool in every if _matches(tool, name) and tool.name not in self._own]
            taken = [tool for tool in named if chosen.setdefault(tool.name, tool) is not tool]
            if taken and len(taken) == len(named):
                self._warn_taken(name, taken)
        return [tool for tool in every if chosen.get(tool.name) is tool]

    def _warn_taken(self, name: str, tools: Sequence[Tool]) -> None:
        names = sorted({tool.name for tool in tools})[:_LOGGED]
        logger.warning(
            "what an agent names adds no tool: tools of these names are named before it",
            agent=self._agent.name,
            named=name,
            tools=names,
        )


def check_tools(agent: Agent, inventory: Inventory, sources: Sequence[ToolSource]) -> None:
    """Check that what an agent names exists.

    A tool of a source that is asked for with the source's qualifier, as `mcp:shop/find`, may still
    come.

    Args:
        agent: Whose tools are checked.
        inventory: What there is now.
        sources: Where others may come from.

    Raises:
        ConfigurationError: There is no such tool; says which was meant.
    """
    wired = (*inventory.local, *inventory.selectable.values(), *inventory.by_place)
    qualifiers = [each for source in sources for each in _qualifiers_of(source)]
    for name in agent.tool_names or ():
        is_there = any(_matches(tool, name) for tool in wired)
        if not is_there and not name.startswith(tuple(qualifiers)):
            known = [*(tool.name for tool in wired), *qualifiers]
            raise _unknown_tool(agent, name, known=known)


def _hands_over_to(tool: Tool, agent: str) -> bool:
    return isinstance(tool, HandoffTool) and tool.agent_name == agent


def _matches(tool: Tool, name: str) -> bool:
    qualified: str = getattr(tool, "qualified_name", "")
    if not any(sign in name for sign in _WILDCARDS):
        return name in {tool.name, qualified}
    return fnmatchcase(tool.name, name) or fnmatchcase(qualified, name)


def _qualifiers_of(source: ToolSource) -> Sequence[str]:
    if not isinstance(source, QualifiesTools):
        return ()
    check_list(source.qualifiers, what=f"`qualifiers` of {type(source).__qualname__}")
    return source.qualifiers


def _unknown_tool(agent: Agent, name: str, *, known: Sequence[str]) -> ConfigurationError:
    meant = nearest(name, known)
    fits = "which fits none" if any(sign in name for sign in _WILDCARDS) else "which does not exist"
    return ConfigurationError(
        f"the agent {agent.name!r} names the tool {name!r}, {fits}",
        evidence=[f"known tools: {', '.join(sorted(known)) or 'none'}"],
        remedy=f"write {meant!r}" if meant else "register the tool, or install what brings it",
    )
