"""The data files hold what the code expects of them."""

import pytest

from arc_plugins.guards.injection_detection.patterns import Family, read_table, read_tables


def test_every_family_has_a_file() -> None:
    """A family without patterns, or patterns without a family, would be a mistake."""
    assert set(read_tables("patterns")) == {family.value for family in Family}


@pytest.mark.parametrize("language", ["english", "spanish", "hindi", "russian"])
def test_a_language_has_its_words_by_concept(language: str) -> None:
    """Every language knows how to say "ignore"."""
    assert read_tables("words")[language]["disregard"]


def test_no_word_is_listed_twice() -> None:
    """Within a concept of a language, a word stands once."""
    twice = [
        (language, concept)
        for language, concepts in read_tables("words").items()
        for concept, words in concepts.items()
        if len(words) != len(set(words))
    ]

    assert twice == []


def test_everyday_concepts_are_in_patterns() -> None:
    """An order of concepts that no pattern has would say nothing."""
    used = {
        part
        for weights in read_tables("patterns").values()
        for text in weights
        for part in text.split()
    }

    assert set(read_table("everyday_concepts")) <= used


def test_everyday_words_are_plain() -> None:
    """They are looked up in lower case and without accents."""
    assert all(
        word.isascii() and word.isalpha() and word.islower()
        for word in read_table("everyday_words")
    )
