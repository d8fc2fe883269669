"""Brings a text into one form: what reads alike is spelled alike, and nothing is invisible.

There are two ways to read a text. `clean` is for what is handed on, such as a prompt: it says what
it said before. `show` is for what is only compared, such as an answer on its way out. Both know
where each part of it stood.
"""

import re
from html.entities import html5
from unicodedata import is_normalized, normalize

from arc_core.text.character_classes import (
    CONTROLS,
    FOLDABLE,
    INVISIBLE,
    KEPT,
    ODD,
    ODD_FORM,
    has_long_stack,
    long_stack,
)
from arc_core.text.clean_text import CleanText
from arc_core.text.lookalikes import LATIN_LETTERS, LOOKALIKE, fold_lookalikes

__all__ = ["MOST_PER_CHARACTER", "clean", "end_to_show", "is_clean", "is_shown_as_it_is", "show"]

_CODE_OF_AMPERSAND = r"(?:amp;?|#0{0,9}38;|#[xX]0{0,9}26;)"
_ENTITY = re.compile(rf"&{_CODE_OF_AMPERSAND}*#(?:[xX]([0-9a-fA-F]{{1,9}})|([0-9]{{1,9}}));?")
# A document has several backslashes for the one that its reader gets.
_ESCAPE = re.compile(
    rf"{_ENTITY.pattern}|(?<!\\)\\++([!-/:-@\[\]-`{{-~])|&([A-Za-z][A-Za-z0-9]{{1,31}};|shy)"
)
_BEGUN_ESCAPE = re.compile(
    rf"(?<!\\)\\*+(?:&{_CODE_OF_AMPERSAND}*+(?:#(?:[xX][0-9a-fA-F]{{0,9}}|[0-9]{{0,9}})?"
    r"|[A-Za-z][A-Za-z0-9]{0,31})?)?\Z"
)
_LAST_CHARACTER = 0x10FFFF
_MAX_PASSES = 4
MOST_PER_CHARACTER = 16
"""The number of characters that count as one shown character, if some are not shown."""
_ODD = re.compile(f"{ODD.pattern[:-1]}{LOOKALIKE.pattern[1:]}")
_DASHES = dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-")
_OTHER_LETTERS = LATIN_LETTERS | _DASHES


class _Forms(dict[int, str]):
    """One character for each that has another form of one character, found when it is asked for."""

    def __missing__(self, code: int) -> str:
        letter = chr(code)
        form = letter if KEPT.match(letter) else normalize("NFKC", letter)
        form = form if len(form) == 1 else letter
        self[code] = shown = _OTHER_LETTERS.get(form, form)
        return shown


_FORMS = _Forms()


def is_clean(text: str) -> bool:
    """Return whether a quick look shows that `clean` would change nothing."""
    return text.isascii() and not _ENTITY.search(text) and not CONTROLS.search(text)


def clean(text: str) -> CleanText:
    """The text in its normal form (NFKC), with the number of invisible characters it had.

    Numeric HTML entities are decoded and letters of other alphabets that spell Latin words become
    Latin, see `lookalikes`. What would change its meaning stays: superscript digits, fractions and
    single Korean letters. Invisible characters that belong where they are, such as those inside
    emoji, stay and are not counted. Time grows with the length only.
    """
    cleaned = CleanText(text)
    # What a pass decodes may need another one; few, so that nesting cannot cost more than length.
    for _ in range(_MAX_PASSES):
        _normalize(cleaned)
        normal = cleaned.text
        cleaned.replace(INVISIBLE, _in_place)
        cleaned.invisible += len(normal) - len(cleaned.text)
        cleaned.replace(_ENTITY, _decode)
        if cleaned.text == normal:
            break
    cleaned.text = fold_lookalikes(cleaned.text)  # each in its place
    return cleaned


def is_shown_as_it_is(text: str) -> bool:
    """Return whether a quick look shows that `show` would change nothing."""
    if "\\" in text or "&" in text:
        return False
    if text.isascii():
        return CONTROLS.search(text) is None
    return _ODD.search(text) is None


def show(text: str, *, is_final: bool = True) -> CleanText:
    """The text as its reader sees it, in plain letters, to be compared and never to be handed on.

    Without any invisible character, with what entities and escapes of Markdown stand for, each
    character in its plainest form (NFKC), dashes as hyphens, and look-alikes as the Latin letter.
    Every character is read alone, so that what is shown of a text goes on as that of its beginning.

    Args:
        text: As it leaves.
        is_final: Whether nothing follows; else an escape that it ends in is not shown yet.
    """
    shown = CleanText(text)
    if is_shown_as_it_is(text):
        return shown
    _show_plain_letters(shown)
    if "\\" in shown.text or "&" in shown.text:
        if not is_final and (begun := _BEGUN_ESCAPE.search(shown.text)):
            shown.text = shown.text[: begun.start()]
        shown.replace(_ESCAPE, _read_escape)
        _show_plain_letters(shown)
    return shown


def end_to_show(text: str, chars: int, *, is_longest: bool = False) -> str:
    """The end of a text of which a reader sees about so many characters.

    Args:
        text: As it leaves.
        chars: How many are wanted, if nothing in them is escaped or invisible; else 16 times that.
        is_longest: Whether to take 16 times that in any case.
    """
    if chars == 0:
        return ""
    end = text[-chars:]
    if is_longest or not is_shown_as_it_is(end):
        return text[-chars * MOST_PER_CHARACTER :]
    return end


def _show_plain_letters(shown: CleanText) -> None:
    if shown.text.isascii() and not CONTROLS.search(shown.text):
        return
    shown.text = shown.text.translate(_FORMS)  # each in its place
    shown.replace(ODD_FORM, lambda odd: "" if odd[1] else normalize("NFKC", odd[0]))


def _read_escape(escape: re.Match[str]) -> str:
    if punctuation := escape[3]:
        return punctuation
    if name := escape[4]:
        return html5.get(name, escape[0])
    return _decode(escape)


def _normalize(cleaned: CleanText) -> None:
    if has_long_stack(cleaned.text):
        cleaned.replace(long_stack(), lambda _: "")
    if not is_normalized("NFKC", cleaned.text):
        cleaned.replace(FOLDABLE, lambda part: normalize("NFKC", part[0]))


def _in_place(match: re.Match[str]) -> str:
    return "" if match[1] is None else match[0]


def _decode(entity: re.Match[str]) -> str:
    hexadecimal, decimal = entity[1], entity[2]
    code = int(hexadecimal, 16) if hexadecimal else int(decimal)
    return chr(code) if code <= _LAST_CHARACTER else ""
