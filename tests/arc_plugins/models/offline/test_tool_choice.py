"""The tools that a question is about."""

import pytest

from arc_core import FunctionTool, Tool, tool
from arc_plugins.models.offline.question import Question
from arc_plugins.models.offline.tool_choice import tools_for
from tests.arc_plugins.models.offline import sample_tools as sample

BUILTIN: list[Tool] = [sample.current_time, sample.calculate]


@pytest.mark.parametrize(
    ("prompt", "names"),
    [
        ("What time is it in Seoul, and what is 12.5% of 2480?", ["current_time", "calculate"]),
        ("서울은 지금 몇 시이고, 2480의 12.5%는 얼마야?", ["current_time", "calculate"]),
        ("What's the date today?", ["current_time"]),
        ("What is 3 * 4?", ["calculate"]),
        ("What is the current price of bread?", []),
        ("Tell me a joke", []),
        ("", []),
    ],
)
def test_the_built_in_tools(prompt: str, names: list[str]) -> None:
    """Each for what it is about, both where both are asked for, none for anything else."""
    assert [each.name for each in tools_for(Question.read(prompt), BUILTIN)] == names


@pytest.mark.parametrize(
    ("prompt", "chosen"),
    [
        ("Convert 100 USD to EUR", sample.convert_currency),
        ("Convert 5 km please", sample.convert_length),
    ],
)
def test_a_shared_word_counts_less(prompt: str, chosen: FunctionTool) -> None:
    """`convert` is in both names, so the descriptions decide."""
    offered: list[Tool] = [sample.convert_currency, sample.convert_length]

    assert tools_for(Question.read(prompt), offered) == [chosen]


def test_the_best_will_do_where_all_words_are_shared() -> None:
    """Two tools with the same words do not make each other unfindable."""

    @tool
    def weather_forecast(city: str) -> str:
        """Weather of a city."""
        return city

    chosen = tools_for(Question.read("weather in Seoul"), [sample.get_weather, weather_forecast])

    assert sample.get_weather in chosen


def test_a_korean_description_is_matched() -> None:
    """Tools may be described in the language that they are asked for in."""

    @tool
    def lunch(day: str) -> str:
        """구내식당의 점심 메뉴."""
        return day

    assert tools_for(Question.read("점심 메뉴를 알려줘"), [lunch]) == [lunch]


def test_without_tools_nothing_is_chosen() -> None:
    """An empty offer is not an error."""
    assert tools_for(Question.read("time"), []) == []
