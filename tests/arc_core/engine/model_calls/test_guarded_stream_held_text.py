"""Text that is held back: how far behind it leaves, and that nothing replaced ever does."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arc_core.engine.model_calls.guarded_stream import HeldText

SECRET = re.compile(r"key-[0-9]{4,}")
UNFINISHED = re.compile(r"key-[0-9]*\Z")
WINDOW = 8


def mask(text: str, *, is_final: bool) -> str:
    """As a guard with a window of eight characters does: what may go on is masked to the end."""
    masked = SECRET.sub("[key]", text)
    return masked if is_final else UNFINISHED.sub("[key]", masked)


def leave(pieces: list[str], window_chars: int | None) -> list[str]:
    """What leaves after each piece, and at the end."""
    held, left = HeldText(window_chars, context_chars=window_chars or 0), []
    for piece in pieces:
        held.add(piece)
        if held.is_due:
            text, _ = held.to_check(is_final=False)
            left.append(held.release(mask(text, is_final=False)))
        else:
            left.append("")
    text, _ = held.to_check(is_final=True)
    return [*left, held.finish(mask(text, is_final=True))]


def test_text_leaves_a_window_behind() -> None:
    """Neither more nor less than the window is held back."""
    assert leave(["0123456789", "abc"], 4) == ["012345", "678", "9abc"]


@pytest.mark.parametrize(
    ("text", "left"),
    [("0123\u200b\u200b456", "012"), ("0123\\_\\_", "01"), ("01234567&#4", "0123")],
)
def test_the_window_has_characters_that_are_seen(text: str, left: str) -> None:
    """What is invisible or escaped takes more room and shows no more; what may become one, none."""
    assert leave([text], 4)[0] == left


def test_without_a_window_each_piece_leaves() -> None:
    """At once, as it is."""
    assert leave(["Hel", "lo"], 0) == ["Hel", "lo", ""]


def test_a_whole_text_leaves_at_its_end() -> None:
    """None holds back everything."""
    assert leave(["Hel", "lo"], None) == ["", "", "Hello"]


def test_what_is_replaced_at_the_end_is_held_back_until_more_is_known() -> None:
    """A key that goes on, however long, leaves masked and never in parts."""
    pieces = ["My key-12", *"3456789012345678", " is it, as I said"]

    assert "".join(leave(pieces, WINDOW)) == "My [key] is it, as I said"


def test_a_text_that_may_never_end_is_looked_at_in_linear_time() -> None:
    """While it grows a hundredfold, it is looked at for the number of its doublings."""
    held, looks = HeldText(WINDOW, context_chars=WINDOW), 0
    held.add("key-12345")
    for _ in range(10_000):
        held.add("0")
        if held.is_due:
            looks += 1
            text, _ = held.to_check(is_final=False)
            assert held.release(mask(text, is_final=False)) == ""

    assert looks < 100


@given(
    st.lists(
        st.sampled_from(["key-", "12", "3456", " ", "monkey", "k", "e", "y", "-"]), max_size=40
    ),
    st.integers(WINDOW, 20),
)
def test_what_leaves_is_what_leaves_whole(pieces: list[str], window_chars: int) -> None:
    """Whatever the split, and however wide the window."""
    whole = mask("".join(pieces), is_final=True)

    assert "".join(leave(pieces, window_chars)) == whole


@given(st.lists(st.text(max_size=5), max_size=30), st.integers(0, 12))
def test_nothing_is_lost_or_doubled(pieces: list[str], window_chars: int) -> None:
    """Of text in any script, halves of characters among them."""
    held, left = HeldText(window_chars, context_chars=window_chars), ""
    for piece in pieces:
        held.add(piece)
        if held.is_due:
            text, released = held.to_check(is_final=False)
            assert left.endswith(text[:released])
            left += held.release(text)
    text, released = held.to_check(is_final=True)

    assert text[:released] == left
    assert left + held.finish(text) == "".join(pieces) == text


@pytest.mark.parametrize(
    "character",
    ["e\u0301", "\U0001f44d\U0001f3fd", "\U0001f469\u200d\U0001f4bb", "\ud83d\ude00", "각\u0301"],
    ids=ascii,
)
def test_a_character_is_not_parted_from_its_marks(character: str) -> None:
    """Wherever the window begins, no piece begins with what belongs to the one before."""
    for window in range(1, 12):
        for piece in leave([*f"abc{character}def{character}", "0123456789"], window):
            first = piece[:1]
            assert not unicodedata.category(first or "a").startswith("M")
            assert first not in {"\u200d", "\U0001f3fd", "\ude00"}


def test_marks_without_end_do_not_hold_text_back_for_ever() -> None:
    """A letter with thousands of marks is parted from some of them."""
    left = leave(["a", *("\u0301" * 1000)], 4)

    assert len("".join(left[:-1])) > 900


def test_context_of_an_earlier_text_is_shown() -> None:
    """Guards see the end of what has left before; it can no longer be replaced."""
    held = HeldText(4, context="said before", context_chars=4)
    held.add("and now")

    assert held.to_check(is_final=False) == ("foreand now", 4)
    assert held.release("foreand now") == "and"
    assert held.to_check(is_final=False) == ("eand now", 4)
    assert held.to_check(is_final=True) == ("foreand now", 7)
