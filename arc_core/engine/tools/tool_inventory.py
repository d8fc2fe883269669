"""The tools there are at the moment of a run, unique by name, and an agent's view of them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import chain
from operator import is_

from arc_core.agents.agent import Agent
from arc_core.agents.tools import AgentTool, HandoffTool
from arc_core.components.text_lists import check_list
from arc_core.engine.boundary import policies
from arc_core.engine.boundary.boundary import Boundary, Failed
from arc_core.errors import ConfigurationError
from arc_core.interfaces.optional import QualifiesTools
from arc_core.interfaces.tools.tool import Tool, ToolSource
from arc_core.interfaces.tools.user_tool_source import UserToolSource
from arc_core.log import get_logger
from arc_core.text.names import nearest

logger = get_logger("tools")


@dataclass(frozen=True, slots=True)
class Inventory:
    """The tools of one moment.

    Attributes:
        local: Registered by the program itself, or marked as always offered.
        selectable: The others by name, those of sources last.
        by_place: Those whose name another tool has; an agent gets one by naming its place, as in
            `mcp:bank/find`.
    """

    local: tuple[Tool, ...]
    selectable: Mapping[str, Tool]
    by_place: tuple[Tool, ...] = ()

    @property
    def tools(self) -> tuple[Tool, ...]:
        """All of them but those by place, local ones first."""
        return (*self.local, *self.selectable.values())


def is_in_every_run(tool: object) -> bool:
    """Return True if a tool is marked to be offered by every run."""
    return getattr(tool, "always_offered", False) is True


def find_instructions(tools: Iterable[Tool]) -> Sequence[str]:
    """Return the texts on the use of some tools, each once."""
    found = dict[str, None]()
    for tool in tools:  # in each run, where generators would cost a call for each tool
        text: object = getattr(tool, "source_instructions", "")
        if isinstance(text, str) and text:
            found[text] = None
    return tuple(found)


class ToolInventory:
    """Puts local tools first, then those of plugins, then those of sources.

    Of two with one name the first wins, and one warning names it. One that its source says to have
    a name of another's, `is_shadowed`, has lost already.

    Args:
        contributed: All there are; what has the methods of both is a tool.

    Attributes:
        sources: Those of `contributed` that bring tools.
        user_sources: Those of them that list tools for users, who may have to log in first.
    """

    def __init__(
        self, contributed: Sequence[Tool | ToolSource], *, local: Sequence[Tool], boundary: Boundary
    ) -> None:
        self._boundary = boundary
        self._local = tuple(local)
        self._dropped: set[str] = set()
        sources: list[ToolSource] = []
        fixed: list[Tool] = []
        for each in contributed:
            if isinstance(each, Tool):
                fixed.append(each)
            else:
                sources.append(each)
        self.sources = tuple(sources)
        self.user_sources = [each for each in sources if isinstance(each, UserToolSource)]
        ordered = sorted(fixed, key=lambda tool: not self._is_local(tool))
        self._fixed = tuple(ordered)
        self._brought: list[Sequence[Tool]] = []
        self._inventory = self._arrange(self._fixed)

    def find_user_places(self) -> Sequence[tuple[UserToolSource, str]]:
        """Return the places whose tools are listed for users, each behind its source."""
        return [
            (source, qualifier)
            for source in self.user_sources
            for qualifier in source.user_qualifiers
        ]

    def collect(self) -> Inventory:
        """Return the tools of this moment; worked out anew only when a source has changed."""
        if not self.sources:
            return self._inventory
        read = [
            self._boundary.call_now(policies.TOOL_SOURCE, source, source.tools)
            for source in self.sources
        ]
        brought = [() if isinstance(tools, Failed) else tools for tools in read]
        is_known = len(brought) == len(self._brought) and all(map(is_, brought, self._brought))
        if not is_known:
            self._brought = brought
            from_sources = [
                tool
                for source, tools in zip(self.sources, brought, strict=True)
                for tool in self.drop_unusable(source, tools)
            ]
            self._inventory = self._arrange((*self._fixed, *from_sources))
        return self._inventory

    def collect_with(self, user_tools: Iterable[Sequence[Tool]]) -> Inventory:
        """Return the same, with lists of tools behind that are for the user of one run alone."""
        known = self.collect()
        return self._arrange((*known.tools, *known.by_place, *chain.from_iterable(user_tools)))

    def _arrange(self, tools: Iterable[Tool]) -> Inventory:
        unique: dict[str, Tool] = {}
        by_place: list[Tool] = []
        for tool in tools:
            is_shadowed = getattr(tool, "is_shadowed", False) is True
            if not is_shadowed and unique.setdefault(tool.name, tool) is tool:
                continue
            if not is_shadowed and tool.name not in self._dropped:
                logger.warning("a second tool of the same name is dropped", tool=tool.name)
                self._dropped.add(tool.name)
            if getattr(tool, "qualified_name", ""):
                by_place.append(tool)
        local = [each for each in unique.values() if self._is_local(each) or is_in_every_run(each)]
        names = {tool.name for tool in local}
        return Inventory(
            local=tuple(local),
            selectable={name: tool for name, tool in unique.items() if name not in names},
            by_place=tuple(by_place),
        )

    def _is_local(self, tool: Tool) -> bool:
        return any(tool is each for each in self._local)

    def drop_unusable(self, source: object, tools: Sequence[object]) -> Sequence[Tool]:
        """Return the tools of a source; whatever else is in its list costs itself alone."""
        usable: list[Tool] = []
        for tool in tools:
            if isinstance(tool, Tool) and isinstance(tool.name, str):
                usable.append(tool)
            else:
                problem = TypeError(f"a {type(tool).__name__} was listed as a tool")
                self._boundary.report(policies.TOOL_SOURCE, source, problem)
        return usable


_WILDCARDS = "*?["
_LOGGED = 10


class AgentTools:
    """One agent's view of the inventory."""

    def __init__(self, agent: Agent, descriptions: Mapping[str, str] | None = None) -> None:
        self._agent = agent
        texts = descriptions or {}
        delegates = [AgentTool(each, description=texts.get(each, "")) for each in agent.delegates]
        own_handoffs = {
            tool.agent_name for tool in agent.own_tools if isinstance(tool, HandoffTool)
        }
        handoffs = [
            HandoffTool(each, description=texts.get(each, ""))
            for each in agent.handoffs
            if each not in own_handoffs
        ]
        own: tuple[Tool, ...] = (*agent.own_tools, *delegates, *handoffs)
        self._own = {tool.name: tool for tool in own}
        self._seen: tuple[Inventory, Inventory] | None = None

    def among(self, inventory: Inventory) -> Inventory:
        """The agent's own tools, always offered, and the wired ones that it names."""
        if self._seen is None or self._seen[0] is not inventory:
            chosen, local = self._choose(inventory), set(map(id, inventory.local))
            view = Inventory(
                local=(*self._own.values(), *(each for each in chosen if id(each) in local)),
                selectable={each.name: each for each in chosen if id(each) not in local},
            )
            self._seen = inventory, view
        return self._seen[1]

    def _choose(self, inventory: Inventory) -> list[Tool]:
        """The wired tools that the agent names, in the order of the inventory.

        Of two with one name it gets the one that it names first.
        """
        names = self._agent.tool_names
        if names is None:
            return [tool for tool in inventory.tools if tool.name not in self._own]
        every = [*inventory.tools, *inventory.by_place]
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
    come; so may one that a pattern fits, as `mcp:*`.

    Raises:
        ConfigurationError: There is no such tool; says which was meant.
    """
    wired = (*inventory.tools, *inventory.by_place)
    qualifiers = [each for source in sources for each in _read_qualifiers(source)]
    for name in agent.tool_names or ():
        is_there = any(_matches(tool, name) for tool in wired)
        may_come = any(may_name([name], each) for each in qualifiers)
        if not is_there and not may_come:
            known = [*(tool.name for tool in wired), *qualifiers]
            raise _unknown_tool(agent, name, known=known)


def _matches(tool: Tool, name: str) -> bool:
    qualified: str = getattr(tool, "qualified_name", "")
    if not any(sign in name for sign in _WILDCARDS):
        return name in {tool.name, qualified}
    return fnmatchcase(tool.name, name) or fnmatchcase(qualified, name)


def may_name(names: Iterable[str], qualifier: str) -> bool:
    """Return True if one of the names of an agent is, or may be, of a tool with this qualifier."""
    return any(_may_begin(name, qualifier) for name in names)


def _may_begin(name: str, qualifier: str) -> bool:
    begin = next((name[:place] for place, sign in enumerate(name) if sign in _WILDCARDS), None)
    return name.startswith(qualifier) or (begin is not None and qualifier.startswith(begin))


def _read_qualifiers(source: ToolSource) -> Sequence[str]:
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
