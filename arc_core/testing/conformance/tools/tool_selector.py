"""Rules of every `ToolSelector` that the engine relies on, and of those with a search."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from arc_core.interfaces.tools.tool import Tool, ToolContext
from arc_core.interfaces.tools.tool_selector import SearchesTools, ToolSelector
from arc_core.testing.conformance.components import (
    AsyncSuite,
    call_together,
    check_cancellation_leaves,
    check_interface,
    require,
    running,
)
from arc_core.testing.conformance.hostile_texts import HOSTILE_TEXTS

_AT_ONCE = 50
_MANY = 40
_PROMPT = "How is the weather in Seoul? 서울 날씨를 알려줘."


class _NamedTool(Tool):
    """A tool that is never called."""

    timeout_s = None

    def __init__(self, name: str, description: str) -> None:
        self.name, self.description = name, description
        self.parameters: Mapping[str, Any] = {
            "type": "object",
            "properties": {"place": {"type": "string", "description": "Where. 어디."}},
        }

    async def call(self, arguments: Mapping[str, Any], context: ToolContext) -> object:
        raise AssertionError("selectors call no tools")


def _tools() -> list[Tool]:
    described = {"weather": "Weather of a city. 도시의 날씨.", "": "", "percent": "100 %s {x}"}
    named = [_NamedTool(name or "nameless", text) for name, text in described.items()]
    others = [_NamedTool(f"tool_{number}", f"Does thing {number}.") for number in range(_MANY)]
    return [*others, *named]


class ToolSelectorConformance(AsyncSuite):
    """Inherit from it and say how your selector is made."""

    @abstractmethod
    def make_selector(self) -> ToolSelector:
        """A new selector, not started."""

    def make_failing_selector(self) -> ToolSelector | None:
        """A selector that cannot do its work, its server down; None if nothing can fail."""
        return None

    async def test_it_is_a_selector(self) -> None:
        """It can be asked."""
        check_interface(self.make_selector(), ToolSelector)

    @pytest.mark.parametrize("prompt", [_PROMPT, *HOSTILE_TEXTS.values()])
    async def test_it_selects_among_what_it_is_given(self, prompt: str) -> None:
        """Whatever is asked, the selection is of the given tools, each at most once."""
        tools = _tools()

        async with running(self.make_selector()) as selector:
            selected = await selector.select(prompt, tools)

        _check(selected, tools)

    async def test_it_leaves_the_list_alone(self) -> None:
        """The list of tools is the engine's, and the next run gets it, too."""
        tools = _tools()
        before = list(tools)

        async with running(self.make_selector()) as selector:
            await selector.select(_PROMPT, tools)

        assert tools == before, "the selector has changed the list of tools"

    async def test_it_selects_the_same_again(self) -> None:
        """The same prompt and tools give the same selection, so that answers can be cached."""
        tools = _tools()

        async with running(self.make_selector()) as selector:
            first = list(await selector.select(_PROMPT, tools))
            second = list(await selector.select(_PROMPT, tuple(tools)))

        assert first == second, "the same question got another selection"

    async def test_it_follows_the_tools(self) -> None:
        """Tools come and go with their servers: a selection is always of the present ones."""
        async with running(self.make_selector()) as selector:
            for tools in (_tools(), _tools()[5:], [], _tools()):
                _check(await selector.select(_PROMPT, tools), tools)

    async def test_a_selector_serves_many_runs_at_once(self) -> None:
        """Runs share their selector, and may have different tools."""
        sets = [_tools()[number % 10 :] for number in range(_AT_ONCE)]

        async with running(self.make_selector()) as selector:
            selections = await call_together(selector.select(_PROMPT, tools) for tools in sets)

        for selected, tools in zip(selections, sets, strict=True):
            _check(selected, tools)

    async def test_a_cancellation_leaves_the_selector(self) -> None:
        """A cancelled run is not offered tools."""
        async with running(self.make_selector()) as selector:
            await check_cancellation_leaves(selector.select(_PROMPT, _tools()))

    async def test_it_fails_open(self) -> None:
        """A selector that cannot choose offers all tools, or raises: then the engine does."""
        failing = require(self.make_failing_selector(), "make_failing_selector")
        tools = _tools()

        try:
            async with running(failing) as selector:
                selected = await selector.select(_PROMPT, tools)
        except Exception:  # noqa: BLE001 -- whatever it raises, the engine offers all tools
            return

        assert list(selected) == tools, "the selector withholds tools it could not judge"


class ToolSearchConformance(ToolSelectorConformance):
    """Inherit from it if your selector is one of `SearchesTools`."""

    @abstractmethod
    def make_search(self) -> SearchesTools:
        """A new selector with a search, not started."""

    def make_selector(self) -> ToolSelector:
        """The same."""
        selector = self.make_search()
        assert isinstance(selector, ToolSelector), "what searches tools must be a ToolSelector, too"
        return selector

    async def test_it_is_a_search(self) -> None:
        """It can be asked."""
        check_interface(self.make_search(), SearchesTools)

    @pytest.mark.parametrize("query", [_PROMPT, *HOSTILE_TEXTS.values()])
    async def test_it_finds_among_what_it_is_given(self, query: str) -> None:
        """Whatever is looked for, each tool is one of those given, and found at most once."""
        tools = _tools()
        before = list(tools)

        async with running(self.make_search()) as search:
            found = await search.find(query, tools)

        _check(found, tools)
        assert tools == before, "the search has changed the list of tools"

    async def test_it_finds_the_same_again(self) -> None:
        """The same query and tools find the same, in every process that takes a run up."""
        tools = _tools()

        async with running(self.make_search()) as search:
            first = list(await search.find(_PROMPT, tools))
            second = list(await search.find(_PROMPT, tuple(tools)))

        assert first == second, "the same query has found other tools"

    async def test_it_writes_the_same_catalogue_again(self) -> None:
        """It begins the requests of all runs, and only requests that begin alike are cheap."""
        tools = _tools()

        async with running(self.make_search()) as search:
            first = await search.write_catalogue(tools)
            second = await search.write_catalogue(tuple(tools))

        assert isinstance(first, str), "the catalogue is not a text"
        assert first == second, "the same tools have another catalogue"

    async def test_a_cancellation_leaves_the_search(self) -> None:
        """A cancelled run does not go on with what it looks for."""
        async with running(self.make_search()) as search:
            await check_cancellation_leaves(search.find(_PROMPT, _tools()))


def _check(selected: Sequence[Tool], tools: Sequence[Tool]) -> None:
    strangers = [tool.name for tool in selected if not any(tool is each for each in tools)]
    assert not strangers, f"these were not among the given tools: {strangers}"
    assert len({id(tool) for tool in selected}) == len(selected), "a tool is selected twice"
