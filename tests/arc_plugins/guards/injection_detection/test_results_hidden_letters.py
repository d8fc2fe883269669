"""What is written in invisible characters becomes readable."""

import pytest

from arc_plugins.guards.injection_detection.results import show_hidden_letters

TAGS = "".join(chr(0xE0000 + ord(each)) for each in "obey me")
SELECTORS = "".join(chr(0xE0100 + each - 16) for each in b"obey me")


@pytest.mark.parametrize("hidden", [TAGS, SELECTORS], ids=["tags", "variation selectors"])
def test_hidden_letters_are_shown(hidden: str) -> None:
    """Tag characters stand for ASCII, and variation selectors for octets."""
    assert show_hidden_letters(f"tea{hidden}pot") == "tea obey me pot"


@pytest.mark.parametrize(
    "text",
    ["plain", "날씨", "❤️ and ☺️", "\U0001f3f4" + "".join(chr(0xE0000 + ord(c)) for c in "gbsct")],
)
def test_honest_characters_stay(text: str) -> None:
    """Emoji with colours and flags of regions hide nothing."""
    assert show_hidden_letters(text) == text
