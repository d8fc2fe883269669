"""Unions whose members are told apart."""

import dataclasses
from typing import Any, Literal

import pytest
from pydantic import BaseModel, ValidationError, ValidationInfo, field_validator

from arc_core.output_types import OutputType


class Flight(BaseModel):
    number: str
    seat: int = 1


class NoFlightFound(BaseModel):
    pass


class Approved(BaseModel):
    reason: str


@dataclasses.dataclass
class Rejected:
    reason: str


class Cat(BaseModel):
    animal: Literal["cat"]


class Dog(BaseModel):
    animal: Literal["dog"]


class Known(BaseModel):
    kind: str

    @field_validator("kind")
    @classmethod
    def check(cls, kind: str, info: ValidationInfo) -> str:
        """Be one of those that the context has."""
        if kind not in (info.context or ()):
            raise ValueError("it is not known")
        return kind


@pytest.mark.parametrize(
    ("declared", "text", "value"),
    [
        (Flight | NoFlightFound, '{"kind": "Flight", "number": "AZ 1"}', Flight(number="AZ 1")),
        (Flight | NoFlightFound, '{"kind": "NoFlightFound"}', NoFlightFound()),
        (Flight | NoFlightFound, '{"number": "AZ 1"}', Flight(number="AZ 1")),
        (Flight | NoFlightFound, '{"number": "AZ 1", "note": 1}', Flight(number="AZ 1")),
        (Flight | NoFlightFound, "{}", NoFlightFound()),
        (Approved | Rejected, '{"kind": "Rejected", "reason": "x"}', Rejected("x")),
        (Flight | NoFlightFound | str, '"none"', "none"),
        (Flight | None, "null", None),
        (Cat | Dog, '{"animal": "dog"}', Dog(animal="dog")),
    ],
)
def test_a_member_is_what_its_tag_or_its_fields_say(declared: Any, text: str, value: Any) -> None:
    """A model that leaves the tag out is understood, if its fields are those of one member."""
    assert OutputType.of(declared).validate(text) == value


@pytest.mark.parametrize(
    ("declared", "text", "problem"),
    [
        (Flight | NoFlightFound, '{"kind": "Flight", "number": 3}', "valid string"),
        (Flight | NoFlightFound, '{"number": 3}', "valid string"),
        (Flight | NoFlightFound, '{"seat": 3}', "Field required"),
        (Flight | NoFlightFound, '{"nothing": true}', "which of Flight, NoFlightFound"),
        (Flight | NoFlightFound, '{"kind": "Train"}', "not one of Flight, NoFlightFound"),
        (Approved | Rejected, '{"reason": "x"}', "which of Approved, Rejected"),
    ],
)
def test_an_invalid_member_is_not_taken_for_another_one(
    declared: Any, text: str, problem: str
) -> None:
    """Also not for one that is empty, and so fits every object."""
    with pytest.raises(ValidationError, match=problem):
        OutputType.of(declared).validate(text)


def test_the_model_is_asked_for_the_tag_first() -> None:
    """Each object of the schema has it, as its first property."""
    schema = OutputType.of(Flight | NoFlightFound | None).request_schema

    assert not isinstance(schema, type)
    flight, none_found, nothing = schema["properties"]["answer"]["anyOf"]
    assert list(flight["properties"]) == ["kind", "number", "seat"]
    assert flight["required"] == ["kind", "number"]
    assert none_found["properties"] == {"kind": {"const": "NoFlightFound", "type": "string"}}
    assert nothing == {"type": "null"}


def test_a_tag_does_not_take_the_name_of_a_field() -> None:
    """Another name is found."""
    union = OutputType.of(Known | NoFlightFound).union

    assert union is not None
    assert union.tag == "kind_"


@pytest.mark.parametrize("declared", [Cat | Dog, Flight | None, Flight | str, list[Flight]])
def test_what_is_told_apart_already_gets_no_tag(declared: Any) -> None:
    """By a field of its own, or as there is one object only."""
    assert OutputType.of(declared).union is None


def test_validators_of_members_have_the_context() -> None:
    """As those of any type have."""
    declared = OutputType.of(Known | NoFlightFound)

    assert declared.validate('{"kind": "a"}', context=["a"]) == Known.model_construct(kind="a")
    with pytest.raises(ValidationError, match="not known"):
        declared.validate('{"kind": "b"}', context=["a"])
