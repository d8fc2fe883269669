"""A cleaned text knows where each part of it stood, and what is shown goes on as it began."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from arc_core.text.cleaning import clean, is_clean, is_shown_as_it_is, show

ODD = st.text(
    alphabet="aé가-\\_*&#;x10387lt\u200b\u00ad\ufb01\u2026\uff21\u0430\u00b2\u0301\U000e0041\u2011\U0001d5ba",
    max_size=40,
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("gh\u200bp_\u00adaB", "ghp_aB"),
        ("ghp\\_a\\\\_ \\\\ \\n", "ghp_a_ \\\\ \\n"),
        ("\uff47\uff48\uff50\uff3f \U0001d5ba", "ghp_ a"),
        ("gh\U000e0041p\ufe0f", "ghp"),
        ("&#103;&#x68;p&lowbar;&shy;a &amp;#103; AT&T &none;", "ghp_a g AT&T &none;"),
        ("sk\u2011a\u00a0b", "sk-a b"),
        ("gh\u0440_", "ghp_"),
        ("x\u00b2 \u314b \ufb01 \u2026", "x\u00b2 \u314b fi ..."),
        ("&\u200b#103;", "g"),
    ],
)
def test_a_text_is_shown_in_plain_letters(text: str, shown: str) -> None:
    """Invisible characters, escapes and other forms of a letter hide nothing."""
    assert show(text).text == shown
    assert not is_shown_as_it_is(text)


@pytest.mark.parametrize(
    "text",
    ["A key, 3 * 4_000 [a](b) <i>\n", "오늘 날씨는 “좋음” · 5℃ 아래".replace("℃", "도"), "né"],
)
def test_ordinary_text_is_shown_as_it_is(text: str) -> None:
    """A quick look is enough."""
    assert is_shown_as_it_is(text)
    assert show(text).text is text


@pytest.mark.parametrize(
    "text", ["A key & <i>\n", "오늘 날씨는 좋음 · né", "本日は晴天なり。", "über"]
)
def test_ordinary_text_is_clean(text: str) -> None:
    """A quick look is enough, in any script."""
    assert is_clean(text)


@given(text=ODD | st.text(max_size=6))
@settings(max_examples=600)
def test_nothing_is_cleaned_of_a_text_that_is_clean(text: str) -> None:
    """The quick look passes over nothing."""
    assert clean(text).text == text or not is_clean(text)


@given(text=ODD, cut=st.integers(min_value=0, max_value=40))
@example(text="\\&", cut=2)
@example(text="\\\\&amp;#1", cut=9)
@settings(max_examples=400)
def test_what_is_shown_of_a_stream_goes_on_as_it_began(text: str, cut: int) -> None:
    """However a text is split: more of it changes nothing that was shown."""
    assert show(text).text.startswith(show(text[:cut], is_final=False).text)


@given(text=ODD)
@settings(max_examples=400)
def test_each_part_is_found_where_it_stood(text: str) -> None:
    """Every character of a cleaned text comes from a part of the given one, in the same order."""
    for cleaned in (clean(text), show(text)):
        spans = [cleaned.span(at, at + 1) for at in range(len(cleaned.text))]
        for at, (start, end) in enumerate(spans):
            assert 0 <= start < end <= len(text)
            assert cleaned.span(0, at + 1) == (spans[0][0], end)
            assert cleaned.place(start) <= at < max(at + 1, cleaned.place(end))
        assert spans == sorted(spans)
        assert cleaned.span(0, 0)[1] <= len(text)


def test_a_part_is_cut_out_where_it_stood() -> None:
    """What is around it stays, and the invisible characters within it go."""
    text = "\u200bThe key is g\u200bhp\\_a\u00ad.\u200b Right?"
    shown = show(text)
    begin = shown.text.index("ghp_a")

    start, end = shown.span(begin, begin + 5)

    assert text[:start] + "[secret]" + text[end:] == "\u200bThe key is [secret]\u00ad.\u200b Right?"
