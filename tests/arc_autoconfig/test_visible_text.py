"""Foreign text cannot take over a terminal."""

import json

import pytest

from arc_autoconfig.visible_text import escape_in_json, visible

UNSAFE = [
    "\x00",
    "\x07",
    "\x08",
    "\r",
    "\x1b",
    "\x7f",
    "\x85",
    "\x9b",
    "\u2028",
    "\u202e",
    "\ud83d",
]


@pytest.mark.parametrize("character", UNSAFE, ids=ascii)
def test_what_a_terminal_obeys_is_written_out(character: str) -> None:
    """As in a Python string."""
    assert visible(f"a{character}b") == f"a{ascii(character)[1:-1]}b"


@pytest.mark.parametrize("text", ["한글 😀", "a\tb\nc", "שלום\u200f!", "naïve"])
def test_other_text_stays_as_it_is(text: str) -> None:
    """Letters of all languages, tabs and line feeds."""
    assert visible(text) == text


def test_one_line_stays_one_line() -> None:
    """Where a second line could pass for Arc's own."""
    assert visible("a\n\tb", one_line=True) == "a\\n\\tb"


@pytest.mark.parametrize("character", UNSAFE, ids=ascii)
def test_json_means_the_same_without_them(character: str) -> None:
    """Programs read what was written."""
    written = escape_in_json(json.dumps({"id": character}, ensure_ascii=False))

    assert character not in written
    assert json.loads(written) == {"id": character}
