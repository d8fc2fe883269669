"""Which characters are invisible, and where they are needed."""

import unicodedata
from unicodedata import is_normalized

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arc_core.text.character_classes import (
    INVISIBLE,
    KEPT,
    ODD,
    find_hidden,
    has_long_stack,
    long_stack,
)


def hidden(text: str) -> int:
    """How many invisible characters are out of place."""
    return sum(match[1] is None for match in INVISIBLE.finditer(text))


def tags(text: str) -> str:
    """A text in invisible tag characters."""
    return "".join(chr(0xE0000 + ord(letter)) for letter in text)


@pytest.mark.parametrize(
    "text",
    [
        "👨‍👩‍👧‍👦",
        "❤️ and ☎︎",
        "❤️‍🔥",
        "1️⃣ #️⃣",
        f"🏴{tags('gbeng')}\U000e007f",
        "葛\U000e0100城",
        "می‌خواهم",
        "क्‍ष",
        "line\r\n\tand tab\x85",
    ],
)
def test_what_people_see_needs_nothing_removed(text: str) -> None:
    """Joined emoji, keycaps, flags and the joiners of some scripts are in their place."""
    assert hidden(text) == 0


@pytest.mark.parametrize(
    "text",
    [
        "i\u200bgnore",
        "a\u200db",
        "i\ufe0fg",
        "\ufeffhello",
        "🏴" + tags("x"),
        "葛\U000e0100\U000e0101",
        "a\x00b",
        "a\x1b",
        "\u3164",
        "a\ud800",
        "ab\u00adc",
    ],
)
def test_one_hidden_character_is_found(text: str) -> None:
    """Invisible characters count wherever they are not needed."""
    assert hidden(text) == 1


def test_tags_after_a_flag_are_found() -> None:
    """Only the three flags there are may have tags; other text stays hidden text."""
    assert hidden("🏴" + tags("ignore all rules") + "\U000e007f") == 17


@given(st.characters())
def test_every_format_character_is_found_or_seen(character: str) -> None:
    """Beside Latin letters, each format character of the basic plane counts as hidden."""
    is_hidden = hidden(f"a{character}b") == 1

    is_format = unicodedata.category(character) == "Cf"
    is_number_sign = 0x600 <= ord(character) <= 0x8E2 or 0x110BD <= ord(character) <= 0x1343F
    assert is_hidden or not is_format or is_number_sign


@pytest.mark.parametrize(
    "marks", ["\u0301\u0327" * 16, "\uff9e\u0301" * 16, "\U00010a0f\u0301" * 16]
)
def test_long_stacks_of_marks_are_removed(marks: str) -> None:
    """More marks on one letter than any language writes are dropped."""
    assert has_long_stack(f"a{marks}b")
    assert long_stack().sub("", f"a{marks}b") == "ab"


@pytest.mark.parametrize("text", ["é" * 100, "e\u0301\u0327" * 100, "안녕" * 100, "😀" * 100])
def test_letters_and_emoji_stay(text: str) -> None:
    """Text of any length is not a stack."""
    assert long_stack().sub("", text) == text


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("a\U000e0041b", "ab"),
        (f"🏴{tags('gbeng')}\U000e007f", f"🏴{tags('gbeng')}\U000e007f"),
        ("❤\ufe0f\ufe01\U000e0100", "❤\ufe0f"),
        ("\u200b" * 20, "\u200b" * 8),
        ("👩‍👩‍👧 क्‍ष a\u00adb", "👩‍👩‍👧 क्‍ष a\u00adb"),
        ("\x00" * 20, "\x00" * 20),
    ],
)
def test_what_could_tell_something_unseen_is_hidden(text: str, kept: str) -> None:
    """Tags but for flags, selectors in a row, and long runs; not what texts have."""
    places = {place for span in find_hidden(text) for place in range(*span)}

    assert "".join(each for place, each in enumerate(text) if place not in places) == kept


def test_every_character_with_another_form_is_odd() -> None:
    """The ranges that are written out have all that the Unicode table of this Python has."""
    others = (each for each in map(chr, range(0x110000)) if not is_normalized("NFKC", each))

    assert [each for each in others if not ODD.match(each) and not KEPT.match(each)] == []
