"""The signs of a text are its words, neighbours, and the concepts that they stand for."""

from arc_plugins.guards.injection_detection.results import SignFinder

CONCEPTS = {
    "drop": ["ignore", "pay no attention to", "무시"],
    "orders": ["instructions", "지시"],
    "machine": ["language model"],
}


def find_signs(text: str) -> list[list[str]]:
    """The signs of a text, those of each word in order."""
    return [sorted(signs) for signs in SignFinder(CONCEPTS).find_signs(text)]


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
