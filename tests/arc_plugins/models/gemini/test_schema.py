"""JSON Schema as Gemini takes it."""

from typing import Any

import pytest

from arc_plugins.models.gemini.schema import SchemaRefusedError, rewrite_schema

TEXT = {"type": "string"}


@pytest.mark.parametrize(
    ("schema", "rewritten"),
    [
        ({"const": "a"}, {"enum": ["a"]}),
        ({"oneOf": [TEXT, {"type": "null"}]}, {"anyOf": [TEXT, {"type": "null"}]}),
        ({"type": "string", "nullable": True}, {"type": ["string", "null"]}),
        ({"type": "string", "pattern": "a", "minLength": 1, "default": "a"}, TEXT),
        ({"type": "string", "format": "uri"}, TEXT),
        ({"type": "string", "format": "date"}, {"type": "string", "format": "date"}),
        ({"items": True, "type": "array"}, {"items": {}, "type": "array"}),
        ({"additionalProperties": TEXT}, {"additionalProperties": TEXT}),
        (
            {"$ref": "#/definitions/A", "title": "a", "definitions": {"A": {"const": 1}}},
            {"$ref": "#/$defs/A", "$defs": {"A": {"enum": [1]}}},
        ),
    ],
)
def test_a_schema_is_said_in_other_words(schema: dict[str, Any], rewritten: Any) -> None:
    """What only validates is left out, since Arc validates it."""
    assert rewrite_schema(schema) == rewritten


def test_parts_of_all_are_merged() -> None:
    """Properties and what is required of them come together."""
    first = {"type": "object", "properties": {"a": TEXT}, "required": ["a"]}
    second = {"type": "object", "properties": {"b": TEXT}, "required": ["b", "a"]}
    definitions = {"Second": second}

    schema = rewrite_schema({"allOf": [first, {"$ref": "#/$defs/Second"}], "$defs": definitions})

    del schema["$defs"]
    assert schema == {
        "type": "object",
        "properties": {"a": TEXT, "b": TEXT},
        "required": ["a", "b"],
    }


@pytest.mark.parametrize(
    ("schema", "keyword", "place"),
    [
        ({"properties": {"a": {"$ref": "https://a.example/b"}}}, "$ref", "a"),
        ({"properties": {"a": {"items": False, "anyOf": [False]}}}, "false", "a.anyOf"),
        ({"allOf": [{"minimum": 1}, {"minimum": 2}]}, "allOf", ""),
    ],
)
def test_what_cannot_be_said_is_refused_by_name(
    schema: dict[str, Any], keyword: str, place: str
) -> None:
    """With its place, since a schema may be long."""
    with pytest.raises(SchemaRefusedError) as caught:
        rewrite_schema(schema)

    assert (caught.value.keyword, caught.value.place) == (keyword, place)


def test_a_schema_without_end_is_refused() -> None:
    """Tools come from servers that need not be trusted."""
    schema: dict[str, Any] = {}
    for _ in range(200):
        schema = {"items": schema}

    with pytest.raises(SchemaRefusedError):
        rewrite_schema(schema)
