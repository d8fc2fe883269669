"""What holds for all classes, all values and all ways of cutting them into deltas."""

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arc_core.assembly import ReflectiveAssembler
from tests.arc_core.assembly.random_records import (
    FAMILIES,
    RandomClass,
    Schema,
    cuts,
    plain_values,
    schemas,
)

pytestmark = pytest.mark.parametrize("family", FAMILIES)

many = settings(max_examples=30, deadline=None)


@st.composite
def streams(draw: st.DrawFn) -> tuple[Schema, dict[str, Any], list[dict[str, Any]]]:
    """A class, a value of it, and deltas that make it up."""
    schema = draw(schemas())
    value = draw(plain_values(schema))
    return schema, value, draw(cuts(schema, value))


@pytest.mark.slow
@given(streams())
@many
def test_every_cut_builds_the_same_value(family: str, stream: Any) -> None:
    """However a value is cut into deltas, assembling them gives the value."""
    schema, value, plain_deltas = stream
    made = RandomClass(schema, family)
    assembler = ReflectiveAssembler.of(made.cls)

    for delta in plain_deltas:
        assembler.apply_delta(made.record(delta))

    assert assembler.build() == made.record(value)


@pytest.mark.slow
@given(streams(), st.data())
@many
def test_null_deltas_change_nothing(family: str, stream: Any, data: st.DataObject) -> None:
    """A delta whose fields are all `None` may come anywhere and any number of times."""
    schema, value, plain_deltas = stream
    made = RandomClass(schema, family)
    assembler = ReflectiveAssembler.of(made.cls)
    nothing = made.record(dict.fromkeys(schema.fields))

    for delta in plain_deltas:
        for _ in range(data.draw(st.integers(0, 2))):
            assembler.apply_delta(nothing)
        assembler.apply_delta(made.record(delta))
    assembler.apply_delta(nothing)

    assert assembler.build() == made.record(value)


@pytest.mark.slow
@given(streams())
@many
def test_building_in_between_changes_nothing(family: str, stream: Any) -> None:
    """`build()` after every delta leads to the same end as one `build()`."""
    schema, value, plain_deltas = stream
    made = RandomClass(schema, family)
    assembler = ReflectiveAssembler.of(made.cls)

    for delta in plain_deltas:
        assembler.apply_delta(made.record(delta))
        assembler.build()

    assert assembler.build() == assembler.build() == made.record(value)


@pytest.mark.slow
@given(streams())
@many
def test_an_earlier_build_is_never_changed(family: str, stream: Any) -> None:
    """What `build()` returned stays what it was, whatever comes later."""
    schema, _, plain_deltas = stream
    made = RandomClass(schema, family)
    assembler = ReflectiveAssembler.of(made.cls)
    built = []

    for delta in plain_deltas:
        assembler.apply_delta(made.record(delta))
        built.append(assembler.build())
    kept = copy.deepcopy(built)
    for delta in plain_deltas:
        assembler.apply_delta(made.record(delta))

    assert built == kept


@pytest.mark.slow
@given(streams())
@many
def test_deltas_are_never_changed(family: str, stream: Any) -> None:
    """Assembling leaves the deltas themselves alone."""
    schema, _, plain_deltas = stream
    made = RandomClass(schema, family)
    assembler = ReflectiveAssembler.of(made.cls)
    deltas = [made.record(delta) for delta in plain_deltas]
    kept = copy.deepcopy(deltas)

    for delta in deltas:
        assembler.apply_delta(delta)
    assembler.build()

    assert deltas == kept
