"""What holds for all classes, all values and all ways of cutting them into deltas."""

import copy
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arc_core.assembly import ReflectiveAssembler
from tests.arc_core.assembly.random_records import (
    FAMILIES,
    RandomClass,
    cuts,
    plain_values,
    schemas,
)

pytestmark = [pytest.mark.slow, pytest.mark.parametrize("family", FAMILIES)]

many = settings(max_examples=30, deadline=None)


class Cut(NamedTuple):
    """An assembler of a class, a value of the class, and deltas that make it up."""

    assembler: Any
    value: Any
    deltas: list[Any]
    nothing: Any

    def assemble(self) -> Any:
        """What all deltas have led to."""
        for delta in self.deltas:
            self.assembler.apply_delta(delta)
        return self.assembler.build()


@st.composite
def streams(draw: st.DrawFn) -> Callable[[str], Cut]:
    """A class of any family, a value of it, and a way to cut it."""
    schema = draw(schemas())
    value = draw(plain_values(schema))
    plain_deltas = draw(cuts(schema, value))

    def make(family: str) -> Cut:
        made = RandomClass(schema, family)
        deltas = [made.record(delta) for delta in plain_deltas]
        nothing = made.record(dict.fromkeys(schema.fields))
        return Cut(ReflectiveAssembler.of(made.cls), made.record(value), deltas, nothing)

    return make


@given(streams())
@many
def test_every_cut_builds_the_same_value(family: str, stream: Callable[[str], Cut]) -> None:
    """However a value is cut into deltas, assembling them gives the value."""
    cut = stream(family)

    assert cut.assemble() == cut.value


@given(streams(), st.data())
@many
def test_null_deltas_change_nothing(
    family: str, stream: Callable[[str], Cut], data: st.DataObject
) -> None:
    """A delta whose fields are all `None` may come anywhere and any number of times."""
    cut = stream(family)

    for delta in cut.deltas:
        for _ in range(data.draw(st.integers(0, 2))):
            cut.assembler.apply_delta(cut.nothing)
        cut.assembler.apply_delta(delta)
    cut.assembler.apply_delta(cut.nothing)

    assert cut.assembler.build() == cut.value


@given(streams())
@many
def test_building_in_between_changes_nothing(family: str, stream: Callable[[str], Cut]) -> None:
    """`build()` after every delta leads to the same end as one `build()`."""
    cut = stream(family)

    for delta in cut.deltas:
        cut.assembler.apply_delta(delta)
        cut.assembler.build()

    assert cut.assembler.build() == cut.assembler.build() == cut.value


@given(streams())
@many
def test_an_earlier_build_is_never_changed(family: str, stream: Callable[[str], Cut]) -> None:
    """What `build()` returned stays what it was, whatever comes later."""
    cut, built = stream(family), []

    for delta in cut.deltas:
        cut.assembler.apply_delta(delta)
        built.append(cut.assembler.build())
    kept = copy.deepcopy(built)
    cut.assemble()

    assert built == kept


@given(streams())
@many
def test_deltas_are_never_changed(family: str, stream: Callable[[str], Cut]) -> None:
    """Assembling leaves the deltas themselves alone."""
    cut = stream(family)
    kept = copy.deepcopy(cut.deltas)

    cut.assemble()

    assert cut.deltas == kept
