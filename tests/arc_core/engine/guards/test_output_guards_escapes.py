"""Documents without needless escapes: the same values, whole or in pieces."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arc_core.engine.guards.output_guards import Unescaper, unescape
from tests.arc_core.engine.output_guarding import pieces_of

VALUES = st.recursive(
    st.none() | st.text(max_size=8), lambda inner: st.lists(inner, max_size=4), max_leaves=8
)
LETTERS = st.text(alphabet='\\u0041/"k\ud83dnxU \r\n', max_size=20)
HALVES = st.lists(
    st.sampled_from(["\\ud835", "\\udc00", "\\", "u", "d", "k", "\r", "\n"]), max_size=9
)
ESCAPED = LETTERS | HALVES.map("".join)


@given(VALUES)
def test_the_value_is_the_same(value: object) -> None:
    """Whatever it is."""
    assert json.loads(unescape(json.dumps(value))) == value


@given(ESCAPED, st.lists(st.integers(0, 30), max_size=6))
def test_pieces_give_the_same(text: str, cuts: list[int]) -> None:
    """Also if they part an escape, and of what is not JSON at all."""
    unescaper = Unescaper()

    pieces = [unescaper.add(piece) for piece in pieces_of(text, *cuts)]

    assert "".join(pieces) + unescaper.finish() == unescape(text)


@pytest.mark.parametrize(
    ("escaped", "plain"),
    [
        (r"\u006b\u0065\u0079-1", "key-1"),
        (r"https:\/\/a.example\/", "https://a.example/"),
        (r"\\u006b", r"\\u006b"),
        (r"\x6b\U0000006b\ k", "kk k"),
        ("k\\\n  k\\\r\n\tk", "kkk"),
        (r"\x22 \x0a \U00110000 \x6 \U006b", r"\x22 \x0a \U00110000 \x6 \U006b"),
        (r"\u0022 \u005c \n \u0007", r"\u0022 \u005c \n \u0007"),
        (r"\ud83d\ude00 \uD835\uDC00", "\U0001f600 \U0001d400"),
        (r"\ud83d\ud83d\ude00\ude00", "\\ud83d\U0001f600\\ude00"),
        (r"\\ud83d\ude00 \ud83d\u0041", r"\\ud83d\ude00 \ud83dA"),
    ],
)
def test_only_needless_escapes_go(escaped: str, plain: str) -> None:
    """What must be escaped stays escaped."""
    assert unescape(escaped) == plain
