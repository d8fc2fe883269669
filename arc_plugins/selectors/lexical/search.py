"""Lets the model find tools by words while it works, instead of choosing for it by the prompt.

Pick it for hundreds of tools: a request has two of them, whatever is asked, and so begins as the
one before. Costs a tool call for each tool that the model does not know yet. Settings:
`tools.catalogue_tokens`; `tools.max_selected` where only a choice is asked for.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, zip_longest

from arc_core import SearchesTools, TokenEstimator, Tool
from arc_plugins.selectors.lexical.selector import LexicalToolSelector
from arc_plugins.selectors.settings import SelectionSettings

_HEADING = (
    "[Tools]\nThere are {count} more tools, by where they come from. find_tools finds them by "
    "words and says what they take, use_tool calls them."
)
_PROGRAM = "__main__"
_CHARS_A_TOKEN = 3  # names are split more finely than the prose that estimators know


def write_catalogue(
    tools: Iterable[Tool], *, max_tokens: int, estimate: Callable[[str], int]
) -> str:
    """Return a line for each source, of which each shows as many names as the others, if it can.

    What is over `max_tokens` becomes a count; it is empty if not even the heading fits.
    """
    names = _group(tools)

    def write(sources: int, listed: int) -> str:
        return _write(names, sources=sources, listed=listed)

    def fits(text: str) -> bool:
        return max(estimate(text), len(text) // _CHARS_A_TOKEN) <= max_tokens

    def find_most(limit: int, attempt: Callable[[int], str]) -> int:
        if fits(attempt(limit)):  # shorter than with the line that counts what is left
            return limit
        least, most = 0, max(0, limit - 1)
        while least < most:
            middle = (least + most + 1) // 2
            least, most = (middle, most) if fits(attempt(middle)) else (least, middle - 1)
        return least

    sources = find_most(len(names), lambda number: write(number, 0))
    count = sum(map(len, list(names.values())[:sources]))
    text = write(sources, find_most(count, lambda number: write(sources, number)))
    return text if fits(text) else ""


def _group(tools: Iterable[Tool]) -> Mapping[str, Sequence[str]]:
    """The names by source, all in the order of the alphabet: that is the same in all processes."""
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for tool in tools:
        groups[_find_source(tool)].append(tool.name)
    return {source: sorted(groups[source]) for source in sorted(groups)}


def _find_source(tool: Tool) -> str:
    """The place of a tool of a server, `mcp:shop`; else its category, else its package."""
    place, is_qualified, _ = str(getattr(tool, "qualified_name", "")).partition("/")
    category = getattr(tool, "category", None)
    if is_qualified:
        source = place
    elif isinstance(category, str) and category.strip():
        source = category
    else:
        source = tool.__module__.partition(".")[0]
    return "program" if source == _PROGRAM else " ".join(source.split())


def _write(names: Mapping[str, Sequence[str]], *, sources: int, listed: int) -> str:
    """The catalogue with so many sources and names, which are taken from each source in turn."""
    groups = [[(source, name) for name in names[source]] for source in list(names)[:sources]]
    in_turn = filter(None, chain.from_iterable(zip_longest(*groups)))
    visible: defaultdict[str, list[str]] = defaultdict(list)
    for _, (source, name) in zip(range(listed), in_turn, strict=False):
        visible[source].append(name)
    lines = [_HEADING.format(count=sum(map(len, names.values())))]
    for source in list(names)[:sources]:
        lines.append(_line(source, visible[source], len(names[source])))
    if left := list(names.values())[sources:]:
        lines.append(f"… and {len(left)} more sources with {sum(map(len, left))} tools")
    return "\n".join(lines)


def _line(source: str, visible: Sequence[str], count: int) -> str:
    if not visible:
        return f"{source}: {count} tools"
    left = count - len(visible)
    more = f", … and {left} more" if left else ""
    return f"{source}: {', '.join(visible)}{more}"


_MAX_FOUND = 5


class SearchToolSelector(LexicalToolSelector, SearchesTools):
    """Finds the best five tools by BM25; asked for a choice, it selects as `lexical` does."""

    def __init__(self, *, settings: SelectionSettings, token_estimator: TokenEstimator) -> None:
        super().__init__(settings=settings)
        self._max_tokens, self._estimator = settings.catalogue_tokens, token_estimator

    async def write_catalogue(self, tools: Sequence[Tool]) -> str:
        """The names by source, in at most `tools.catalogue_tokens`."""
        return write_catalogue(
            tools, max_tokens=self._max_tokens, estimate=self._estimator.estimate
        )

    async def find(self, query: str, tools: Sequence[Tool]) -> Sequence[Tool]:
        """The best five, by the words of their names, descriptions and parameters."""
        return (await self.rank(query, tools))[:_MAX_FOUND]
