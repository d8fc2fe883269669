"""Tokens are estimated by script."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arc_core import TokenEstimator
from arc_core.testing.conformance.models.token_estimator import TokenEstimatorConformance
from arc_plugins.estimators.heuristic import HeuristicTokenEstimator

ESTIMATOR = HeuristicTokenEstimator()


class TestConformance(TokenEstimatorConformance):
    """It is an estimator like any other."""

    def make_estimator(self) -> TokenEstimator:
        return HeuristicTokenEstimator()


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("a", 1),
        ("abcd" * 100, 100),
        ("abcde", 2),
        ("é" * 8, 2),
        ("안녕하", 2),
        ("안" * 15, 10),
        ("漢字" * 15, 20),
        ("ひらカタ" * 3, 8),
        ("😀", 1),
        ("😀" * 10, 10),
        ("я" * 30, 10),
        ("안녕 hi", 3),
    ],
)
def test_characters_per_token(text: str, tokens: int) -> None:
    """Latin 4, Hangul and CJK 1.5, emoji 1, others 3 characters per token, rounded up."""
    assert ESTIMATOR.estimate(text) == tokens


@given(st.text(min_size=1))
def test_a_text_has_at_least_one_token_and_at_most_its_length(text: str) -> None:
    """Between one token in all and one per character, whatever the text."""
    assert 1 <= ESTIMATOR.estimate(text) <= len(text)


@given(st.text(), st.text())
def test_more_text_has_no_fewer_tokens(text: str, more: str) -> None:
    """Adding to a text never makes it cheaper."""
    assert ESTIMATOR.estimate(text + more) >= ESTIMATOR.estimate(text)


@given(st.text(), st.text())
def test_a_whole_costs_as_much_as_its_parts(text: str, more: str) -> None:
    """Joining texts saves no more than the rounding of one of them."""
    parts = ESTIMATOR.estimate(text) + ESTIMATOR.estimate(more)

    assert parts - 1 <= ESTIMATOR.estimate(text + more) <= parts


@given(st.text())
def test_order_does_not_matter(text: str) -> None:
    """The same characters cost the same."""
    assert ESTIMATOR.estimate(text[::-1]) == ESTIMATOR.estimate(text)


@given(st.text(alphabet=st.characters(max_codepoint=127)))
def test_the_path_for_ascii_is_no_other_rule(text: str) -> None:
    """ASCII costs the same alone and beside other scripts."""
    assert ESTIMATOR.estimate(text * 4 + "안" * 3) == len(text) + 2


def one_by_one(text: str) -> int:
    """Twelfths of tokens, of each character on its own."""
    return sum(ESTIMATOR.estimate(character * 12) for character in text)


@given(
    st.text(
        st.characters(exclude_categories=()) | st.sampled_from("a가漢ひéя😀—“अก\ud800"),
        min_size=1,
        max_size=60,
    )
)
def test_a_long_text_costs_what_its_characters_cost(text: str) -> None:
    """However they are counted: a character's own cost does not depend on the text around it."""
    assert ESTIMATOR.estimate(text * 600) == -(-one_by_one(text) * 600 // 12)


@pytest.mark.parametrize("page", range(256))
def test_every_character_of_a_page_costs_the_same_in_a_long_text(page: int) -> None:
    """What is taken for granted of whole pages of Unicode holds for each character."""
    characters = "".join(map(chr, range(page * 256, page * 256 + 256)))

    assert ESTIMATOR.estimate(characters * 12) == one_by_one(characters)
