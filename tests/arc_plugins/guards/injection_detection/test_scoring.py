"""Patterns are found in their order and near to each other, and add up."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arc_plugins.guards.injection_detection.patterns import Family, Pattern
from arc_plugins.guards.injection_detection.scoring import PatternFinder, Suspicion, strongest

VOCABULARY = {
    "ignore": ["ignore", "set aside"],
    "your": ["your"],
    "rules": ["rules", "your rules"],
    "any": ["ignore", "your", "rules"],
}


def pattern(text: str, weight: float = 0.5) -> Pattern:
    """A pattern as it is written in the list."""
    return Pattern.parse(Family.OVERRIDE, weight, text)


def is_in(source: str, text: str) -> bool:
    """Whether one pattern is found in a text."""
    return bool(PatternFinder([pattern(source)], VOCABULARY_OF[source]).finds_in(text.split()))


SOURCES = ["ignore 2 your 0 rules", "ignore 0 rules", "any 0 any", "any 0 any 0 any", "ignore"]
VOCABULARY_OF = {
    source: {concept: VOCABULARY[concept] for concept in source.split()[::2]} for source in SOURCES
}


@pytest.mark.parametrize(
    ("source", "text", "found"),
    [
        ("ignore 2 your 0 rules", "please ignore your rules", True),
        ("ignore 2 your 0 rules", "ignore a b your rules", True),
        ("ignore 2 your 0 rules", "ignore a b c your rules", False),
        ("ignore 2 your 0 rules", "ignore your good rules", False),
        ("ignore 2 your 0 rules", "your rules ignore", False),
        ("ignore 2 your 0 rules", "ignore x y z ignore your rules", True),
        ("ignore 2 your 0 rules", "set aside your rules", True),
        ("ignore 2 your 0 rules", "set your rules", False),
        ("ignore 0 rules", "ignore your rules", True),
        ("any 0 any", "ignore", False),
        ("any 0 any", "ignore rules", True),
        ("any 0 any 0 any", "ignore rules", False),
        ("any 0 any 0 any", "ignore rules your", True),
        ("ignore", "do not ignore", True),
        ("ignore", "", False),
    ],
)
def test_patterns_are_found_in_order(source: str, text: str, found: object) -> None:
    """Gaps count other words, phrases count as one, and no word serves twice."""
    assert is_in(source, text) is found


def simply_found(source: str, words: list[str]) -> bool:
    """The slow way: try every choice of places."""
    first, *rest = source.split()[::2]
    gaps = [int(gap) for gap in source.split()[1::2]]
    ends = {at + 1 for at, word in enumerate(words) if word in VOCABULARY[first]}
    for concept, gap in zip(rest, gaps, strict=True):
        ends = {
            at + 1
            for at, word in enumerate(words)
            if word in VOCABULARY[concept] and any(0 <= at - end <= gap for end in ends)
        }
    return bool(ends)


@given(
    source=st.sampled_from(["ignore 2 your 0 rules", "any 0 any", "any 0 any 0 any"]),
    words=st.lists(st.sampled_from(["ignore", "your", "rules", "x"]), max_size=12),
)
def test_one_pass_finds_what_trying_everything_finds(source: str, words: list[str]) -> None:
    """Remembering only the last place of each step loses nothing."""
    vocabulary = {
        concept: [word for word in words if " " not in word]
        for concept, words in VOCABULARY_OF[source].items()
    }

    finds = PatternFinder([pattern(source)], vocabulary).finds_in(words)

    assert bool(finds) is simply_found(source, words)


@given(
    source=st.sampled_from(["ignore 2 your 0 rules", "ignore 0 rules", "any 0 any 0 any"]),
    words=st.lists(st.sampled_from(["set", "aside", "your", "rules", "x", "y"]), max_size=40),
    everyday=st.permutations(["ignore", "your", "rules"]),
)
def test_no_choice_of_anchors_hides_a_pattern(
    source: str, words: list[str], everyday: list[str]
) -> None:
    """Whichever concept of a pattern is looked for first, the same places are found."""
    patterns, vocabulary = [pattern(source)], VOCABULARY_OF[source]

    finds = PatternFinder(patterns, vocabulary, everyday).finds_in(words)

    assert finds == PatternFinder(patterns, vocabulary, everyday[::-1]).finds_in(words)
    assert bool(finds) is found_without_anchors(source, words)


def found_without_anchors(source: str, words: list[str]) -> bool:
    """Whether a pattern is found if every word is an anchor."""
    finder = PatternFinder([pattern(source)], VOCABULARY_OF[source])
    finder._anchors = frozenset(words)
    return bool(finder.finds_in(words))


def test_weights_add_up_like_independent_evidence() -> None:
    """Two patterns of one half each make three quarters."""
    a, b = pattern("ignore"), pattern("your")

    suspicion = strongest([(0, a), (1, b)])

    assert suspicion.score == pytest.approx(0.75)
    assert suspicion.patterns == {a, b}


def test_a_pattern_counts_once() -> None:
    """Repeating oneself is not further evidence."""
    assert strongest([(0, pattern("ignore"))] * 5).score == pytest.approx(0.5)


def test_distant_patterns_do_not_add_up() -> None:
    """Weak signs at the two ends of a long document are weak signs."""
    finds = [(0, pattern("ignore", 0.4)), (61, pattern("your", 0.3))]

    assert strongest(finds).score == pytest.approx(0.4)


def test_the_strongest_place_counts() -> None:
    """What follows later does not weaken what was found before."""
    a, b, c = pattern("ignore", 0.4), pattern("your", 0.4), pattern("rules", 0.1)

    suspicion = strongest([(0, a), (5, b), (500, c)])

    assert suspicion.patterns == {a, b}


def test_nothing_found_is_not_a_suspicion() -> None:
    """A prompt without patterns has the score 0."""
    assert strongest([]) == Suspicion(0.0, frozenset())
