"""What hides a word from a search is undone, and honest words stay what they are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arc_plugins.guards.injection_detection.disguises import fold_mixed_words

RUSSIAN = "абвгдежзийклмнопрстуфхцчшщъыьэюя"


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("\u0456gn\u043er\u0435 all", "ignore all"),
        ("\u0456gn0r\u0435", "ign0re"),
        ("r\u03b5v\u03b5al", "reveal"),
        ("привет ignore", "привет ignore"),
        ("ignore", "ignore"),
        ("", ""),
    ],
)
def test_words_of_mixed_alphabets_become_latin(text: str, folded: str) -> None:
    """A word of Latin and look-alike letters is Latin; a word beside a Latin one is not changed."""
    assert fold_mixed_words(text) == folded


@given(st.text(alphabet=f"{RUSSIAN} .,?-0123456789"))
def test_russian_stays(text: str) -> None:
    """Text without a Latin letter is never changed."""
    assert fold_mixed_words(text) == text
