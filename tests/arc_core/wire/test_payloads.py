"""JSON for the wire: whatever users send can be sent on."""

import json
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arc_core.wire import json_bytes, json_value

json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@pytest.mark.slow
@given(json_values)
def test_values_survive_the_journey(value: object) -> None:
    """What is encoded is what is decoded, by others too."""
    encoded = json_bytes(value)

    assert json_value(encoded) == json.loads(encoded) == value


@given(st.text(st.characters()))
def test_any_text_can_be_encoded(text: str) -> None:
    """Half a surrogate pair does not stop a request."""
    assert isinstance(json.loads(json_bytes({"content": [text]})), dict)


@pytest.mark.parametrize(("text", "sent"), [("a\ud83db", "a�b"), ("\ud83d\ude00", "😀")])
def test_half_a_pair_is_replaced(text: str, sent: str) -> None:
    """Two halves make a character, one alone becomes the replacement character."""
    assert json.loads(json_bytes({text: (text,)})) == {sent: [sent]}


def test_any_mapping_can_be_encoded() -> None:
    """Schemas may be read-only views."""
    frozen: Any = MappingProxyType({"type": MappingProxyType({"a": 1})})

    assert json_bytes(frozen) == b'{"type":{"a":1}}'


@pytest.mark.parametrize("text", [b"", b"{", b"[DONE]", b"{} x", b"\xff"])
def test_what_is_not_json_raises_a_value_error(text: bytes) -> None:
    """One exception for all that is wrong with a text."""
    with pytest.raises(ValueError, match=r".+"):
        json_value(text)
