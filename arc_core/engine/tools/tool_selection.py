"""The tools that a run offers: selected by the prompt, bounded in number, and ordered.

The definitions of tools stand at the very beginning of a request, where each change makes a vendor
read all of it anew. So they are sent in the order of their names, and what a session was offered
once is offered again, beside what its next prompts select.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from arc_core.agents.agent import Agent
from arc_core.engine.boundary import policies
from arc_core.engine.boundary.boundary import Boundary, Failed
from arc_core.engine.models.token_costs import TokenCosts
from arc_core.engine.run_state import ActiveRun
from arc_core.engine.session_memory import NEVER_OFFERED, OfferedTools
from arc_core.engine.tools.tool_inventory import (
    AgentTools,
    Inventory,
    ToolInventory,
    check_tools,
    is_in_every_run,
)
from arc_core.errors import ToolRetry
from arc_core.interfaces.tools.tool import Tool, ToolContext
from arc_core.interfaces.tools.tool_selector import SearchesTools, ToolSelector
from arc_core.log import get_logger
from arc_core.settings import AgentSettings
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
        if taken := _OWN_NAMES & {tool.name for tool in inventory.tools}:
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
    return [tool for tool in inventory.tools if tool.name not in _OWN_NAMES]


_SHARE_OF_TOOLS = 2  # what a session was offered before must not squeeze out what was said


class ToolOffering:
    """Prepares the tools of a run.

    Local tools (registered by the program itself) are always offered, and the last to be left out;
    the selector chooses among the others. One with a search hides local tools, too, if they are not
    marked, so that a run offers the same tools whatever is asked.

    Attributes:
        has_search: Whether runs may offer a search in the place of tools.
    """

    def __init__(
        self,
        inventory: ToolInventory,
        *,
        selector: ToolSelector,
        boundary: Boundary,
        offered: OfferedTools,
        costs: TokenCosts,
        settings: AgentSettings,
        agents: Sequence[Agent] = (),
    ) -> None:
        descriptions = {agent.name: agent.description for agent in agents}
        self._agents = [
            each for each in agents if each.tools is not None or each.delegates or each.handoffs
        ]
        self._of_agents = {each.name: AgentTools(each, descriptions) for each in self._agents}
        self.inventory = inventory
        self._selector = selector
        self._search: ToolSearch | None = None
        if isinstance(selector, SearchesTools):
            self._search = ToolSearch(selector, boundary=boundary)
        self.has_search = self._search is not None
        self._boundary = boundary
        llm = settings.llm
        self._max_tools, self._costs = settings.max_tools_per_request, costs
        window = llm.max_context_window_tokens - llm.max_output_tokens
        self._max_earlier_tokens = window // _SHARE_OF_TOOLS
        self._offered = offered
        self._has_chosen = False
        """True once the selector has left a tool out; until then sessions need no memory."""

    async def prepare(self, run: ActiveRun) -> tuple[Tool, ...]:
        """Tools in the order of their names, which are unique.

        One that the command demands by its name is among them, if there is one of this name.
        """
        command = run.command
        inventory = self._every(run)
        if self._search is not None:
            searched = await self._search.prepare(command.agent, inventory)
            if searched is not None:
                return _in_order(self._cut(searched.offer(command.tool_choice)))
        tools = await self._offer(run, inventory)
        choice = command.tool_choice
        if choice is None or any(tool.name == choice for tool in tools):
            return tools
        demanded = tuple(tool for tool in inventory.tools if tool.name == choice)
        return _in_order((*tools[: self._max_tools - len(demanded)], *demanded))

    def restore(self, run: ActiveRun, names: Iterable[str]) -> tuple[Tool, ...]:
        """Return what `prepare` offered in an earlier attempt, without tools that are gone."""
        every, names = self._every(run), tuple(names)
        known = {tool.name: tool for tool in every.tools}
        is_searched = self._search is not None and USE_TOOL in names
        if self._search is not None and is_searched:
            searched = self._search.divide(every)
            known |= {USE_TOOL: searched.use, FIND_TOOLS: searched.find}
        tools = tuple(known[name] for name in names if name in known)
        if every.selectable and not is_searched:
            offered = frozenset(tool.name for tool in tools)
            before = NEVER_OFFERED if self._is_choice(offered, every.selectable) else None
            self._offered.note(run, offered, before=before)
        return tools

    def find_search(self, tools: Iterable[Tool]) -> UseTool | None:
        """Return which of the tools that a run offers calls all others; None if none does."""
        return next((tool for tool in tools if isinstance(tool, UseTool)), None)

    def _every(self, run: ActiveRun) -> Inventory:
        """Return all tools of the agent that answers."""
        inventory, agent = self.inventory.collect(), run.command.agent
        if run.user_tools:
            inventory = self.inventory.collect_with(run.user_tools.values())
        of_agent = self._of_agents.get(agent) if agent is not None else None
        return inventory if of_agent is None else of_agent.among(inventory)

    async def _offer(self, run: ActiveRun, inventory: Inventory) -> tuple[Tool, ...]:
        if not inventory.selectable:
            return _in_order(self._cut(inventory.local))
        selected = await self._select(run.command.user_prompt, inventory.selectable)
        if selected is None:
            return _in_order(self._cut(inventory.tools))
        offered = self._cut((*inventory.local, *selected))
        return _in_order(await self._with_earlier(run, offered, inventory.selectable))

    def find_tools(self, agent: str) -> tuple[Tool, ...]:
        """All that an agent may be offered at this moment, its delegates and handoffs too."""
        inventory, own = self.inventory.collect(), self._of_agents.get(agent)
        every = inventory if own is None else own.among(inventory)
        return every.tools

    def check(self) -> None:
        """Check that the tools exist that agents name, or raise a `ConfigurationError`."""
        inventory = self.inventory.collect()
        for agent in self._agents:
            check_tools(agent, inventory, self.inventory.sources)

    def _cut(self, tools: tuple[Tool, ...]) -> tuple[Tool, ...]:
        most = self._max_tools
        if len(tools) > most:
            dropped = [tool.name for tool in tools[most:]]
            logger.info("tools over max_tools_per_request are not offered", dropped=dropped)
        return tools[:most]

    async def _with_earlier(
        self, run: ActiveRun, tools: tuple[Tool, ...], selectable: Mapping[str, Tool]
    ) -> tuple[Tool, ...]:
        """These tools and those the session was offered before, or these alone if all are too many.

        To begin anew is one change; to leave out a tool for each new one would be many.
        """
        names = frozenset(tool.name for tool in tools)
        if not self._is_choice(names, selectable):
            self._offered.note(run, names, before=None)
            return tools
        before = await self._offered.load(run.command)
        missing = before.names - names
        earlier = tuple(selectable[name] for name in missing if name in selectable)
        both = (*tools, *earlier)
        if (
            earlier
            and len(both) <= self._max_tools
            and (sum(map(self._costs.of_tool, both)) <= self._max_earlier_tokens)
        ):
            tools = both
        self._offered.note(run, frozenset(tool.name for tool in tools), before=before)
        return tools

    def _is_choice(self, names: frozenset[str], selectable: Mapping[str, Tool]) -> bool:
        """Return True if these are fewer than all, or other runs may be offered fewer."""
        self._has_chosen = self._has_chosen or not selectable.keys() <= names
        return self._has_chosen

    async def _select(
        self, user_prompt: str, selectable: Mapping[str, Tool]
    ) -> tuple[Tool, ...] | None:
        """Return the tools that the selector chooses, best first; None if it does not work."""
        every = tuple(selectable.values())
        names = await self._boundary.call(
            policies.TOOL_SELECTION, self._selector, lambda: self._select_names(user_prompt, every)
        )
        if isinstance(names, Failed):
            logger.warning("all tools are offered")
            return None
        return tuple(selectable[name] for name in names if name in selectable)

    async def _select_names(self, user_prompt: str, tools: Sequence[Tool]) -> Iterable[str]:
        selected = await self._selector.select(user_prompt, tools)
        return dict.fromkeys(tool.name for tool in selected)


def _in_order(tools: Iterable[Tool]) -> tuple[Tool, ...]:
    return tuple(sorted(tools, key=attrgetter("name")))
