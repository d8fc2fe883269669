"""JSON Schemas: which are none, and what does not fit one."""

from typing import Any

import pytest
from pydantic import BaseModel

from arc_core.tools.json_schema import check_value, find_flaw, get_json_schema


class City(BaseModel):
    name: str
    twin: "City | None" = None


def nested(depth: int) -> dict[str, Any]:
    """A schema of arrays in arrays."""
    schema: dict[str, Any] = {}
    for _ in range(depth):
        schema = {"items": schema}
    return schema


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"type": "object", "properties": {"age": {"type": "integer"}}},
        {"$ref": "#/$defs/a", "$defs": {"a": {"type": "string"}}},
        {"$ref": "#a", "$defs": {"a": {"$anchor": "a"}}},
        {"$schema": "http://json-schema.org/draft-07/schema#", "items": [{"type": "string"}]},
        nested(20),
    ],
)
def test_schemas_have_no_flaw(schema: dict[str, Any]) -> None:
    """A mapping of any draft whose references are inside it is a schema."""
    assert find_flaw(schema) is None


@pytest.mark.parametrize(
    ("schema", "flaw"),
    [
        ({"type": "strng"}, "type: 'strng' is not valid"),
        ({"properties": {"age": {"minimum": "1"}}}, "properties.age.minimum: '1' is not"),
        ({"pattern": "("}, "pattern: '(' is not a 'regex'"),
        ({"$schema": ["x"]}, "$schema: ['x'] is not of type 'string'"),
        ({"items": [{"type": "string"}]}, "items: [{'type': 'string'}] is not of type"),
        ({"$ref": "#/$defs/a"}, "'#/$defs/a' refers to nothing inside the schema"),
        ({"$ref": "#/properties/a/0", "properties": {"a": True}}, "refers to nothing"),
        ({"items": {"$ref": "https://example.com/s"}}, "refers to nothing inside the schema"),
        ({"enum": {1, 2}}, "not made of what JSON can carry"),
        ({"minimum": float("nan")}, "not made of what JSON can carry"),
        (nested(5000), "nested too deeply"),
    ],
)
def test_what_is_not_a_schema_has_a_flaw(schema: dict[str, Any], flaw: str) -> None:
    """The flaw names the place and what is wrong there."""
    assert flaw in (find_flaw(schema) or "")


def test_a_value_that_fits_has_no_problems() -> None:
    """A value that satisfies its schema is told nothing."""
    assert check_value({"name": "Seoul"}, get_json_schema(City), root="answer") == []


def test_problems_name_their_places() -> None:
    """Each problem starts with the path to the value, and at the top with its name."""
    schema = {"required": ["name"], "properties": {"streets": {"items": {"type": "string"}}}}

    problems = check_value({"streets": ["a", 2]}, schema, root="answer")

    assert sorted(problems) == [
        "answer: 'name' is a required property",
        "streets.1: 2 is not of type 'string'",
    ]


def test_problems_are_few_and_short() -> None:
    """A value that is wrong everywhere is told of ten places, each in a few words."""
    values = {f"{'k' * 1000}{number}": "x" * 10_000 for number in range(1000)}
    schema = {"additionalProperties": {"type": "integer"}}

    problems = check_value(values, schema, root="answer")

    assert len(problems) == 10
    assert max(map(len, problems)) <= 302


def test_a_schema_without_end_is_a_problem_of_the_value() -> None:
    """A schema that refers to itself does not run for ever."""
    assert "refers to itself" in check_value({}, {"$ref": "#"}, root="answer")[0]


def test_drafts_are_told_apart() -> None:
    """A schema is read by the draft it names: a list of items means something else in each."""
    draft_7 = "http://json-schema.org/draft-07/schema#"
    schema = {"$schema": draft_7, "items": [{"type": "string"}]}

    assert check_value([1], schema, root="answer") == ["0: 1 is not of type 'string'"]


@pytest.mark.parametrize("depth", range(40))
def test_a_schema_without_end_is_a_problem_at_every_depth(depth: int) -> None:
    """Python's stack may end inside of a library that panics then, which `except` does not see."""
    endless = {"anyOf": [{"type": "string"}, {"enum": [1]}], "not": {"$ref": "#/$defs/a"}}
    schema = {"type": "array", "items": {"$ref": "#/$defs/a"}, "$defs": {"a": endless}}

    def check(levels: int) -> list[str]:
        return check(levels - 1) if levels else check_value(["a"], schema, root="answer")

    assert check(depth) == ["answer: it is nested too deeply, or refers to itself without end"]
