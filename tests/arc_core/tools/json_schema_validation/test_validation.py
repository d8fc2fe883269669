"""Checks of schemas and values that were made to take for ever."""

import json
from typing import Any

import pytest

from arc_core.tools.json_schema_validation import find_flaw, problems
from arc_core.tools.json_schema_validation.patterns import bounded_work
from arc_core.tools.json_schema_validation.validation import _MAX_STEPS_OF_A_VALUE

BOMB = "^(a|aa)+$"
LONG = "a" * 5_000 + "!"
DRAFT_7 = "http://json-schema.org/draft-07/schema#"


def doubling(keyword: str, last: Any) -> dict[str, Any]:
    """A schema that refers to itself 2^40 times."""
    steps = {f"s{n}": {keyword: [{"$ref": f"#/$defs/s{n + 1}"}] * 2} for n in range(40)}
    return {"$defs": {**steps, "s40": last}, "$ref": "#/$defs/s0"}


def said(value: Any, schema: dict[str, Any]) -> str:
    return " ".join(problems(value, json.dumps(schema), root="arguments") or ())


@pytest.mark.parametrize(
    ("value", "schema"),
    [
        (LONG, {"pattern": BOMB}),
        ({LONG: 1}, {"patternProperties": {BOMB: {}}, "additionalProperties": False}),
        ({LONG: 1}, {"propertyNames": {"pattern": BOMB}}),
        ({LONG: 1}, {"patternProperties": {BOMB: {}}, "unevaluatedProperties": False}),
        (LONG, {"allOf": [{"$schema": DRAFT_7, "pattern": BOMB}]}),
        (LONG, {"$schema": DRAFT_7, "pattern": BOMB, "definitions": {}}),
        (LONG, {"$ref": "#/$defs/a", "$defs": {"a": {"$schema": DRAFT_7, "pattern": BOMB}}}),
    ],
)
def test_a_pattern_that_backtracks_is_refused_at_once(value: Any, schema: dict[str, Any]) -> None:
    """In every keyword, and even if a part of the schema names another draft."""
    assert said(value, schema)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("value", "schema"),
    [
        ({}, doubling("allOf", {})),
        ({}, doubling("anyOf", False)),
        ({}, doubling("oneOf", {})),
        (["b4999"] * 100_000, {"items": {"enum": [f"b{n}" for n in range(5_000)]}}),
        ([1] * 1_000_000, {"items": {}}),
        ([1] * 10_000, {"items": {f"x-{n}": 1 for n in range(5_000)}}),
        ([[n, str(n)] for n in range(50_000)], {"uniqueItems": True}),
        (list(range(5_000)), {"unevaluatedItems": False}),
        ("x" * 1_000_000, {"anyOf": [{"type": "integer"}] * 1_000}),
        ({f"k{n}": 1 for n in range(400_000)}, {"additionalProperties": False}),
        ("01" * 50_000, {"pattern": "[01]*1[01]{900}2"}),
    ],
)
def test_a_check_of_too_much_work_is_given_up(value: Any, schema: dict[str, Any]) -> None:
    """Whatever makes it long, it ends, and the value does not pass."""
    assert "too much work" in said(value, schema)


def test_the_work_of_a_value_is_counted() -> None:
    """No check outlives its steps, and five hundred ordinary rows need fewer."""
    rows = [{"name": "x", "age": 1, "tags": ["a"]} for _ in range(500)]
    fields: dict[str, Any] = {
        "name": {"type": "string"},
        "age": {"type": "integer"},
        "tags": {"uniqueItems": True},
    }
    schema: dict[str, Any] = {"items": {"required": ["name"], "properties": fields}}

    with bounded_work(_MAX_STEPS_OF_A_VALUE):
        assert said(rows, schema) == ""


@pytest.mark.parametrize(("value", "is_unique"), [([1, 1.0], False), ([1, True], True), ([], True)])
def test_equal_items_are_found(value: list[Any], *, is_unique: bool) -> None:
    """As JSON sees it: 1 and 1.0 are one number, and 1 and true are not one value."""
    assert (said(value, {"uniqueItems": True}) == "") is is_unique


def test_unknown_properties_are_named() -> None:
    """Three of them, cut, and that there are others."""
    schema: dict[str, Any] = {"properties": {"a": {}}, "patternProperties": {"^x": {}}}
    value = {"a": 1, "x1": 1, "b": 1, "c" * 100: 1, "d": 1, "e": 1}

    told = said(value, {**schema, "additionalProperties": False})

    assert told.startswith("arguments: Additional properties are not allowed ('b', 'ccc")
    assert told.endswith("'d' and others were unexpected)")


def test_a_value_that_cannot_be_checked_does_not_pass() -> None:
    """Numbers too large for the arithmetic, and patterns that need look-around."""
    assert "cannot be applied" in said(10**4_000, {"multipleOf": 0.3})
    assert "cannot be applied" in said("a", {"pattern": "(?=a)"})


@pytest.mark.slow
@pytest.mark.parametrize(
    "schema",
    [
        {"patternProperties": {"a": {}}, "unevaluatedProperties": False},
        {"properties": {"a": {"pattern": "(?=a)"}}},
        {"required": [n if n % 2 else str(n) for n in range(8_000)]},
        {"allOf": [{"not": {"enum": [0]}}] * 60_000},
    ],
)
def test_a_schema_that_cannot_be_checked_has_a_flaw(schema: dict[str, Any]) -> None:
    """It is refused in words, within bounded work."""
    assert find_flaw(json.dumps(schema))


@pytest.mark.parametrize(
    ("value", "schema", "told"),
    [
        ("hunter2", {"type": ["integer", "null"]}, "answer: it is not of type ['integer', 'null']"),
        ("hunter2", {"enum": ["é", 1]}, 'answer: it is not one of ["é", 1]'),
        ("hunter2", {"maxLength": 3}, "answer: it does not fit maxLength: 3"),
        ("hunter2", {"pattern": "^a$"}, 'answer: it does not fit pattern: "^a$"'),
        ({"a": ["hunter2"]}, {"properties": {"a": {"items": False}}}, "it does not fit"),
        ({"a": "hunter2"}, {"properties": {"a": False}}, "answer: it must not be there"),
        ({"a": "hunter2"}, {"required": ["b"]}, "answer: 'b' is a required property"),
        ({"a": "hunter2"}, {"additionalProperties": False}, "('a' was unexpected)"),
        (["hunter2"], {"unevaluatedItems": False}, "answer: it does not fit unevaluatedItems"),
    ],
)
def test_the_value_is_not_quoted_if_it_must_not_be(
    value: Any, schema: dict[str, Any], told: str
) -> None:
    """Its place and the rule are named."""
    found = problems(value, json.dumps(schema), root="answer", quotes=False)

    assert found is not None
    assert told in " ".join(found)
    assert "hunter2" not in " ".join(found)
