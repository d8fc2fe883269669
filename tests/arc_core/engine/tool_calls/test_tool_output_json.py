"""JSON of large values, made only as far as it is read."""

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel
from pydantic_core import to_json

from arc_core.engine.tool_calls.tool_output import json_beginning

MANY = 20_000
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=5) | st.integers(), inner, max_size=4)
        | st.tuples(inner)
    ),
    max_leaves=20,
)


class Numbers(BaseModel):
    """A value whose class says what its JSON is."""

    numbers: list[int]


def surrounded(value: Any) -> list[Any]:
    """A value too large to be made into JSON at once, with this one in several places."""
    return [value, [value, *range(MANY)], {"a": value, "b": {str(n): value for n in range(700)}}]


def endless() -> Iterator[int]:
    """Numbers, and no last one."""
    yield from count()


@pytest.mark.slow
@given(json_values)
def test_a_large_value_made_in_pieces_is_the_same(value: Any) -> None:
    """As the one that is made at once."""
    large = surrounded(value)

    assert json_beginning(large, max_chars=10**9) == (to_json(large).decode(), True)


@pytest.mark.slow
@given(json_values, st.integers(1, 500))
def test_the_beginning_is_the_beginning(value: Any, most: int) -> None:
    """At least so many characters of what the whole would be."""
    text, whole = json_beginning(surrounded(value), max_chars=most)

    assert not whole
    assert to_json(surrounded(value)).decode().startswith(text[:most])
    assert len(text) > most


@pytest.mark.parametrize(
    "make",
    [
        lambda: list(range(1_000_000)),
        lambda: {"rows": [{"id": number} for number in range(MANY)]},
        lambda: {f"k{number}": number for number in range(MANY)},
        lambda: ["x" * 1_000_000] * 100,
        lambda: {"x" * 10_000_000: 1},
        lambda: [Numbers(numbers=[1])] * MANY,
        endless,
    ],
    ids=["numbers", "rows", "keys", "texts", "key", "models", "endless"],
)
def test_no_more_is_made_than_is_read(make: Callable[[], object]) -> None:
    """But for the rest of a batch, or of a text."""
    text, whole = json_beginning(make(), max_chars=1000)

    assert not whole
    assert 1000 < len(text) < 30_000


def test_an_object_with_too_many_parts_is_refused() -> None:
    """It cannot be taken apart: only its class knows which fields it shows, and how."""
    with pytest.raises(ValueError, match="too many parts"):
        json_beginning(Numbers(numbers=list(range(200_000))), max_chars=1000)


def test_a_large_value_that_has_itself_in_it_is_refused() -> None:
    """It has no end."""
    values: list[Any] = [0] * MANY
    values[0] = values

    with pytest.raises(ValueError, match="itself"):
        json_beginning(values, max_chars=10**9)
