"""Which item a fragment belongs to, in all the ways that streams say so or fail to."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arc_core.assembly import AssemblyError, ReflectiveAssembler, StreamAppend, StreamIndexedList


@dataclass(frozen=True)
class Call:
    """A fragment or a whole call; equal when all of it is."""

    index: int | None = None
    id: str | None = None
    text: Annotated[str | None, StreamAppend()] = None


@dataclass(frozen=True)
class Message:
    """A list without a marker; the tests have different ones."""

    calls: list[Call] | None = None


def assembled(marker: StreamIndexedList, *fragments: Call) -> list[Call]:
    """The calls that fragments make up, each in a delta of its own."""
    assembler = ReflectiveAssembler.of(Message, rules={"calls": marker})
    for fragment in fragments:
        assembler.apply_delta(Message([fragment]))
    return assembler.build().calls or []


BY_INDEX = StreamIndexedList(by="index")
BY_IDENTITY = StreamIndexedList(by="index", identity="id", missing="continue")


def test_the_same_index_is_the_same_item() -> None:
    """Fragments with an index of their own continue the item of that index."""
    fragments = Call(0, "a", "x"), Call(1, "b", "y"), Call(0, None, "z")

    assert assembled(BY_INDEX, *fragments) == [Call(0, "a", "xz"), Call(1, "b", "y")]


@given(st.permutations([0, 1, 2, 5, 9]))
def test_items_are_built_in_the_order_of_their_indexes(indexes: list[int]) -> None:
    """Arrival does not matter, nor do gaps."""
    built = assembled(BY_INDEX, *(Call(index) for index in indexes))

    assert built == [Call(0), Call(1), Call(2), Call(5), Call(9)]


def test_an_item_without_an_index_is_an_error_by_default() -> None:
    """There is no place for it, and the error says how to have one."""
    with pytest.raises(AssemblyError, match='missing="append"'):
        assembled(BY_INDEX, Call(None, "a"))


def test_an_item_without_an_index_may_be_new() -> None:
    """`missing="append"` begins an item with each; it stands behind those before it."""
    marker = StreamIndexedList(by="index", missing="append")

    built = assembled(marker, Call(1, "a"), Call(None, "b"), Call(None, "c"), Call(0, "d"))

    assert built == [Call(0, "d"), Call(1, "a"), Call(None, "b"), Call(None, "c")]


def test_an_item_without_an_index_may_continue_the_last() -> None:
    """`missing="continue"` appends to the item that was begun last; the first one begins it."""
    marker = StreamIndexedList(by="index", missing="continue")

    assert assembled(marker, Call(None, "a", "x"), Call(None, None, "y")) == [Call(None, "a", "xy")]


def test_a_new_identity_is_a_new_item_even_at_a_taken_index() -> None:
    """Servers that send index 0 for every call tell them apart by id."""
    fragments = Call(0, "a", "x"), Call(0, "b", "y"), Call(0, None, "z")

    assert assembled(BY_IDENTITY, *fragments) == [Call(0, "a", "x"), Call(0, "b", "yz")]


def test_a_known_identity_continues_its_item() -> None:
    """An id that comes again is not a new call, whatever the index says or does not."""
    fragments = Call(0, "a", "x"), Call(1, "b", "y"), Call(None, "a", "z"), Call(1, "a", "!")

    built = assembled(BY_IDENTITY, *fragments)

    assert [call.text for call in built] == ["xz!", "y"]


@pytest.mark.parametrize("empty", [None, ""])
def test_an_empty_identity_is_none(empty: str | None) -> None:
    """Continuations whose id is null or empty go by their index."""
    fragments = Call(0, "a", "x"), Call(1, "b", "y"), Call(0, empty, "z")

    assert [call.text for call in assembled(BY_IDENTITY, *fragments)] == ["xz", "y"]


def test_identities_need_no_index() -> None:
    """Whole calls without an index are told apart by id, and kept in the order they came."""
    built = assembled(BY_IDENTITY, Call(None, "b", "x"), Call(None, "a", "y"))

    assert built == [Call(None, "b", "x"), Call(None, "a", "y")]


def test_an_identity_may_come_late() -> None:
    """An id that follows at the index of an item without one is that item's."""
    fragments = Call(0, None, "x"), Call(0, "a", "y"), Call(0, "a", "z")

    assert assembled(BY_IDENTITY, *fragments) == [Call(0, "a", "xyz")]


def test_what_has_neither_continues_the_last_begun() -> None:
    """With identities, too, a fragment that says nothing of itself goes on where it was."""
    fragments = Call(0, "a", "x"), Call(1, "b", "y"), Call(None, "", "z")

    assert [call.text for call in assembled(BY_IDENTITY, *fragments)] == ["x", "yz"]


@pytest.mark.parametrize("missing", ["append", "continue"])
def test_an_index_that_is_not_a_whole_number_is_never_accepted(
    missing: Literal["append", "continue"],
) -> None:
    """Leniency about missing indexes is none about wrong ones."""
    marker: Any = StreamIndexedList(by="index", identity="id", missing=missing)
    wrong: Any = 0.5

    with pytest.raises(AssemblyError, match="an index is a whole number"):
        assembled(marker, Call(wrong, "a"))


def test_negative_indexes_are_merged_and_stand_first() -> None:
    """An index is a value like any other, by which items are sorted."""
    fragments = Call(1, text="c"), Call(-1, text="a"), Call(0, text="b"), Call(-1, text="a")

    assert [call.text for call in assembled(BY_INDEX, *fragments)] == ["aa", "b", "c"]


@pytest.mark.parametrize("equal", [True, 1.0])
@pytest.mark.parametrize("is_first", [True, False])
def test_indexes_of_one_value_are_one_index(equal: Any, *, is_first: bool) -> None:
    """Whichever of them comes first: Python and JSON write one number in several ways."""
    pair = [Call(equal, text="x"), Call(1, text="x")]
    fragments = pair if is_first else pair[::-1]

    (call,) = assembled(BY_INDEX, *fragments)

    assert call.text == "xx"
    assert call.index == 1


def test_an_item_without_an_index_stands_behind_negative_ones() -> None:
    """It stands behind all that began before it."""
    marker = StreamIndexedList(by="index", missing="append")
    fragments = Call(-2, text="a"), Call(None, text="c"), Call(-3, text="b")

    assert [call.text for call in assembled(marker, *fragments)] == ["b", "a", "c"]


@pytest.mark.slow
@given(st.data())
def test_identities_decide_whatever_the_indexes_are(data: st.DataObject) -> None:
    """As long as each fragment has its id, indexes change nothing but the order of items."""
    ids = data.draw(st.lists(st.sampled_from("abc"), max_size=8))
    indexes: Any = st.none() | st.integers(0, 2)
    fragments = [Call(data.draw(indexes), id_, str(i)) for i, id_ in enumerate(ids)]

    built = assembled(BY_IDENTITY, *fragments)

    assert {call.id: call.text for call in built} == {
        id_: "".join(str(i) for i, other in enumerate(ids) if other == id_) for id_ in set(ids)
    }
