"""Schemas for vendors: the subset they enforce, or none at all."""

from enum import Enum
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import BaseModel, Field

from arc_core.wire import strict_schema


class Unit(Enum):
    """An enum."""

    CELSIUS = "c"
    FAHRENHEIT = "f"


class Place(BaseModel):
    """A nested object."""

    city: str = Field(min_length=1, description="Name of the city.")
    country: str | None = None


class Weather(BaseModel):
    """What is usual in models."""

    place: Place
    unit: Unit = Unit.CELSIUS
    kind: Literal["sun", "rain"]
    degrees: list[float] = Field(min_length=1)


class Tree(BaseModel):
    """A recursive model."""

    children: list["Tree"]


class Cat(BaseModel):
    """One of two."""

    pet: Literal["cat"]


class Dog(BaseModel):
    """The other."""

    pet: Literal["dog"]


class Owner(BaseModel):
    """A discriminated union."""

    pet: Cat | Dog = Field(discriminator="pet")


ANSWER = {
    "place": {"city": "Seoul", "country": None},
    "unit": "c",
    "kind": "sun",
    "degrees": [21.5],
}


def test_objects_are_closed_and_complete() -> None:
    """Every object names all its properties as required and allows no others."""
    strict = strict_schema(Weather.model_json_schema(), all_required=True)

    assert strict is not None
    for part in (strict, strict["$defs"]["Place"]):
        assert part["additionalProperties"] is False
        assert part["required"] == list(part["properties"])


def test_optional_properties_may_stay_optional() -> None:
    """Where a vendor allows it, the schema's own word on what is required holds."""
    strict = strict_schema(Weather.model_json_schema(), all_required=False)

    assert strict is not None
    assert strict["required"] == ["place", "kind", "degrees"]


@pytest.mark.parametrize("model", [Weather, Tree, Owner])
def test_the_subset_is_a_valid_schema(model: type[BaseModel]) -> None:
    """What is sent is JSON Schema."""
    strict = strict_schema(model.model_json_schema(), all_required=True)

    assert strict is not None
    Draft202012Validator.check_schema(strict)


def test_answers_to_the_subset_satisfy_the_original() -> None:
    """A complete answer fits both schemas."""
    strict = strict_schema(Weather.model_json_schema(), all_required=True)

    assert strict is not None
    Draft202012Validator(strict).validate(ANSWER)
    Weather.model_validate(ANSWER)


def test_what_only_validates_is_left_out() -> None:
    """Lengths, titles and defaults are not sent; descriptions are."""
    strict = strict_schema(Place.model_json_schema(), all_required=True)

    assert strict is not None
    assert strict["properties"]["city"] == {"type": "string", "description": "Name of the city."}


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "array", "items": {"type": "string"}},
        {"type": "object"},
        {"type": "object", "properties": {}},
        {"type": "object", "properties": {"a": {"type": "object"}}},
        {"type": "object", "properties": {"a": {"type": "array"}}},
        {"type": "object", "properties": {"a": {}}},
        {"type": "object", "properties": {"a": {"type": ["object", "null"]}}},
        {"type": "object", "properties": {"a": {"not": {"type": "null"}}}},
        {"type": "object", "properties": {"a": {"$ref": "https://example.com/schema"}}},
        {"type": "object", "properties": {"a": True}},
        {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": {}},
    ],
)
def test_what_the_subset_cannot_say_gives_none(schema: dict[str, Any]) -> None:
    """Free-form parts, other roots, and keywords beyond the subset are left to the prompt."""
    assert strict_schema(schema, all_required=True) is None


@given(
    st.dictionaries(
        st.text(min_size=1, max_size=3),
        st.sampled_from(["string", "integer", "boolean", "null"]),
        min_size=1,
    )
)
def test_flat_objects_are_always_supported(properties: dict[str, str]) -> None:
    """Any object of plain values has a counterpart with the same properties."""
    parts = {name: {"type": kind} for name, kind in properties.items()}

    strict = strict_schema({"type": "object", "properties": parts}, all_required=True)

    assert strict is not None
    assert strict["properties"] == parts
