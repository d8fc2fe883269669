"""JSON as the standard has it: what else a parser may accept is refused."""

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arc_core.engine.answers.schema_checks import MalformedTextError, parse_json

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
VALUES = st.recursive(
    SCALARS.filter(lambda value: not (isinstance(value, float) and math.isinf(value))),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@pytest.mark.slow
@given(VALUES)
def test_every_value_is_read(value: Any) -> None:
    """What JSON can carry is read as it was written."""
    assert parse_json(json.dumps(value)) == value


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "line 1 column 1: Expecting value"),
        ("Here it is: {}", "line 1 column 1"),
        ('{"a": 1} Anything else?', "line 1 column 10: Extra data"),
        ('{"a": 1', "line 1 column 8: Expecting ',' delimiter"),
        ('{\n"a": 1,\n"b"\n}', "line 4 column 1"),
        ("{'a': 1}", "line 1 column 2"),
        ("NaN", "NaN is not JSON"),
        ('{"a": -Infinity}', "-Infinity is not JSON"),
        ("[1e999]", "The number 1e999 is too large"),
        ("9" * 5000, "a number is too long"),
        ('{"a": 1, "b": {"c": 1, "c": 1}}', 'The key "c" is there more than once'),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_what_is_not_json_is_refused(text: str, problem: str) -> None:
    """The problem says where and what, so that a model can correct it."""
    with pytest.raises(MalformedTextError) as caught:
        parse_json(text)

    assert problem in str(caught.value)


def test_a_repeated_key_is_found_in_a_large_object() -> None:
    """A hundred thousand keys cost no more than reading them."""
    members = [f'"k{number}": {number}' for number in range(100_000)]

    with pytest.raises(MalformedTextError, match='"k99999" is there more than once'):
        parse_json("{" + ",".join([*members, members[-1]]) + "}")
