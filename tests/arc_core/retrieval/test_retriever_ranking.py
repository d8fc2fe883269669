"""Two lists become one."""

from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from arc_core.retrieval.index import Match
from arc_core.retrieval.retriever import fuse


def found(ids: Iterable[int]) -> list[Match]:
    """Passages in an order."""
    return [Match(id, 0.0) for id in ids]


def fused(by_words: Iterable[int], by_meaning: Iterable[int]) -> list[int]:
    """The ids of what two lists become."""
    return [each.id for each in fuse(found(by_words), found(by_meaning))]


def test_what_both_have_comes_first() -> None:
    """Second in both is better than first in one; of equals, those by words come first."""
    assert fused([1, 2], [3, 2]) == [2, 1, 3]


def test_what_is_far_down_in_both_counts() -> None:
    """A fiftieth place in each is worth more than a first place in one, a hundredth is not."""
    for place, expected in ((50, 0), (100, 2)):
        by_words = [1, *range(200, 198 + place), 7]
        by_meaning = [2, *range(400, 398 + place), 7]

        assert fused(by_words, by_meaning).index(7) >= expected
        assert (fused(by_words, by_meaning)[0] == 7) == (expected == 0)


def test_the_first_by_words_keeps_a_place_among_five() -> None:
    """If it is not found by meaning at all; if it is, its rank says enough."""
    both = range(10, 20)

    assert fused([1, *both], both)[:6] == [10, 11, 12, 13, 1, 14]
    assert fused([1, *both], [*both, *range(20, 60), 1]).index(1) > 5


ids = st.lists(st.integers(0, 30), unique=True)


@given(ids, ids)
def test_nothing_is_lost_doubled_or_out_of_order(
    by_words: list[int], by_meaning: list[int]
) -> None:
    """Whatever the lists are; scores never rise."""
    matches = fuse(found(by_words), found(by_meaning))

    ids = [each.id for each in matches]
    scores = [each.score for each in matches]
    assert sorted(ids) == sorted({*by_words, *by_meaning})
    assert scores == sorted(scores, reverse=True)
    assert not by_words or by_words[0] in by_meaning or by_words[0] in ids[:5]
