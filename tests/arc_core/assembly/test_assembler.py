"""Each rule of the merge table, for a field of its kind."""

import enum
from dataclasses import dataclass, field
from datetime import date
from typing import Annotated, Any

import pytest

from arc_core.assembly import (
    ReflectiveAssembler,
    StreamAppend,
    StreamIndex,
    StreamIndexedList,
    StreamMerge,
)


class Colour(enum.Enum):
    """An enumeration."""

    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True)
class Point:
    """An object with a field of each kind that an object may have."""

    text: Annotated[str | None, StreamAppend()] = None
    number: int | None = None


@dataclass(frozen=True)
class Item:
    """An item of an indexed list."""

    index: Annotated[int, StreamIndex()]
    text: Annotated[str | None, StreamAppend()] = None


@dataclass(frozen=True)
class Everything:
    """A field for each row of the table."""

    replaced_text: str | None = None
    appended_text: Annotated[str | None, StreamAppend()] = None
    appended_bytes: Annotated[bytes | None, StreamAppend()] = None
    integer: int | None = None
    fraction: float | None = None
    flag: bool | None = None
    colour: Colour | None = None
    day: date | None = None
    replaced_list: list[int] | None = None
    appended_list: Annotated[list[int] | None, StreamAppend()] = None
    appended_tuple: Annotated[tuple[int, ...] | None, StreamAppend()] = None
    items: Annotated[list[Item] | None, StreamIndexedList()] = None
    replaced_object: Point | None = None
    merged_object: Annotated[Point | None, StreamAppend()] = None
    replaced_dict: dict[str, int] | None = None
    largest: Annotated[int | None, StreamMerge(max)] = None


ROWS = [
    ("replaced_text", "a", "b", "b"),
    ("appended_text", "Hello", " world", "Hello world"),
    ("appended_bytes", b"a", b"b", b"ab"),
    ("integer", 1, 2, 2),
    ("fraction", 0.5, 0.25, 0.25),
    ("flag", True, False, False),
    ("colour", Colour.RED, Colour.BLUE, Colour.BLUE),
    ("day", date(2026, 1, 1), date(2026, 1, 2), date(2026, 1, 2)),
    ("replaced_list", [1], [2], [2]),
    ("appended_list", [1], [2, 3], [1, 2, 3]),
    ("appended_tuple", (1,), (2, 3), (1, 2, 3)),
    ("items", [Item(0, "a")], [Item(0, "b")], [Item(0, "ab")]),
    ("replaced_object", Point("a", 1), Point("b"), Point("b")),
    ("merged_object", Point("a", 1), Point("b"), Point("ab", 1)),
    ("replaced_dict", {"a": 1}, {"b": 2}, {"b": 2}),
    ("largest", 3, 2, 3),
]


def assembled(*deltas: Any) -> Any:
    """What deltas of one class become."""
    assembler = ReflectiveAssembler.of(type(deltas[0]))
    for delta in deltas:
        assembler.apply_delta(delta)
    return assembler.build()


@pytest.mark.parametrize(("name", "first", "second", "expected"), ROWS)
def test_two_values_become_one_by_the_rule(
    name: str, first: object, second: object, expected: object
) -> None:
    """The second value is taken by the field's rule."""
    deltas = Everything(**{name: first}), Everything(**{name: second})  # type: ignore[arg-type]

    assert getattr(assembled(*deltas), name) == expected


@pytest.mark.parametrize(("name", "first"), [(name, first) for name, first, _, _ in ROWS])
def test_the_first_value_initialises(name: str, first: object) -> None:
    """A field that has nothing yet becomes the delta's value."""
    delta = Everything(**{name: first})  # type: ignore[arg-type]

    assert getattr(assembled(Everything(), delta), name) == first


@pytest.mark.parametrize(("name", "first"), [(name, first) for name, first, _, _ in ROWS])
def test_none_changes_nothing(name: str, first: object) -> None:
    """A delta without the field leaves the field alone."""
    delta = Everything(**{name: first})  # type: ignore[arg-type]

    assert assembled(delta, Everything()) == delta


def test_falsy_values_are_values() -> None:
    """Zero, `False` and the empty text replace; only `None` says nothing."""
    first = Everything(replaced_text="a", integer=1, flag=True, replaced_list=[1])
    second = Everything(replaced_text="", integer=0, flag=False, replaced_list=[])

    assert assembled(first, second) == second


