"""Models find the right tools of many by words, and read which there are."""

import pytest

from arc_core import SearchesTools, Tool
from arc_core.testing.conformance.tools.tool_selector import ToolSearchConformance
from arc_core.testing.fakes import CharacterEstimator
from arc_plugins.selectors.lexical.search import SearchToolSelector
from arc_plugins.selectors.settings import SelectionSettings
from tests.arc_plugins.selectors.tools import WEATHER, WEATHER_KO, DescribedTool, catalogue


def search_of(**settings: int) -> SearchToolSelector:
    """A search that counts characters as tokens."""
    return SearchToolSelector(
        settings=SelectionSettings.model_validate(settings), token_estimator=CharacterEstimator()
    )


class TestConformance(ToolSearchConformance):
    """It is a search like any other."""

    def make_search(self) -> SearchesTools:
        return search_of()


@pytest.mark.parametrize(
    ("query", "tool"), [("weather of a city", WEATHER), ("날씨를 알려주는 도구", WEATHER_KO)]
)
async def test_the_right_one_of_two_hundred_is_found(query: str, tool: Tool) -> None:
    """In English and in Korean, among the best five."""
    found = await search_of().find(query, catalogue())

    assert found[0] is tool
    assert len(found) <= 5


async def test_nothing_is_found_without_a_word() -> None:
    """To answer with anything would send the model astray."""
    assert await search_of().find("¡Hola!", catalogue()) == []


async def test_asked_for_a_choice_it_selects_by_words() -> None:
    """A wrapper that knows nothing of searches offers a choice, and not nothing."""
    assert await search_of(max_selected=3).select("Seoul weather", catalogue()) == [WEATHER]


async def test_the_index_of_each_set_of_tools_is_kept() -> None:
    """Agents with tools of their own do not have them read again in turn."""
    selector, sets = search_of(), [tuple(catalogue()[n:]) for n in range(3)]
    for tools in sets * 2:
        await selector.find("weather", tools)

    assert [known for known, _ in selector._indexes] == sets[::-1]


async def test_the_catalogue_is_as_long_as_the_setting_allows() -> None:
    """None of it is there if not even its heading fits."""
    tools = [DescribedTool(f"tool_{number}") for number in range(1_000)]

    lengths = [len(await search_of(catalogue_tokens=n).write_catalogue(tools)) for n in (0, 900)]

    assert lengths[0] == 0
    assert 850 < lengths[1] <= 900
