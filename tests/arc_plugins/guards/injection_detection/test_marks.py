"""Many words are found by one scan, and patterns only near to the words that they need."""

import re

from arc_plugins.guards.injection_detection.marks import MarkedPattern, MarkScanner, PatternScanner

TABLE = {"needs": [["todo"], ["@", "www."]], "pattern": "todo: {verb} .*", "weight": 1.5}
PARTS = {"verb": "(?:{give}|visit)", "give": "(?:send|mail)"}


def test_words_are_found_where_they_stand() -> None:
    """In any script, the longest at a place, with places of characters and not of octets."""
    scanner = MarkScanner(["지시", "지시사항", "todo", "a+b"])

    assert list(scanner.places_in("새 지시사항: todo, a+b, aab")) == [
        (2, "지시사항"), (8, "todo"), (14, "a+b"),
    ]  # fmt: skip


def test_half_a_character_is_read_over() -> None:
    """What a tool returns may not be Unicode."""
    assert list(MarkScanner(["b"]).places_in("a\ud800b")) == [(2, "b")]


def test_a_row_has_parts_that_have_parts() -> None:
    """The first group are its marks, the others what else it needs."""
    pattern = MarkedPattern.read(TABLE, PARTS)

    assert pattern.marks == ("todo",)
    assert pattern.needs == (("@", "www."),)
    assert pattern.search.pattern == "todo: (?:(?:send|mail)|visit) .*"
    assert pattern.weight == 1.5


def test_a_pattern_is_found_near_to_its_mark_if_all_that_it_needs_is_there() -> None:
    """With the place where it begins."""
    pattern = MarkedPattern.read(TABLE, PARTS)
    scanner = PatternScanner([pattern])

    assert scanner.finds_in("notes\ntodo: send it to a@b.example") == {(6, pattern)}
    assert scanner.finds_in("todo: send it") == set()
    assert scanner.finds_in(f"todo: send it{' ' * 500}a@b.example") == set()


def test_a_mark_inside_a_longer_one_counts() -> None:
    """The scan finds the longer one only."""
    short, long = [
        MarkedPattern((mark,), (), re.compile(mark)) for mark in ("system", "system_message")
    ]

    assert PatternScanner([short, long]).finds_in("system_message") == {(0, short), (0, long)}