def test_items_are_sorted_by_index() -> None:
    """Items come in any order and are built in the order of their indexes."""
    arriving = [Everything(items=[Item(i, str(i))]) for i in (0, 2, 1)]

    built = assembled(*arriving)

    assert built.items == [Item(0, "0"), Item(1, "1"), Item(2, "2")]


def test_one_delta_may_carry_several_items() -> None:
    """All items of a delta are merged, two of one index with each other."""
    built = assembled(Everything(items=[Item(1, "b"), Item(0, "a"), Item(1, "c")]))

    assert built.items == [Item(0, "a"), Item(1, "bc")]


def test_an_empty_list_is_a_list() -> None:
    """A list that was empty in all deltas is empty, not missing."""
    assert assembled(Everything(items=[])).items == []


def test_build_before_any_delta_gives_defaults() -> None:
    """A class whose fields all have defaults can be built from nothing."""
    assert ReflectiveAssembler.of(Everything).build() == Everything()


def test_build_may_be_called_at_any_time() -> None:
    """Each build shows what has arrived, and stays as it is."""
    assembler = ReflectiveAssembler.of(Everything)
    assembler.apply_delta(Everything(appended_text="a", items=[Item(0, "x")]))
    early = assembler.build()
    assembler.apply_delta(Everything(appended_text="b", items=[Item(0, "y")]))

    late = assembler.build()

    assert (early.appended_text, early.items) == ("a", [Item(0, "x")])
    assert (late.appended_text, late.items) == ("ab", [Item(0, "xy")])


@dataclass(frozen=True)
class Collected:
    """A field whose rule changes the accumulated value in place."""

    names: Annotated[list[str] | None, StreamMerge(lambda known, new: known.extend(new) or known)]


def test_a_merge_function_may_change_what_it_accumulates() -> None:
    """Neither a delta nor an earlier build is touched by a function that works in place."""
    first = Collected(["a"])
    assembler = ReflectiveAssembler.of(Collected)
    assembler.apply_delta(first)
    early = assembler.build()

    assembler.apply_delta(Collected(["b"]))

    assert (first.names, early.names) == (["a"], ["a"])
    assert assembler.build().names == ["a", "b"]


@dataclass(frozen=True)
class Required:
    """A class with a field that has no default."""

    content: Annotated[str | None, StreamAppend()]
    tags: list[str] = field(default_factory=list)


def test_a_required_field_that_was_none_is_none() -> None:
    """Deltas had nothing for a field without a default: so has the result."""
    assert assembled(Required(None), Required(None)) == Required(None)


def test_assemblers_of_one_class_are_independent() -> None:
    """What one assembler folds is not seen by another."""
    one, other = ReflectiveAssembler.of(Required), ReflectiveAssembler.of(Required)
    one.apply_delta(Required("a"))
    other.apply_delta(Required("b"))

    assert (one.build(), other.build()) == (Required("a"), Required("b"))


def test_a_factory_makes_empty_assemblers() -> None:
    """Each call of a factory gives an assembler of its own, with the same rules."""
    make = ReflectiveAssembler.factory(Point, rules={"number": StreamMerge(max)})
    one, other = make(), make()
    one.apply_delta(Point(number=2))
    one.apply_delta(Point(number=1))

    assert (one.build(), other.build()) == (Point(number=2), Point())


class Text(str):
    """A text of its own kind."""


class Texts(list[int]):
    """A list of its own kind."""


class NearPoint(Point):
    """An heir of a merged class."""


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("appended_text", Text("a"), "a"),
        ("appended_list", Texts([1]), [1]),
        ("appended_list", (1,), [1]),
        ("appended_tuple", [1], (1,)),
        ("merged_object", NearPoint("a", 1), Point("a", 1)),
        ("items", (Item(0, "a"),), [Item(0, "a")]),
    ],
)
def test_close_relatives_are_accepted(name: str, value: Any, expected: object) -> None:
    """Subclasses, and tuples for lists, are folded into what the field declares."""
    built = getattr(assembled(Everything(**{name: value})), name)

    assert (built, type(built)) == (expected, type(expected))
