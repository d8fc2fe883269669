"""Tools are chosen, and their arguments filled, from the prompt."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from arc_core import FunctionTool, Tool, ToolContext, tool
from arc_core.tools.json_schema import find_flaw
from arc_plugins.models.offline.question import Question
from arc_plugins.models.offline.reply import choose_tools, list_arguments
from tests.arc_plugins.models.offline import sample_tools as sample

BUILTIN: list[Tool] = [sample.current_time, sample.calculate]


class ForeignTool:
    """A tool whose schema a third party wrote."""

    name = "foreign"
    description = "Does something."
    timeout_s: float | None = None

    def __init__(self, parameters: Mapping[str, Any]) -> None:
        self.parameters = parameters

    async def call(self, arguments: Mapping[str, Any], context: ToolContext) -> object:
        """Do nothing."""
        return None


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
    assert [each.name for each in choose_tools(Question(prompt), BUILTIN)] == names


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

    assert choose_tools(Question(prompt), offered) == [chosen]


def test_the_best_will_do_where_all_words_are_shared() -> None:
    """Two tools with the same words do not make each other unfindable."""

    @tool
    def weather_forecast(city: str) -> str:
        """Weather of a city."""
        return city

    chosen = choose_tools(Question("weather in Seoul"), [sample.get_weather, weather_forecast])

    assert sample.get_weather in chosen


def test_a_korean_description_is_matched() -> None:
    """Tools may be described in the language that they are asked for in."""

    @tool
    def lunch(day: str) -> str:
        """구내식당의 점심 메뉴."""
        return day

    assert choose_tools(Question("점심 메뉴를 알려줘"), [lunch]) == [lunch]


def test_without_tools_nothing_is_chosen() -> None:
    """An empty offer is not an error."""
    assert choose_tools(Question("time"), []) == []


@pytest.mark.parametrize(
    ("tool", "prompt", "arguments"),
    [
        (sample.current_time, "What time is it in Seoul?", [{"place": "Seoul"}]),
        (sample.current_time, "What time is it?", [{}]),
        (sample.current_time, "서울은 몇 시야?", [{"place": "서울"}]),
        (sample.local_time, "Time in New York?", [{"timezone": "New York"}]),
        (sample.calculate, "12.5% of 2480?", [{"expression": "12.5% of 2480"}]),
        (sample.get_weather, "weather in busan", [{"city": "busan"}]),
        (sample.add, "What is 3 + 4?", [{"a": 3, "b": 4}]),
        (
            sample.convert_currency,
            "Convert 99.5 USD to EUR",
            [{"amount": 99.5, "source": "USD", "target": "EUR"}],
        ),
        (sample.convert_length, "Convert 5 km", [{"amount": 5, "unit": "km"}]),
        (sample.search_documents, "search holidays", [{"query": "search holidays"}]),
        (
            sample.search_documents,
            "search 'holidays', limit 3",
            [{"query": "holidays", "limit": 3}],
        ),
        (
            sample.order_status,
            "Status of order 4711, verbose",
            [{"order_id": 4711, "verbose": True}],
        ),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_arguments(tool: FunctionTool, prompt: str, arguments: list[dict[str, Any]]) -> None:
    """Places, zones, expressions, numbers, enum values, quoted strings and names."""
    assert list_arguments(tool, Question(prompt)) == arguments


@pytest.mark.parametrize(
    ("tool", "prompt", "calls"),
    [
        (sample.current_time, "What time is it in Seoul and London?", 2),
        (sample.calculate, "What is 3 + 4, and 5 * 6, and 7 - 2?", 3),
        (sample.get_weather, "Weather in Rome, Paris, Oslo, Bern, Kyiv, Riga?", 4),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_each_place_and_expression_has_a_call(tool: FunctionTool, prompt: str, calls: int) -> None:
    """A tool that takes one is called for each, up to a bound."""
    assert len(list_arguments(tool, Question(prompt))) == calls


@pytest.mark.parametrize(
    ("tool", "prompt"),
    [
        (sample.calculate, "Calculate something"),
        (sample.add, "Add 3"),
        (sample.order_status, "Status of order 1.5"),
        (sample.send_email, "Send an email to Ann"),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_a_tool_whose_arguments_are_not_named_is_not_called(
    tool: FunctionTool, prompt: str
) -> None:
    """Nothing is invented for a required parameter."""
    assert list_arguments(tool, Question(prompt)) == []


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"$ref": "#/$defs/Level"}, "high"),
        ({"anyOf": [{"type": "null"}, {"type": "integer"}]}, 7),
        ({"anyOf": [{"$ref": "#/$defs/Level"}, {"type": "null"}]}, "high"),
        ({"enum": ["low", "high"], "type": "string"}, "high"),
        ({"type": "integer", "description": "a date"}, 7),
        ({"enum": ["other", "another"]}, "other"),
        ({"type": "object", "properties": {"n": {"type": "number"}}, "required": ["n"]}, None),
        ({"$ref": "#/$defs/Circle"}, "High"),
        (True, "High"),
    ],
)
def test_forms_of_schemas(schema: object, value: object) -> None:
    """Definitions, options and what may be null; what says nothing takes a name."""
    parameters = {
        "properties": {"x": schema},
        "required": ["x"],
        "$defs": {"Level": {"enum": ["low", "high"]}, "Circle": {"$ref": "#/$defs/Circle"}},
    }

    filled = list_arguments(ForeignTool(parameters), Question("is High right? 7"))

    assert filled == ([] if value is None else [{"x": value}])


KEYWORDS = st.sampled_from(
    ["type", "enum", "const", "properties", "required", "items", "anyOf", "$ref", "$defs", "a"]
)
SCHEMAS = st.recursive(
    st.sampled_from([True, 7, "string", "integer", "null", "#/$defs/a", "#/properties/a"]),
    lambda inner: st.dictionaries(KEYWORDS, inner) | st.lists(inner, max_size=3),
)


@pytest.mark.slow
@given(st.dictionaries(st.sampled_from(["properties", "required", "$defs"]), SCHEMAS), st.text())
def test_no_schema_breaks_it(parameters: dict[str, Any], prompt: str) -> None:
    """Whatever a valid schema says, the result is a list of objects."""
    assume(find_flaw(parameters) is None)

    sets = list_arguments(ForeignTool(parameters), Question(f"{prompt} A 7"))

    assert all(isinstance(arguments, dict) for arguments in sets)
