"""Which tools there are at the moment of a run, unique by name."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from arc_core.engine.boundary import policies
from arc_core.engine.boundary.boundary import Boundary, Failed
from arc_core.interfaces.tool import Tool
from arc_core.interfaces.tool_source import ToolSource
from arc_core.log import get_logger

__all__ = ["Inventory", "ToolInventory"]

logger = get_logger("tools")


@dataclass(frozen=True, slots=True)
class Inventory:
    """The tools of one moment.

    Attributes:
        local: Registered by the program itself.
        selectable: The others by name, those of sources last.
        by_place: Those whose name another tool has; an agent gets one by naming its place, as in
            `mcp:bank/find`.
    """

    local: tuple[Tool, ...]
    selectable: Mapping[str, Tool]
    by_place: tuple[Tool, ...] = ()


class ToolInventory:
    """Puts local tools first, then those of plugins, then those of sources.

    Of two with one name the first wins, and one warning names it. One that its source says to have
    a name of another's, `is_shadowed`, has lost already.

    Args:
        contributed: All there are; what has the methods of both is a tool.
        local: Those of `contributed` that the program registered itself.
        boundary: Calls the sources.
    """

    def __init__(
        self,
        contributed: Sequence[Tool | ToolSource],
        *,
        local: Sequence[Tool],
        boundary: Boundary,
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
        self._sources = tuple(sources)
        ordered = sorted(fixed, key=lambda tool: not self._is_local(tool))
        self._fixed = tuple(ordered)
        self._brought: list[Sequence[Tool]] = []
        self._inventory = self._arrange(self._fixed)

    def collect(self) -> Inventory:
        """What there is at this moment; worked out anew only when a source has changed."""
        if not self._sources:
            return self._inventory
        brought = [self._tools_of(source) for source in self._sources]
        if not _are_the_same(brought, self._brought):
            self._brought = brought
            from_sources = [
                tool
                for source, tools in zip(self._sources, brought, strict=True)
                for tool in self._drop_unusable(source, tools)
            ]
            self._inventory = self._arrange((*self._fixed, *from_sources))
        return self._inventory

    def _arrange(self, tools: Iterable[Tool]) -> Inventory:
        unique: dict[str, Tool] = {}
        by_place: list[Tool] = []
        for tool in tools:
            is_shadowed = getattr(tool, "is_shadowed", False) is True
            if not is_shadowed and unique.setdefault(tool.name, tool) is tool:
                continue
            if not is_shadowed:
                self._warn_dropped(tool.name)
            if getattr(tool, "qualified_name", ""):
                by_place.append(tool)
        every = tuple(unique.values())
        return Inventory(
            local=tuple(tool for tool in every if self._is_local(tool)),
            selectable={tool.name: tool for tool in every if not self._is_local(tool)},
            by_place=tuple(by_place),
        )

    def _warn_dropped(self, name: str) -> None:
        if name not in self._dropped:
            logger.warning("a second tool of the same name is dropped", tool=name)
        self._dropped.add(name)

    def _is_local(self, tool: Tool) -> bool:
        return any(tool is each for each in self._local)

    def _tools_of(self, source: ToolSource) -> Sequence[Tool]:
        brought = self._boundary.call_now(policies.TOOL_SOURCE, source, source.tools)
        return () if isinstance(brought, Failed) else brought

    def _drop_unusable(self, source: ToolSource, tools: Sequence[object]) -> Sequence[Tool]:
        """The tools of a source; whatever else is in its list costs itself alone."""
        usable: list[Tool] = []
        for tool in tools:
            if isinstance(tool, Tool) and isinstance(tool.name, str):
                usable.append(tool)
            else:
                problem = TypeError(f"tools() returned a {type(tool).__name__} as a tool")
                self._boundary.report(policies.TOOL_SOURCE, source, problem)
        return usable


def _are_the_same(some: Sequence[object], others: Sequence[object]) -> bool:
    return len(some) == len(others) and all(map(lambda a, b: a is b, some, others))
