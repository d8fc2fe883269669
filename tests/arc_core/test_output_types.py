"""Types of answers: their schemas, and those that have none."""

import dataclasses
from collections.abc import Callable
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, RootModel

from arc_core.output_types import OutputType, flaw_of_type, name_of_type
from tests.arc_core.declared_types import Colour, Point, Row


class City(BaseModel):
    name: str
    twin: "City | None" = None


class Unknown:
    """Nothing that pydantic knows."""


OBJECTS = [City, Point, Row, dict[str, int]]
OTHERS = [list[City], City | Point, Literal["a"], Colour, int, RootModel[int], Annotated[int, {}]]


@pytest.mark.parametrize("declared", [*OBJECTS, *OTHERS])
def test_every_kind_of_type_has_an_object_at_the_root(declared: Any) -> None:
    """Vendors hold a model to a schema only if its root is an object."""
    schema = OutputType.of(declared).request_schema

    if isinstance(schema, type):
        assert schema is City
    else:
        assert schema["type"] == "object"


@pytest.mark.parametrize("declared", OBJECTS)
def test_objects_are_asked_for_as_they_are(declared: Any) -> None:
    """Nothing is put around what is an object already."""
    output_type = OutputType.of(declared)

    assert not output_type.is_wrapped
    assert output_type.unwrap({"answer": 1}) == {"answer": 1}


@pytest.mark.parametrize("declared", OTHERS)
def test_what_is_not_an_object_is_put_into_one(declared: Any) -> None:
    """The answer is taken out again; a model that left the object out is right, too."""
    output_type = OutputType.of(declared)

    assert output_type.is_wrapped
    assert output_type.unwrap({"answer": [1]}) == [1]
    assert output_type.unwrap([1]) == [1]
    assert output_type.unwrap({"answer": 1, "more": 2}) == {"answer": 1, "more": 2}


def test_references_of_a_wrapped_schema_lead_somewhere() -> None:
    """The definitions stay at the root, where references look for them."""
    schema = OutputType.of(list[City]).request_schema

    assert not isinstance(schema, type)
    assert schema["properties"]["answer"]["items"] == {"$ref": "#/$defs/City"}
    assert "City" in schema["$defs"]


def test_places_are_those_the_model_sees() -> None:
    """A problem is told where it is in the answer with its object."""
    assert OutputType.of(list[int]).get_place((0,)) == "answer.0"
    assert OutputType.of(City).get_place(("twin", "name")) == "twin.name"


def test_a_type_has_one_adapter() -> None:
    """Schemas cost time, and a program names few types."""
    assert OutputType.of(list[City]) is OutputType.of(list[City])


@pytest.mark.parametrize(
    "declared", [Unknown, list[Unknown], Callable[[], int], BaseModel, type, 5, "int", print]
)
def test_what_has_no_json_schema_is_named(declared: Any) -> None:
    """The flaw names what was given, and nothing is raised."""
    flaw = flaw_of_type(declared)

    assert flaw is not None
    assert flaw.startswith((name_of_type(declared), "BaseModel"))


class Handler(BaseModel):
    name: str
    work: Callable[[int], int]


@dataclasses.dataclass
class Holder:
    name: str
    inside: Unknown


class Later(BaseModel):
    next: "NotThere"  # type: ignore[name-defined]  # noqa: F821


@pytest.mark.parametrize(
    ("declared", "said"),
    [
        (Handler, "Handler, field 'work', has no JSON Schema: JSON has no values of this kind"),
        (Holder, "Holder, field 'inside', has no JSON Schema: it is not a type that pydantic"),
        (Later, "Later, field 'next', has no JSON Schema: it refers to a class that is not"),
    ],
)
def test_the_flaw_has_the_field_and_what_to_do(declared: Any, said: str) -> None:
    """In no words of pydantic's inside."""
    flaw = flaw_of_type(declared)

    assert flaw is not None
    assert flaw.startswith(said)
    assert "; use what JSON can say" in flaw or "; define it before" in flaw


@pytest.mark.parametrize("declared", [*OBJECTS, *OTHERS])
def test_types_of_answers_have_no_flaw(declared: Any) -> None:
    """Every kind of type that an answer may have."""
    assert flaw_of_type(declared) is None


def test_long_names_are_cut() -> None:
    """A union of a hundred classes does not fill a screen."""
    assert len(name_of_type(Literal["a" * 500])) <= 101
