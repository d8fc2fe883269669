"""Brings a text into one form: what reads alike is spelled alike, and nothing is invisible.

There are two ways to read a text. `clean` is for what is handed on, such as a prompt: it says what
it said before. `show` is for what is only compared, such as an answer on its way out. Both know
where each part of it stood.
"""

import re
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from html.entities import html5
from typing import Self
from unicodedata import is_normalized, normalize

from arc_core.text.character_classes import (
    CONTROLS,
    FOLDABLE,
    INVISIBLE,
    KEPT,
    ODD,
    ODD_FORM,
    cover,
    has_long_stack,
    long_stack,
    unclean,
)
from arc_core.text.lookalikes import LATIN_LETTERS, LOOKALIKE, fold_lookalikes


@dataclass(frozen=True, slots=True)
class _Changes:
    """The changes of one pass: where each begins and ends in the text before, and in that after."""

    old_starts: list[int] = field(default_factory=list)
    old_ends: list[int] = field(default_factory=list)
    new_starts: list[int] = field(default_factory=list)
    new_ends: list[int] = field(default_factory=list)

    def add(self, *, old: tuple[int, int], new: tuple[int, int]) -> None:
        self.old_starts.append(old[0])
        self.old_ends.append(old[1])
        self.new_starts.append(new[0])
        self.new_ends.append(new[1])

    def start_before(self, place: int) -> int:
        """Return the origin of the character at a place, without what was left out before it."""
        change = bisect_right(self.new_starts, place) - 1
        if change < 0:
            return place
        if place < self.new_ends[change]:
            return self.old_starts[change]
        return self.old_ends[change] + place - self.new_ends[change]

    def end_before(self, place: int) -> int:
        """Behind where the last character before a place has come from."""
        change = bisect_right(self.new_starts, place - 1) - 1
        if change < 0:
            return place
        if place <= self.new_ends[change]:
            return self.old_ends[change]
        return self.old_ends[change] + place - self.new_ends[change]

    def place_after(self, place: int) -> int:
        """Return the place in the text after of one in the text before."""
        return self._reversed.start_before(place)

    @property
    def _reversed(self) -> "_Changes":
        return _Changes(self.new_starts, self.new_ends, self.old_starts, self.old_ends)


class CleanText:
    """A text that is rewritten in passes and knows where every part of it has come from.

    It counts the invisible characters that it had.
    """

    __slots__ = ("_passes", "invisible", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.invisible = 0
        self._passes: list[_Changes] = []

    @classmethod
    def of(cls, text: str, *, is_final: bool = True) -> Self:
        """The text as it was given, whether it goes on or not."""
        return cls(text)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """From where to where a part of the text stood in the one that was given."""
        is_empty = start >= end
        for changes in reversed(self._passes):
            start = changes.start_before(start)
            end = start if is_empty else changes.end_before(end)
        return start, end

    def place(self, given: int) -> int:
        """Return the place in this text of one in the text that was given."""
        for changes in self._passes:
            given = changes.place_after(given)
        return min(given, len(self.text))

    def replace(self, pattern: re.Pattern[str], new: Callable[[re.Match[str]], str]) -> None:
        """Put something else wherever a pattern matches."""
        text, changes, pieces = self.text, _Changes(), list[str]()
        shown = length = 0
        for match in pattern.finditer(text):
            instead = new(match)
            if instead == match[0]:
                continue
            start, end = match.span()
            length += start - shown
            changes.add(old=(start, end), new=(length, length + len(instead)))
            length += len(instead)
            pieces += (text[shown:start], instead)
            shown = end
        if pieces:
            self.text = "".join((*pieces, text[shown:]))
            self._passes.append(changes)


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
    if _ENTITY.search(text):
        return False
    if text.isascii():
        return CONTROLS.search(text) is None
    return _perhaps_unclean().search(text) is None and is_normalized("NFKC", text)


@cache
def _perhaps_unclean() -> re.Pattern[str]:
    return cover(unclean() + LOOKALIKE.pattern[1:-1])


def clean(text: str, *, folds: bool = True) -> CleanText:
    """The text in its normal form (NFKC), with the number of invisible characters it had.

    Numeric HTML entities are decoded and letters of other alphabets that spell Latin words become
    Latin, see `lookalikes`. What would change its meaning stays: superscript digits, fractions and
    single Korean letters. Invisible characters that belong where they are, such as those inside
    emoji, stay and are not counted. Time grows with the length only.

    Args:
        text: All of it, or a part of which the look-alikes are folded later.
        folds: Whether look-alikes become Latin.
    """
    cleaned = CleanText(text)
    # What a pass decodes may need another one; few, so that nesting cannot cost more than length.
    for _ in range(_MAX_PASSES):
        if has_long_stack(cleaned.text):
            cleaned.replace(long_stack(), lambda _: "")
        if not is_normalized("NFKC", cleaned.text):
            cleaned.replace(FOLDABLE, lambda part: normalize("NFKC", part[0]))
        normal = cleaned.text
        cleaned.replace(INVISIBLE, lambda found: "" if found[1] is None else found[0])
        cleaned.invisible += len(normal) - len(cleaned.text)
        cleaned.replace(_ENTITY, _decode)
        if cleaned.text == normal:
            break
    if folds:
        cleaned.text = fold_lookalikes(cleaned.text)  # each in its place
    return cleaned


def is_shown_as_it_is(text: str) -> bool:
    """Return whether a quick look shows that `show` would change nothing."""
    if "\\" in text or "&" in text:
        return False
    if text.isascii():
        return CONTROLS.search(text) is None
    return cover(_ODD.pattern[1:-1]).search(text) is None or _ODD.search(text) is None


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


def _decode(entity: re.Match[str]) -> str:
    hexadecimal, decimal = entity[1], entity[2]
    code = int(hexadecimal, 16) if hexadecimal else int(decimal)
    return chr(code) if code <= _LAST_CHARACTER else ""
