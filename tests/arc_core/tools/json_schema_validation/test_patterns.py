"""Patterns of schemas."""

import pytest

from arc_core.tools.json_schema_validation.patterns import (
    TooMuchWorkError,
    bounded_work,
    drop_unmatchable,
    flaw_of_pattern,
    is_found,
)


@pytest.mark.parametrize("pattern", [r"^(a|aa)+$", r"^(\w+\s?)*$", r"^(.*)*$", r"(x+x+)+y"])
def test_no_pattern_takes_more_than_linear_time(pattern: str) -> None:
    """Patterns that stop an engine with backtracking are matched within few steps."""
    with bounded_work(20_000):
        assert not is_found(pattern, "a" * 100_000 + "\0") or pattern == r"^(.*)*$"


def test_a_large_pattern_on_a_large_text_is_given_up() -> None:
    """The time is bounded by states times characters, and so by the work that is left."""
    with bounded_work(20_000), pytest.raises(TooMuchWorkError):
        is_found(r"[01]*1[01]{900}2", "01" * 50_000)


@pytest.mark.parametrize(
    "pattern", ["(", "(?=a)", "(?!a)b", "(?<=a)b", r"(a)\1", "(a{1000}){1000}", "a" * 6_000]
)
def test_what_cannot_be_matched_in_linear_time_is_a_flaw(pattern: str) -> None:
    """Look-around, back-references, and patterns that are too large are not tried."""
    assert flaw_of_pattern(pattern) is not None


@pytest.mark.parametrize(
    ("pattern", "text", "is_there"),
    [
        (r"^\d{4}-\d\d$", "2026-11", True),
        (r"^\d{4}-\d\d$", "2026-11\n", False),
        (r"\u0061\u00e9", "aé", True),
        (r"\\u0061", r"\u0061", True),
        (r"^\p{L}+$", "날씨", True),
        (r"^[\w.-]+\/x$", "a-b/x", True),
        ("b", "abc", True),
        ("b", "\ud800", False),
    ],
)
def test_patterns_are_read_as_json_schema_writes_them(
    pattern: str, text: str, *, is_there: bool
) -> None:
    """A pattern matches anywhere, ends with the text, and may name characters by number."""
    with bounded_work(1_000):
        assert is_found(pattern, text) is is_there


def test_patterns_that_cannot_be_matched_are_dropped() -> None:
    """Wherever they stand; names that fitted such a pattern are allowed from then on."""
    schema = {
        "properties": {"a": {"pattern": "(?=a)", "minLength": 1}, "pattern": {"pattern": "b"}},
        "items": [{"patternProperties": {"(?!x)": {}, "y": {}}, "additionalProperties": False}],
    }

    kept, dropped = drop_unmatchable(schema)

    assert kept == {
        "properties": {"a": {"minLength": 1}, "pattern": {"pattern": "b"}},
        "items": [{"patternProperties": {"y": {}}}],
    }
    assert dropped == ["(?=a)", "(?!x)"]
