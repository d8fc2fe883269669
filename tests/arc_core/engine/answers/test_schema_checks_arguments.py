"""The arguments of tools that did not come from `@tool`: checked against their JSON Schema."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import pytest

from arc_core import Tool, ToolArgumentsError, ToolContext, tool
from arc_core.engine.answers.schema_checks import parse_arguments, peek_arguments

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "days": {"type": "array", "items": {"type": "integer", "minimum": 1}},
    },
    "required": ["city"],
    "additionalProperties": False,
}


class Forecast(Tool):
    """A tool of a plugin."""

    name = "forecast"
    description = "The weather to come."
    timeout_s: float | None = None

    def __init__(self, parameters: Mapping[str, Any]) -> None:
        self.parameters = parameters

    async def call(self, arguments: Mapping[str, Any], context: ToolContext) -> object:
        return arguments


async def problems(text: str, schema: Mapping[str, Any] = SCHEMA) -> tuple[str, ...]:
    """What is wrong with arguments."""
    with pytest.raises(ToolArgumentsError) as refused:
        await parse_arguments(Forecast(schema), text)
    return refused.value.problems


async def test_arguments_that_fit_are_parsed() -> None:
    """They come as the schema says."""
    text = '{"city": "Seoul", "days": [1, 2]}'

    assert await parse_arguments(Forecast(SCHEMA), text) == {"city": "Seoul", "days": [1, 2]}


async def test_null_is_left_out_where_an_argument_may_be() -> None:
    """Models write so that they say nothing; where the schema takes null, it is a value."""
    text = '{"city": "Seoul", "days": null}'
    nullable = {"type": "object", "properties": {"days": {"type": ["array", "null"]}}}

    assert await parse_arguments(Forecast(SCHEMA), text) == {"city": "Seoul"}
    assert await parse_arguments(Forecast(nullable), '{"days": null}') == {"days": None}


@pytest.mark.parametrize("text", ["", "  \n", "{}"])
async def test_blank_arguments_are_an_object_without_fields(text: str) -> None:
    """Vendors send nothing for a tool without parameters."""
    assert await parse_arguments(Forecast({"type": "object"}), text) == {}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "arguments: Invalid JSON"),
        ("[" * 40_000, "arguments: Invalid JSON"),
        ("1" * 5_000, "arguments: Invalid JSON"),
        ("[]", "arguments: Input should be a JSON object"),
        ("null", "arguments: Input should be a JSON object"),
        ("{}", "arguments: 'city' is a required property"),
        ('{"city": 1}', "city: 1 is not of type 'string'"),
        ('{"city": null}', "city: None is not of type 'string'"),
        ('{"city": "S", "days": [1, 0]}', "days.1: 0 is less than the minimum of 1"),
    ],
    ids=["cut", "deep", "huge", "list", "null", "missing", "type", "required", "nested"],
)
async def test_what_does_not_fit_is_said_with_its_place(text: str, problem: str) -> None:
    """A sentence per field, with the path to it."""
    assert await problems(text) == (problem,)


async def test_unknown_fields_are_named() -> None:
    """Where the schema forbids them."""
    assert "loud" in (await problems('{"city": "Seoul", "loud": true}'))[0]


async def test_problems_are_bounded() -> None:
    """A hostile answer does not fill the window with complaints."""
    days = ", ".join(['"x"'] * 100)

    found = await problems(f'{{"city": "S", "days": [{days}]}}')

    assert len(found) == 10
    assert len((await problems(f'{{"city": {"9" * 4000}}}'))[0]) < 300


async def test_schemas_may_be_any_mapping() -> None:
    """A read-only schema is as good as a dictionary."""
    schema = MappingProxyType({"type": "object", "required": ["city"]})

    assert await parse_arguments(Forecast(schema), '{"city": 1}') == {"city": 1}
    assert await problems("{}", schema) == ("arguments: 'city' is a required property",)


async def test_a_tool_may_parse_its_arguments_itself() -> None:
    """Tools made by `@tool` know more than a schema says: defaults, conversions, constraints."""

    @tool
    async def wait(minutes: int = 5) -> str:
        return str(minutes)

    assert await parse_arguments(wait, '{"minutes": "7"}') == {"minutes": 7}


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ('{"city": 1, "more": 2}', {"city": 1, "more": 2}),
        ("", {}),
        ("{", {}),
        ("[1]", {}),
        ("[" * 100_000, {}),
    ],
    ids=["object", "blank", "cut", "list", "deep"],
)
def test_hooks_see_arguments_before_they_are_checked(text: str, seen: dict[str, Any]) -> None:
    """Whatever is an object is shown as it is, anything else as an empty one."""
    assert peek_arguments(text) == seen
