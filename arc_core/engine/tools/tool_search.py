"""The search by which a model finds tools, in the place of being offered a choice of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arc_core.engine.boundary import policies
from arc_core.engine.boundary.boundary import Boundary, Failed
from arc_core.engine.tools.tool_inventory import Inventory, is_in_every_run
from arc_core.errors import ToolRetry
from arc_core.interfaces.tools.tool import Tool, ToolContext
from arc_core.interfaces.tools.tool_selector import SearchesTools
from arc_core.log import get_logger
from arc_core.tools.use_tool import FIND_TOOLS, USE_TOOL, UseTool

logger = get_logger("tools")

_OWN_NAMES = {FIND_TOOLS, USE_TOOL}
_NEVER_S = 86_400.0  # the selector has a time-out of its own
_NOTHING_FOUND = "No tool fits these words. Try others, in the language of the tools."
_NO_SEARCH = "Tools cannot be searched now. Those whose names are known can be called all the same."


class FindTools(Tool):
    """Answers with the tools that fit a query, and all that a call of them needs."""

    name, timeout_s = FIND_TOOLS, _NEVER_S
    description = (
        "Finds tools by words: what they do, or what they work on. Returns the names, descriptions "
        f"and parameters of those that fit best, which {USE_TOOL} calls."
    )
    parameters: Mapping[str, Any] = {
        "type": "object",
        "properties": {"query": {"type": "string", "description": "As in: send an invoice"}},
        "required": ["query"],
        "additionalProperties": False,
    }

    def __init__(
        self, tools: Sequence[Tool], *, selector: SearchesTools, boundary: Boundary
    ) -> None:
        self._tools, self._selector, self._boundary = tuple(tools), selector, boundary

    async def call(self, arguments: Mapping[str, Any], context: ToolContext) -> object:
        """Return the definitions of the tools that fit, best first.

        Raises:
            ToolRetry: The selector cannot be asked.
        """
        query: str = arguments["query"]
        found = await self._boundary.call(
            policies.TOOL_SEARCH, self._selector, lambda: self._find(query)
        )
        if isinstance(found, Failed):
            raise ToolRetry(_NO_SEARCH)
        return found or _NOTHING_FOUND

    async def _find(self, query: str) -> Sequence[Mapping[str, Any]]:
        found = await self._selector.find(query, self._tools)
        known = {id(tool) for tool in self._tools}
        return [
            {
                "name": tool.name,
                "description": tool.description,
                "parameters": dict(tool.parameters),
            }
            for tool in found
            if id(tool) in known
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchedTools:
    """The tools of an agent, as a search divides them.

    Attributes:
        find: Finds those that are not offered.
        always: Those that are marked to be offered.
    """

    inventory: Inventory
    use: UseTool
    find: FindTools
    always: tuple[Tool, ...]

    def offer(self, choice: str | None) -> tuple[Tool, ...]:
        """Return the tools of a request, the most important first; one that is demanded, too."""
        demanded = None if choice is None else self.use.tools.get(choice)
        more = () if demanded is None or demanded in self.always else (demanded,)
        return (self.use, self.find, *more, *self.always)


class ToolSearch:
    """Divides the tools of agents, once for as long as there are no others."""

    def __init__(self, selector: SearchesTools, *, boundary: Boundary) -> None:
        self._selector, self._boundary = selector, boundary
        self._of_agents: dict[str | None, SearchedTools] = {}

    async def prepare(self, agent: str | None, inventory: Inventory) -> SearchedTools | None:
        """Return the tools of an agent for a new run; None if all are to be offered."""
        known = self._of_agents.get(agent)
        if known is not None and known.inventory is inventory:
            return known
        hidden = [tool for tool in _list_tools(inventory) if not is_in_every_run(tool)]
        if not hidden:
            return None
        if taken := _OWN_NAMES & {tool.name for tool in _join(inventory)}:
            logger.warning("tools with the names of the search are left out", tools=sorted(taken))
        catalogue = await self._boundary.call(
            policies.TOOL_CATALOGUE, self._selector, lambda: self._selector.write_catalogue(hidden)
        )
        if isinstance(catalogue, Failed):
            logger.warning("all tools are offered")
            return None
        self._of_agents[agent] = self.divide(inventory, catalogue=catalogue)
        return self._of_agents[agent]

    def divide(self, inventory: Inventory, *, catalogue: str = "") -> SearchedTools:
        """Return all tools as a search divides them; what has the name of its own is left out."""
        every = _list_tools(inventory)
        hidden = [tool for tool in every if not is_in_every_run(tool)]
        return SearchedTools(
            inventory=inventory,
            use=UseTool({tool.name: tool for tool in every}, catalogue=catalogue),
            find=FindTools(hidden, selector=self._selector, boundary=self._boundary),
            always=tuple(tool for tool in every if is_in_every_run(tool)),
        )


def _list_tools(inventory: Inventory) -> list[Tool]:
    return [tool for tool in _join(inventory) if tool.name not in _OWN_NAMES]


def _join(inventory: Inventory) -> tuple[Tool, ...]:
    return (*inventory.local, *inventory.selectable.values())
