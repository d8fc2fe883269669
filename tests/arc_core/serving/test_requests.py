"""What is counted of a JSON text while it comes."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arc_core.serving.problems import Problem
from arc_core.serving.requests import JsonShape

TEXTS = st.text(st.sampled_from('ab"\\/{}[],: \né'), max_size=80)
VALUES = st.recursive(
    st.none() | st.integers() | TEXTS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["data", "a", 'da"ta', "data\\"]), inner, max_size=4)
    ),
    max_leaves=20,
)


def _count(value: Any) -> int:
    """The commas and the openings that a value is written with."""
    match value:
        case dict():
            inner: list[Any] = list(value.values())
        case list():
            inner = value
        case _:
            return 0
    return 1 + max(len(inner) - 1, 0) + sum(map(_count, inner))


def _attached(value: Any) -> int:
    """How long the long texts in fields of the name `data` are."""
    match value:
        case dict():
            own = value.get("data")
            size = len(json.dumps(own).encode()) - 2 if isinstance(own, str) else 0
            return (size if size > 64 else 0) + sum(map(_attached, value.values()))
        case list():
            return sum(map(_attached, value))
    return 0


def _feed(shape: JsonShape, text: bytes, cut: int) -> None:
    for start in range(0, len(text), cut):
        shape.read(text[start : start + cut])


@given(VALUES, st.integers(min_value=1, max_value=50))
def test_values_are_counted_in_pieces_of_any_size(value: Any, cut: int) -> None:
    """As many as there are may be, and one fewer is too many; texts may say what they like."""
    text, items = json.dumps(value).encode(), _count(value)

    _feed(JsonShape(max_items=items), text, cut)
    if items:
        with pytest.raises(Problem):
            _feed(JsonShape(max_items=items - 1), text, cut)


@given(VALUES, st.sampled_from([7, 64, 70, 10_000]))
def test_attached_texts_are_counted_by_the_name_of_their_field(value: Any, cut: int) -> None:
    """Never more than there is; all of it, but for its first bytes, in pieces of any size."""
    value = [value, {"data": "A" * 300, "text": "B" * 300}, {"data": "é" * 20}]
    shape = JsonShape(max_items=10_000)
    shape.attached_in = {b"data"}

    _feed(shape, json.dumps(value).encode(), cut)

    whole = _attached(value)
    assert whole - 70 * str(value).count("data") <= shape.attached_bytes <= whole


@pytest.mark.parametrize("unit", [b"[", b'{"a":', b'["{", '])
def test_nesting_is_bounded(unit: bytes) -> None:
    """A hundred levels may be, however the text is cut."""
    for cut in (1, 10_000):
        _feed(JsonShape(max_items=10_000), unit * 100, cut)
        with pytest.raises(Problem, match="100 levels"):
            _feed(JsonShape(max_items=10_000), unit * 101, cut)


@pytest.mark.parametrize("cut", [1, 7, 70_000])
def test_texts_without_anything_between_are_counted(cut: int) -> None:
    """Text that is not JSON has quotes that cost as much to read as values."""
    _feed(JsonShape(max_items=100), b'"' * 400, cut)

    with pytest.raises(Problem, match="100 values"):
        _feed(JsonShape(max_items=100), b'"' * 410, cut)


@pytest.mark.parametrize("cut", [1, 7, 70_000])
def test_escapes_are_counted(cut: int) -> None:
    """Each backslash, of whatever it is a part."""
    shape = JsonShape(max_items=100)

    _feed(shape, b'{"data": "' + rb"\/\u0041\\\"" * 100 + b'"}', cut)

    assert shape.escapes == 500
