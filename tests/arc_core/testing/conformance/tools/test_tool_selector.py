"""The suite for selectors fails for those that break their contract, and passes for good ones."""

import asyncio
from collections.abc import Sequence
from typing import Any

from arc_core import SearchesTools, Tool, ToolSelector, tool
from arc_core.testing.conformance.tools.tool_selector import (
    ToolSearchConformance,
    ToolSelectorConformance,
)
from tests.arc_core.testing.conformance.suites import (
    Fault,
    FindsFaults,
    make_good_suite,
    swallow_cancellation,
)


@tool
def stranger() -> str:
    """It was never offered."""
    return ""


class FirstSelector(ToolSelector):
    """Offers the first five."""

    async def select(self, user_prompt: str, tools: Sequence[Tool]) -> Sequence[Tool]:
        await asyncio.sleep(0)
        return tools[:5]


class DownSelector(ToolSelector):
    """Cannot do its work."""

    async def select(self, user_prompt: str, tools: Sequence[Tool]) -> Sequence[Tool]:
        raise ConnectionError


TestFirstSelector = make_good_suite(ToolSelectorConformance, FirstSelector, failing=DownSelector)


class InventingSelector(FirstSelector):
    """Offers what it was never given."""

    async def select(self, user_prompt: str, tools: Sequence[Tool]) -> Sequence[Tool]:
        return [*tools, stranger]


class StutteringSelector(FirstSelector):
    """Offers a tool twice."""

    async def select(self, user_prompt: str, tools: Sequence[Tool]) -> Sequence[Tool]:
        return [*tools[:2], *tools[:1]]


class EncodingSelector(FirstSelector):
    """Breaks on text that is not valid Unicode."""

    async def select(self, user_prompt: str, tools: Sequence[Tool]) -> Sequence[Tool]:
        user_prompt.encode()
        return tools


class SortingSelector(FirstSelector):
    """Sorts the engine's list."""

    async def select(self, user_prompt: str, tools: Any) -> Sequence[Tool]:
        tools.sort(key=lambda each: each.name)
        return list(tools)


class MoodySelector(FirstSelector):
    """Offers something else every time."""

    def __init__(self) -> None:
        self._count = 0

    async def select(self, user_prompt: str, tools: Sequence[Tool]) -> Sequence[Tool]:
        self._count += 1
        return tools[: self._count]


class RememberingSelector(FirstSelector):
    """Offers the tools it was given first, for ever."""

    def __init__(self) -> None:
        self._tools: Sequence[Tool] = ()

    async def select(self, user_prompt: str, tools: Sequence[Tool]) -> Sequence[Tool]:
        self._tools = self._tools or tools
        return self._tools


class ForgetfulSelector(FirstSelector):
    """Mixes up runs that overlap."""

    async def select(self, user_prompt: str, tools: Sequence[Tool]) -> Sequence[Tool]:
        self._tools = tools
        await asyncio.sleep(0)
        return self._tools


class DeafSelector(FirstSelector):
    """Takes a cancellation for an answer."""

    async def select(self, user_prompt: str, tools: Sequence[Tool]) -> Sequence[Tool]:
        await swallow_cancellation()
        return tools


AMONG_THE_GIVEN = "it_selects_among_what_it_is_given"
FAULTS = [
    Fault(InventingSelector, AMONG_THE_GIVEN, "hello", match="stranger"),
    Fault(StutteringSelector, AMONG_THE_GIVEN, "hello", match="twice"),
    Fault(EncodingSelector, AMONG_THE_GIVEN, "\ud800", error=UnicodeEncodeError),
    Fault(SortingSelector, "it_leaves_the_list_alone", match="changed the list"),
    Fault(MoodySelector, "it_selects_the_same_again", match="another selection"),
    Fault(RememberingSelector, "it_follows_the_tools", match="not among the given"),
    Fault(ForgetfulSelector, "a_selector_serves_many_runs_at_once", match="not among the given"),
    Fault(DeafSelector, "a_cancellation_leaves_the_selector", match="swallows"),
    Fault(FirstSelector, "it_fails_open", match="withholds"),
    Fault(object, "it_is_a_selector", match="lacks select"),
]


class TestFaults(FindsFaults):
    """Each of them is found."""

    suite, faults = ToolSelectorConformance, FAULTS


class FirstSearch(FirstSelector, SearchesTools):
    """Finds the first five."""

    async def write_catalogue(self, tools: Sequence[Tool]) -> str:
        return ", ".join(each.name for each in tools)

    async def find(self, query: str, tools: Sequence[Tool]) -> Sequence[Tool]:
        await asyncio.sleep(0)
        return tools[:5]


class TestFirstSearch(ToolSearchConformance):
    """A good search passes."""

    def make_search(self) -> SearchesTools:
        return FirstSearch()


class InventingSearch(FirstSearch):
    """Finds what it was never given."""

    async def find(self, query: str, tools: Sequence[Tool]) -> Sequence[Tool]:
        return [stranger]


class SortingSearch(FirstSearch):
    """Sorts the engine's list."""

    async def find(self, query: str, tools: Any) -> Sequence[Tool]:
        tools.sort(key=lambda each: each.name)
        return list(tools)


class MoodySearch(FirstSearch):
    """Finds and writes something else every time."""

    def __init__(self) -> None:
        self._count = 0

    async def write_catalogue(self, tools: Sequence[Tool]) -> str:
        return f"{len(await self.find('', tools))}"

    async def find(self, query: str, tools: Sequence[Tool]) -> Sequence[Tool]:
        self._count += 1
        return tools[: self._count]


class DeafSearch(FirstSearch):
    """Takes a cancellation for an answer."""

    async def find(self, query: str, tools: Sequence[Tool]) -> Sequence[Tool]:
        await swallow_cancellation()
        return tools


FAULTS_OF_SEARCHES = [
    Fault(InventingSearch, "it_finds_among_what_it_is_given", "hello", match="stranger"),
    Fault(SortingSearch, "it_finds_among_what_it_is_given", "hello", match="changed the list"),
    Fault(MoodySearch, "it_finds_the_same_again", match="other tools"),
    Fault(MoodySearch, "it_writes_the_same_catalogue_again", match="another catalogue"),
    Fault(DeafSearch, "a_cancellation_leaves_the_search", match="swallows"),
    Fault(FirstSelector, "it_is_a_search", match="lacks"),
]


class TestFaultsOfSearches(FindsFaults):
    """Each of them is found, too."""

    suite, faults = ToolSearchConformance, FAULTS_OF_SEARCHES
