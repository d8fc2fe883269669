"""The list of patterns is well formed, and every pattern can be found."""

import pytest

from arc_plugins.guards.injection_detection.patterns import PATTERNS, Family, Pattern
from arc_plugins.guards.injection_detection.scoring import PatternFinder
from arc_plugins.guards.injection_detection.words import vocabulary

WORDS = vocabulary()
FINDER = PatternFinder(PATTERNS, WORDS)


def test_a_pattern_is_read_from_its_text() -> None:
    """Concepts and gaps take turns."""
    pattern = Pattern.parse(Family.OVERRIDE, 0.8, "disregard 3 your 2 rules")

    assert pattern.concepts == ("disregard", "your", "rules")
    assert pattern.gaps == (3, 2)


@pytest.mark.parametrize("pattern", PATTERNS, ids=str)
def test_every_pattern_is_found_in_its_own_words(pattern: Pattern) -> None:
    """A word for each of its concepts, one after the other, completes a pattern."""
    words = " ".join(min(WORDS[concept], key=len) for concept in pattern.concepts).split()

    assert pattern in {found for _, found in FINDER.finds_in(words)}


def test_weights_are_shares() -> None:
    """No pattern is certain, and none says nothing."""
    assert all(0 < pattern.weight < 1 for pattern in PATTERNS)


def test_no_pattern_is_listed_twice() -> None:
    """One and the same thing is not counted as two."""
    seen = [(pattern.concepts, pattern.gaps) for pattern in PATTERNS]

    assert len(seen) == len(set(seen))


def test_every_concept_is_in_a_pattern() -> None:
    """The tables have no words that are never looked for."""
    assert set(WORDS) == {concept for pattern in PATTERNS for concept in pattern.concepts}
