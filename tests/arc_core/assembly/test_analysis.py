"""Mistakes in markers and rules, found when the assembler is made."""

from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any, Literal

import pytest

from arc_core import assembly


class Colour(StrEnum):
    """An enumeration of texts."""

    RED = "red"


@dataclass
class Item:
    """An item with an index."""

    index: Annotated[int, assembly.StreamIndex()]
    text: str | None = None


@dataclass
class Other:
    """An object without an index."""

    text: str | None = None


def get_failure(annotation: Any) -> assembly.AssemblyError:
    """The error of a class `Record` with one field, `value`."""
    record = type("Record", (), {"__annotations__": {"value": annotation}, "__module__": __name__})
    with pytest.raises(assembly.AssemblyError) as caught:
        assembly.ReflectiveAssembler.of(dataclass(record))
    return caught.value


@pytest.mark.parametrize(
    "annotation",
    [
        int,
        float | None,
        bool,
        Decimal,
        Colour,
        Literal["a", "b"],
        dict[str, int],
        set[str],
        tuple[int, str],
        str | int,
        str | list[str] | None,
        Item | Other,
        None,
    ],
    ids=str,
)
def test_append_needs_something_that_grows(annotation: Any) -> None:
    """`StreamAppend` fits one type: text, bytes, a list, or a class of objects."""
    error = get_failure(Annotated[annotation, assembly.StreamAppend()])

    assert (error.class_name, error.field) == ("Record", "value")
    assert "StreamAppend does not fit" in error.problem
    assert "StreamMerge(function)" in error.remedy


@pytest.mark.parametrize("annotation", [bytes, list[str], Item], ids=str)
def test_coerce_is_for_text(annotation: Any) -> None:
    """Only text can be made of something else."""
    error = get_failure(Annotated[annotation, assembly.StreamAppend(coerce=str)])

    assert "StreamAppend(coerce=…) does not fit" in error.problem


@pytest.mark.parametrize(
    "annotation",
    [str, list[str], list[Any], list, Item, dict[int, Item], set[Item], list[Item] | Item,
     list[Item | Other], tuple[Item, Item]],
    ids=str,
)  # fmt: skip
def test_indexed_list_needs_a_list_of_objects(annotation: Any) -> None:
    """`StreamIndexedList` fits a list of objects of one class."""
    error = get_failure(Annotated[annotation, assembly.StreamIndexedList()])

    assert (error.class_name, error.field) == ("Record", "value")
    assert "StreamIndexedList does not fit" in error.problem


def test_items_need_an_index() -> None:
    """Items without an index field are named, with both ways to give them one."""
    error = get_failure(Annotated[list[Other], assembly.StreamIndexedList()])

    assert (error.class_name, error.field) == ("Record", "value")
    assert "Other" in error.problem
    assert "StreamIndex()" in error.remedy
    assert "by=" in error.remedy


@pytest.mark.parametrize(
    "marker", [assembly.StreamIndexedList(by="place"), assembly.StreamIndexedList(identity="id")]
)
def test_named_item_fields_must_exist(marker: assembly.StreamIndexedList) -> None:
    """The error of an unknown name lists those that exist."""
    error = get_failure(Annotated[list[Item], marker])

    assert "index, text" in error.remedy


def test_missing_is_one_of_three_words() -> None:
    """A misspelt choice is found with the choices there are."""
    marker = assembly.StreamIndexedList(missing="ignore")  # type: ignore[arg-type]

    error = get_failure(Annotated[list[Item], marker])

    assert "'ignore'" in error.problem
    assert '"append"' in error.remedy


@dataclass
class TwoIndexes:
    """A class with two index fields."""

    one: Annotated[int, assembly.StreamIndex()]
    two: Annotated[int, assembly.StreamIndex()]


