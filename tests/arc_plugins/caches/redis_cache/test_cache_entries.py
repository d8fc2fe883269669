"""What Redis keeps is read only by who has written it."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arc_core import CachedResponse, TokenUsage
from arc_plugins.caches.redis_cache.cache import MAX_ENTRY_BYTES, decode, encode

RESPONSES = st.builds(
    CachedResponse,
    content=st.text().filter(str.strip),
    tools_used=st.lists(st.text()).map(tuple),
    token_usage=st.none() | st.builds(TokenUsage, st.integers(min_value=0), st.integers()),
)
ENTRY: dict[str, Any] = {
    "version": 1,
    "content": "Seoul",
    "tools_used": ["look_up"],
    "token_usage": [10, 5],
}


@given(RESPONSES)
def test_every_answer_is_read_as_it_was_written(response: CachedResponse) -> None:
    """Whatever its texts and numbers, an answer comes back equal."""
    entry = encode(response)

    assert entry is not None
    assert decode(entry) == response


def test_the_form_of_an_entry_is_fixed() -> None:
    """Releases that share a version share this form."""
    expected = CachedResponse(
        content="Seoul", tools_used=("look_up",), token_usage=TokenUsage(10, 5)
    )

    assert decode(json.dumps(ENTRY).encode()) == expected


@pytest.mark.parametrize(
    "entry",
    [
        b"",
        b"Seoul",
        b"\xff\xfe",
        b"[" * 100_000,
        b"null",
        b"[]",
        json.dumps(ENTRY | {"version": 2}).encode(),
        json.dumps(ENTRY | {"content": None}).encode(),
        json.dumps(ENTRY | {"content": ""}).encode(),
        json.dumps(ENTRY | {"content": " \n\u3000"}).encode(),
        json.dumps(ENTRY | {"tools_used": "look_up"}).encode(),
        json.dumps(ENTRY | {"tools_used": [1]}).encode(),
        json.dumps(ENTRY | {"token_usage": [10]}).encode(),
        json.dumps(ENTRY | {"token_usage": ["10", "5"]}).encode(),
        json.dumps({"version": 1, "content": "Seoul"}).encode(),
    ],
)
def test_what_others_have_written_is_a_miss(entry: bytes) -> None:
    """Another version's answer, or anything else under the key, is as good as none."""
    assert decode(entry) is None


@pytest.mark.parametrize("content", ["", " \n"])
def test_blank_answers_are_not_kept(content: str) -> None:
    """A blank answer is a failure, which no other user should be given."""
    assert encode(CachedResponse(content=content)) is None


def test_large_answers_are_not_kept() -> None:
    """One answer must not fill a server."""
    largest = MAX_ENTRY_BYTES + 1 - len(encode(CachedResponse(content="x")) or b"")

    assert encode(CachedResponse(content="x" * largest)) is not None
    assert encode(CachedResponse(content="x" * (largest + 1))) is None
    assert encode(CachedResponse(content="가" * (largest // 6 + 1))) is None


def test_large_entries_are_not_read() -> None:
    """What cannot have been written here is not even parsed."""
    assert decode(json.dumps(ENTRY | {"content": "x" * MAX_ENTRY_BYTES}).encode()) is None
