"""The right tools of many are offered."""

import asyncio
import time

import pytest

from arc_core import Tool, ToolSelector
from arc_core.testing.conformance.tools.tool_selector import ToolSelectorConformance
from arc_plugins.selectors.lexical.selector import LexicalToolSelector
from arc_plugins.selectors.settings import SelectionSettings
from tests.arc_plugins.selectors.tools import WEATHER, WEATHER_KO, DescribedTool, catalogue


class TestConformance(ToolSelectorConformance):
    """It is a selector like any other."""

    def make_selector(self) -> ToolSelector:
        return LexicalToolSelector(settings=SelectionSettings())


def selector_of(max_selected: int = 10) -> LexicalToolSelector:
    """A selector with a bound."""
    return LexicalToolSelector(settings=SelectionSettings(max_selected=max_selected))


@pytest.mark.parametrize(
    ("prompt", "tool"),
    [
        ("Seoul weather", WEATHER),
        ("How is the weather in Seoul tomorrow?", WEATHER),
        ("서울 날씨", WEATHER_KO),
        ("내일 서울 날씨를 알려줄래?", WEATHER_KO),
    ],
)
async def test_the_right_one_of_two_hundred_comes_first(prompt: str, tool: Tool) -> None:
    """In English and in Korean, among tools that share other words with the prompt."""
    tools = catalogue()
    assert len(tools) == 200

    selected = await selector_of().select(prompt, tools)

    assert selected[0] is tool
    assert len(selected) <= 10


async def test_names_and_parameters_count_too() -> None:
    """A tool is found by its name and by what it takes."""
    by_name = DescribedTool("bookTrainTicket")
    by_parameter = DescribedTool("action_x", parameters={"iban": "The account to pay from."})
    tools = [*catalogue(), by_name, by_parameter]

    assert (await selector_of().select("a train please", tools))[0] is by_name
    assert (await selector_of().select("pay from my account", tools))[0] is by_parameter


async def test_a_few_tools_are_all_offered() -> None:
    """If nothing needs to be left out, nothing is, and the order stays."""
    tools = catalogue()[:10]

    assert await selector_of().select("Seoul weather", tools) is tools


async def test_no_word_offers_everything() -> None:
    """A user who says hello may go on with anything."""
    tools = catalogue()

    assert await selector_of().select("¡Hola!", tools) is tools


async def test_schemas_that_lie_are_not_errors() -> None:
    """Tools of strangers may describe their parameters in any way."""
    odd = DescribedTool("odd")
    tools = [*catalogue(), odd]
    lies: list[object] = [None, [], {"a": True, "b": {"description": 1}}]
    for properties in lies:
        odd.parameters = {"properties": properties}

        assert await selector_of().select("odd", list(tools))


@pytest.mark.timing
async def test_the_index_is_made_once() -> None:
    """The second prompt costs a fraction of the first."""
    tools, selector = tuple(catalogue() * 5), selector_of()

    begin = time.process_time()
    await selector.select("Seoul weather", tools)
    first = time.process_time() - begin
    begin = time.process_time()
    await selector.select("Seoul weather", tools)

    assert (time.process_time() - begin) * 3 < first


async def test_other_work_goes_on_while_many_tools_are_indexed() -> None:
    """The first time that they are seen; then the index is there."""
    selector, turns = selector_of(), 0
    async with asyncio.TaskGroup() as group:
        selecting = group.create_task(selector.select("Seoul weather", catalogue() * 5))
        while not selecting.done():
            turns += 1
            await asyncio.sleep(0)

    assert turns > 10
    assert selecting.result()[0] is WEATHER