def test_two_indexes_are_one_too_many() -> None:
    """The error names the class and both fields."""
    error = get_failure(Annotated[list[TwoIndexes], assembly.StreamIndexedList()])

    assert error.class_name == "TwoIndexes"
    assert "one and two" in error.problem


@pytest.mark.parametrize("annotation", [str, float, bool, int | str, list[int]], ids=str)
def test_an_index_is_an_integer(annotation: Any) -> None:
    """`StreamIndex` fits `int` and `int | None`."""
    error = get_failure(Annotated[annotation, assembly.StreamIndex()])

    assert (error.class_name, error.field) == ("Record", "value")
    assert "an index is an int" in error.problem


def test_a_named_index_is_an_integer() -> None:
    """`by` cannot name a text."""
    error = get_failure(Annotated[list[Item], assembly.StreamIndexedList(by="text")])

    assert (error.class_name, error.field, error.path) == ("Item", "text", "value.text")


def test_two_markers_exclude_each_other() -> None:
    """A field has one rule."""
    error = get_failure(Annotated[str, assembly.StreamAppend(), assembly.StreamMerge(max)])

    assert "StreamAppend and StreamMerge" in error.problem


def test_a_marker_is_an_instance() -> None:
    """Forgotten parentheses are found, with what to write."""
    error = get_failure(Annotated[str, assembly.StreamAppend])

    assert error.remedy == "Write StreamAppend()."


def test_a_marker_belongs_to_the_field() -> None:
    """A marker on the items of a list would do nothing."""
    error = get_failure(list[Annotated[Item, assembly.StreamAppend()]])

    assert "items of a list" in error.problem


def test_merge_needs_a_function() -> None:
    """`StreamMerge` of something that cannot be called is found at once."""
    error = get_failure(Annotated[int, assembly.StreamMerge("sum")])  # type: ignore[arg-type]

    assert error.value_type == "str"


def test_mistakes_of_inner_classes_have_a_path() -> None:
    """A mistake inside of inner classes names the class it is in, and the way to it."""

    @dataclass
    class Inner:
        number: Annotated[int | None, assembly.StreamAppend()] = None

    @dataclass
    class Outer:
        inner: Annotated[Inner | None, assembly.StreamAppend()] = None

    with pytest.raises(assembly.AssemblyError) as caught:
        assembly.ReflectiveAssembler.of(Outer)

    assert (caught.value.class_name, caught.value.path) == ("Inner", "inner.number")


@dataclass
class Computed:
    """A class that computes one of its fields."""

    text: Annotated[str, assembly.StreamAppend()] = ""
    length: Annotated[int, assembly.StreamMerge(max)] = field(default=0, init=False)


def test_a_computed_field_cannot_be_marked() -> None:
    """What the constructor computes takes no part in the assembly."""
    with pytest.raises(
        assembly.AssemblyError, match=r"Computed\.length: the constructor computes it"
    ):
        assembly.ReflectiveAssembler.of(Computed)


@pytest.mark.parametrize(
    "cls", [int, str, object, list[int], dict, Colour, None, "text", 5, Item | Other], ids=str
)
def test_only_classes_of_objects_are_assembled(cls: Any) -> None:
    """The error says what can be assembled."""
    with pytest.raises(assembly.AssemblyError, match="pydantic model, dataclass, TypedDict"):
        assembly.ReflectiveAssembler.of(cls)


def test_an_unhashable_class_is_refused_like_any_other() -> None:
    """What cannot even be looked up in the cache gets the same error."""
    with pytest.raises(assembly.AssemblyError, match="not a class of objects"):
        assembly.ReflectiveAssembler.of([Item])  # type: ignore[arg-type]


@pytest.mark.parametrize("max_depth", [0, -1, 1_000])
def test_the_depth_has_bounds(max_depth: int) -> None:
    """A depth that could not be kept is refused, with those that can."""
    with pytest.raises(assembly.AssemblyError, match="from 1 to 128"):
        assembly.ReflectiveAssembler.of(Item, max_depth=max_depth)
