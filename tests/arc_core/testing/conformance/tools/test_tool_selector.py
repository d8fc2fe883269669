"""The suite for selectors fails for those that break their contract, and passes for good ones."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from arc_core import Tool, ToolSelector, tool
from arc_core.testing.conformance.tools.tool_selector import ToolSelectorConformance


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


class TestFirstSelector(ToolSelectorConformance):
    """A good selector passes."""

    def make_selector(self) -> ToolSelector:
        return FirstSelector()

    def make_failing_selector(self) -> ToolSelector:
        return DownSelector()


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
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError as cancellation:
            self.last = cancellation
            return tools
        raise AssertionError


class SuiteFor(ToolSelectorConformance):
    """The suite, applied to one wrong selector."""

    __test__ = False

    def __init__(self, selector: Callable[[], Any]) -> None:
        self._selector = selector

    def make_selector(self) -> ToolSelector:
        selector: ToolSelector = self._selector()
        return selector

    def make_failing_selector(self) -> ToolSelector:
        return self.make_selector()


async def test_an_invented_tool_is_found() -> None:
    """What was not given cannot be offered."""
    with pytest.raises(AssertionError, match="stranger"):
        await SuiteFor(InventingSelector).test_it_selects_among_what_it_is_given("hello")


async def test_a_repeated_tool_is_found() -> None:
    """Vendors refuse two tools of one name."""
    with pytest.raises(AssertionError, match="twice"):
        await SuiteFor(StutteringSelector).test_it_selects_among_what_it_is_given("hello")


async def test_an_exception_for_some_text_is_found() -> None:
    """No prompt makes a selector raise."""
    with pytest.raises(UnicodeEncodeError):
        await SuiteFor(EncodingSelector).test_it_selects_among_what_it_is_given("a\ud800")


async def test_a_changed_list_is_found() -> None:
    """The list is not the selector's."""
    with pytest.raises(AssertionError, match="changed the list"):
        await SuiteFor(SortingSelector).test_it_leaves_the_list_alone()


async def test_moods_are_found() -> None:
    """One question has one selection."""
    with pytest.raises(AssertionError, match="another selection"):
        await SuiteFor(MoodySelector).test_it_selects_the_same_again()


async def test_a_stale_selection_is_found() -> None:
    """Tools that have gone are offered no more."""
    with pytest.raises(AssertionError, match="not among the given"):
        await SuiteFor(RememberingSelector).test_it_follows_the_tools()


async def test_mixed_up_runs_are_found() -> None:
    """Each run is offered its own tools."""
    with pytest.raises(AssertionError, match="not among the given"):
        await SuiteFor(ForgetfulSelector).test_it_serves_many_runs_at_once()


async def test_a_swallowed_cancellation_is_found() -> None:
    """A cancelled selection must not return."""
    with pytest.raises(AssertionError, match="swallowed"):
        await SuiteFor(DeafSelector).test_cancellation_leaves_it()


async def test_failing_closed_is_found() -> None:
    """A selector that cannot choose withholds nothing."""
    with pytest.raises(AssertionError, match="withholds"):
        await SuiteFor(FirstSelector).test_it_fails_open()


async def test_a_stranger_is_found() -> None:
    """Whatever cannot select is not a selector."""
    with pytest.raises(AssertionError, match="lacks select"):
        await SuiteFor(object).test_it_is_a_selector()
