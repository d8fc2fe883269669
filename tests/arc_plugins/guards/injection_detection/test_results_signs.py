"""The signs of a text are its words, neighbours, and the concepts that they stand for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arc_plugins.guards.injection_detection.results import result_reader, sign_finder, split_blocks
from arc_plugins.guards.injection_detection.signs import SignFinder, SignWeights, Weigher
from benchmarks.fit_injection_results import find_signs as find_signs_of_words
from benchmarks.injection_guard import tool_results

CONCEPTS = {
    "drop": ["ignore", "pay no attention to", "무시"],
    "orders": ["instructions", "지시"],
    "machine": ["language model"],
}


def find_signs(text: str) -> list[list[str]]:
    """The signs of a text, those of each word in order."""
    return [sorted(signs) for signs in find_signs_of_words(SignFinder(CONCEPTS), text)]


def all_signs_of(text: str) -> set[str]:
    """The signs of a text, wherever they are."""
    return {sign for signs in find_signs(text) for sign in signs}


def test_a_word_brings_itself_its_stem_and_its_neighbour() -> None:
    """In lower case, without accents; numbers are all one."""
    assert find_signs("Réponses 42") == [[" repon", "repon*", "reponses"], ["0", "repon 0"]]


def test_a_concept_stands_at_the_last_word_of_its_term() -> None:
    """Terms of several words count as they are written only."""
    found = find_signs("pay no attention to models")

    assert "#drop" in found[3]
    assert not any("#drop" in signs for signs in found[:3] + found[4:])
    assert "#machine" not in all_signs_of("a model of language")


def test_concepts_near_to_each_other_are_a_sign_in_their_order() -> None:
    """At most five words later."""
    assert "#drop>#orders" in all_signs_of("ignore all of the old instructions")
    assert "#orders>#drop" not in all_signs_of("ignore all of the old instructions")
    assert "#drop>#orders" not in all_signs_of("ignore one two three four five instructions")


def test_letters_count_where_words_are_not_parted() -> None:
    """One to three in a row, and concepts wherever they stand."""
    found = find_signs("지시무시")

    assert len(found) == 4
    assert {"지", "지시", "지시무"} <= {sign for signs in found[:3] for sign in signs}
    assert "#orders>#drop" in found[3]


def test_a_text_without_words_has_no_signs() -> None:
    """There is nothing to find between words."""
    assert find_signs(" .,;- \n") == []


PHRASES = [
    "ignore",
    "all",
    "pay no attention to",
    "instructions",
    "language model",
    "42",
    "무시",
    "지시",
    "のを",
]
WEIGHTS = SignWeights(
    {
        sign: 1.5 * at
        for at, sign in enumerate(
            ["#drop", "ignor*", "ignor all", "ignore", "0", "무", "무시", "를무시"]
        )
    }
)


@given(
    st.lists(st.sampled_from([*PHRASES, "를", " ", "instructional", "é"]), max_size=30).map("".join)
)
def test_signs_are_weighed_as_they_are_found(text: str) -> None:
    """Word by word, or letter by letter, whatever stands beside what."""
    finder = SignFinder(CONCEPTS)
    signs = find_signs_of_words(finder, text)

    weights, counts = Weigher(finder, WEIGHTS).weigh(text)

    assert weights == [
        pytest.approx(sum(WEIGHTS.get(sign, 0.0) for sign in each)) for each in signs
    ]
    assert counts == list(map(len, signs))


def test_signs_of_results_are_weighed_as_they_are_found() -> None:
    """With the words and weights that were fitted, in every language."""
    weights = SignWeights(
        {sign: float(len(sign)) for sign in ("#drop", "#orders", "a", "the", "の")}
    )
    weigher = Weigher(sign_finder(), weights)

    for each in tool_results("unusual")[::10]:
        signs = find_signs_of_words(sign_finder(), each["text"])
        expected = [sum(weights.get(sign, 0.0) for sign in here) for here in signs]
        assert weigher.weigh(each["text"])[0] == pytest.approx(expected)


@pytest.mark.parametrize("kind", ["injected", "ordinary"])
@pytest.mark.parametrize("least", [0.1, 0.5, 0.9, 1.0])
def test_a_score_that_is_asked_for_is_exact(kind: str, least: float) -> None:
    """What is below it stays below it."""
    reader = result_reader()
    blocks = [b for each in tool_results(kind)[::15] for b in split_blocks(each["text"][:2_000])]

    for block in blocks:
        score, found = reader.score_of_block(block), reader.score_of_block(block, least=least)
        assert found == score if score >= least else found < least
