"""Parts of long texts: what they show, how the rest is read, and what cannot be read."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arc_core.text.excerpts import (
    count_lines,
    make_excerpt,
    make_placeholder,
    read_lines,
    strip_keys,
)
from arc_core.text.word_search import find_passages

LINES = "".join(f"line {number} of a report\n" for number in range(1, 5001))
ONE_LINE = "0123456789" * 5000


def read(text: str, lines: str, *, max_chars: int = 20_000) -> str:
    """Read lines of a result."""
    return read_lines(text, key="tool/3", lines=lines, max_chars=max_chars)


@given(st.text(alphabet="ab\n가", min_size=600, max_size=3000), st.integers(1, 599))
def test_what_is_hidden_is_all_between_what_is_shown(text: str, max_chars: int) -> None:
    """The two parts are the beginning and the end of the text, and no character is lost."""
    excerpt = make_excerpt(text, key="tool/3", max_chars=max_chars)
    head, tail = excerpt.head_chars, excerpt.tail_chars

    assert head + tail <= max(max_chars, 2)
    assert excerpt.text.startswith(text[:head])
    assert excerpt.text.endswith(text[len(text) - tail :])


def test_the_line_says_what_is_shown_and_how_the_rest_is_read() -> None:
    """The lines that it suggests are those that come next."""
    excerpt = make_excerpt(LINES, key="tool/3", max_chars=5000)
    shown = re.search(r"\[tool/3: (.*?)\]\n", excerpt.text)

    assert shown is not None
    assert shown[1] == (
        "108 893 characters, 5 000 lines; lines 1-155 and 4 930-5 000 are shown; "
        'read_result("tool/3", lines="156-310") or read_result("tool/3", find="words")'
    )
    assert read(LINES, "156-310").splitlines()[1] == "line 156 of a report"


def test_the_rest_of_a_line_is_read_from_a_character_on() -> None:
    """A text of one line can be read as well, to its end."""
    excerpt = make_excerpt(ONE_LINE, key="tool/3", max_chars=20_000)
    place = re.search(r'lines="(1:\d+-1)"', excerpt.text)
    parts = [ONE_LINE[: excerpt.head_chars]]
    while place is not None:
        answer = read(ONE_LINE, place[1])
        place = re.search(r'\[goes on: .* lines="(.*)"', answer)
        parts.append(answer.split("\n")[1])

    assert "".join(parts) == ONE_LINE


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        ("20-10", "run backwards"),
        ("6000-6001", "has the lines 1 to 5000"),
        ("0-3", "no line 0"),
        ("a-b", 'written as "a-b"'),
        ("", 'written as "a-b"'),
        ("1-2; 5", 'written as "a-b"'),
        ("9" * 40, 'written as "a-b"'),
        ("1:5000-2", "has no character 5000"),
    ],
)
def test_what_cannot_be_read_is_said(lines: str, problem: str) -> None:
    """In words from which a model can go on."""
    with pytest.raises(ValueError, match=problem):
        read(LINES, lines)


@pytest.mark.parametrize("lines", ["4 999-9 999", "4999–5000", "4_999 - 5_000"])
def test_numbers_may_be_written_as_people_do(lines: str) -> None:
    """With signs between digits, and beyond the end."""
    assert read(LINES, lines).splitlines()[1:] == ["line 4999 of a report", "line 5000 of a report"]


def test_what_was_cut_says_so() -> None:
    """The model is not told that it has all."""
    assert "the first 50 000 characters" in make_placeholder(ONE_LINE, key="tool/1", is_cut=True)


@pytest.mark.parametrize(
    ("text", "count"), [("", 0), ("a", 1), ("a\n", 1), ("a\n\n", 2), ("\n", 1)]
)
def test_lines_are_counted_as_editors_do(text: str, count: int) -> None:
    """A line end ends the last line, and does not begin another one."""
    assert count_lines(text) == count


@given(st.text(alphabet="ab\n가", min_size=1), st.integers(1, 50))
def test_an_answer_has_no_more_characters_than_there_is_room_for(text: str, first: int) -> None:
    """Whatever is asked for."""
    long = text * 100
    if first <= count_lines(long):
        assert len(read(long, f"{first}-9999", max_chars=400)) <= 400


@pytest.mark.parametrize(
    "text", [LINES, ONE_LINE, "short\n", ""], ids=["lines", "a line", "short", ""]
)
@pytest.mark.parametrize("is_cut", [False, True])
def test_without_its_key_a_line_still_says_what_is_shown(text: str, *, is_cut: bool) -> None:
    """Of what was shown in part, cleared, or not shown at all; nothing else changes."""
    shown = [make_placeholder(text, key="tool/3", is_cut=is_cut)]
    if len(text) > 5000:
        shown += [
            make_excerpt(text, key="tool/3", max_chars=size, is_cut=is_cut).text
            for size in (1, 300, 5000)
        ]

    stripped = [strip_keys(each, is_reading=False) for each in shown]

    assert not [each for each in stripped if "tool/3" in each or "read_result" in each]
    assert all(re.search(r"\[[^\]]* characters, .* lines?", each) for each in stripped)
    assert stripped[0].endswith("; left out to make room]")


def test_what_was_read_of_a_result_loses_its_key() -> None:
    """Its lines stay as they are, and so does what a tool says that only looks like a key."""
    answer = read(f"see tool/3\n{LINES}", "1-4000")

    stripped = strip_keys(answer, is_reading=True)

    assert stripped.startswith("[lines 1-945 of 5 001]\nsee tool/3\n")
    assert stripped.endswith("\n[goes on]")
    assert stripped.splitlines()[1:-1] == answer.splitlines()[1:-1]
    assert strip_keys("[tool/3]", is_reading=False) == "[tool/3]"


def test_what_was_found_loses_its_keys() -> None:
    """So do an answer without matches, and one that lists the right keys."""
    found = find_passages({"tool/0": "a badge", "tool/1": "no badge"}, "badge", max_chars=2000)
    missing = find_passages({"tool/0": "nothing"}, "badge", max_chars=2000)
    wrong = "there is no result 'x' in this run; there are: tool/0, tool/1; \"all\" finds words in all of them"  # noqa: E501

    stripped = [strip_keys(each, is_reading=True) for each in (found, missing, wrong)]

    assert stripped == [
        "[a result]\n1: a badge\n[a result]\n1: no badge",
        "[none of these words is in a result]",
        "there is no result 'x' in this run",
    ]
