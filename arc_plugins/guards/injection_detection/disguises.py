"""Undoes what hides a word from a search and not from a reader, ciphers among it."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from html import unescape
from itertools import count
from string import ascii_letters, ascii_lowercase, whitespace
from typing import NamedTuple

LONG_WORD = 12
"""Words that are run together, in camel case or encoded have at least so many characters."""

_ORDINARY = str.maketrans(dict.fromkeys(f"{ascii_letters}{whitespace},.?", None))


class Look(NamedTuple):
    """The findings of one quick look at a text, which later steps ask.

    Attributes:
        rare: The digits and signs that ordinary sentences do not have: marks of templates, codes,
            mark-up and digits for letters all need some of them.
        signs: Each of them once, so that every piece of a long text can be asked about them.
        longest: How many characters the longest part between white space has.
    """

    rare: str
    signs: frozenset[str]
    longest: int

    @classmethod
    def at(cls, text: str) -> "Look":
        """Look at a text once; time is linear in its length."""
        rare = "€" * text.count("€") + text.encode("ascii", "ignore").decode().translate(_ORDINARY)
        return cls(rare, frozenset(rare), max(map(len, text.split()), default=0))


_ENTITY = re.compile(r"&(?:amp;){0,3}([a-zA-Z]{2,8};)")
# Inside a word no mark-up is meant for a reader: `ig**nore**`, `ig<b>nore</b>`, `ig<!-- -->nore`.
_IN_A_WORD = re.compile(r"(?<=[^\W_])(?:[*~`]++|__++|<[^<>]{0,80}+>)++(?=[^\W_])")
_SIGNS_OF_MARKUP = "*~`_<"
_HINT_OF_CAMEL_CASE = re.compile(r"[A-Z][a-z]+[A-Z]")
_CAMEL_CASE = re.compile(r"(?<![^\W_])[A-Z]?[a-z]+(?:[A-Z][a-z]+){2,}")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_MARKS = re.compile("[\u0300-\u036f\u20d0-\u20f0]+")
_FLAG_AND_BOX_LETTERS = {
    first + offset: chr(ord("a") + offset)
    for first in (0x1F1E6, 0x1F150, 0x1F170)
    for offset in range(26)
}
_FLAG_OR_BOX = "\U0001f150-\U0001f169\U0001f170-\U0001f189\U0001f1e6-\U0001f1ff"
_MARK_FLAG_OR_BOX = re.compile(f"[\u0300-\u036f\u20d0-\u20f0{_FLAG_OR_BOX}]")


def uncover(text: str, look: Look) -> str:
    """The text without mark-up inside words, with joined words apart; upper case still counts."""
    if "&" in look.signs:
        text = _ENTITY.sub(lambda entity: unescape(f"&{entity[1]}"), text)
    if not look.signs.isdisjoint(_SIGNS_OF_MARKUP):
        text = _IN_A_WORD.sub("", text)
    if look.longest >= LONG_WORD and _HINT_OF_CAMEL_CASE.search(text):
        text = _CAMEL_CASE.sub(lambda words: _HUMP.sub(" ", words[0]), text)
    if text.isascii() or _MARK_FLAG_OR_BOX.search(text) is None:
        return text
    return _MARKS.sub("", text.translate(_FLAG_AND_BOX_LETTERS))


# The vowels of Indian scripts are not letters to `re`, and not gaps between letters either.
_SPACED_LETTERS = re.compile(
    r"(?<![^\W_])(?<![\u0900-\u0dff])[^\W_](?![\u0900-\u0dff])"
    r"(?:[\W_]{1,3}[^\W_](?![^\W_]|[\u0900-\u0dff])){2,}"
)
# Searches that begin with a class of rare characters pass over ordinary text much faster.
_HINT_OF_SPACED_LETTERS = re.compile(r"[\W_][^\W_](?![^\W_])[\W_]{1,3}[^\W_](?![^\W_])")
_HINT_IN_ASCII = re.compile(r" [^ ] {1,3}[^ ] ")
_GAP = re.compile(r"[\W_]+")


def has_spaced_letters(text: str) -> bool:
    """Return whether letters may stand apart in a text that begins and ends with a line break.

    Args:
        text: If it is ASCII, with spaces only between its letters and digits.
    """
    hint = _HINT_IN_ASCII if text.isascii() else _HINT_OF_SPACED_LETTERS
    return hint.search(text) is not None


def join_spaced_letters(text: str) -> str:
    """`i g n o r e  a l l` as `ignore all`: the narrowest gaps are those inside words."""
    return _SPACED_LETTERS.sub(_join, text)


def _join(letters: re.Match[str]) -> str:
    narrowest = min(map(len, _GAP.findall(letters[0])))
    return _GAP.sub(lambda gap: "" if len(gap[0]) == narrowest else " ", letters[0])


_LOOKALIKES = str.maketrans(
    "асԁеһіјкӏмнорԛгѕтυѵԝхуьαβεηικνορτυωχγπ", "acdehijklmhopqrstuvwxybabeniknoptuwxyn"
)
_MIXED = "".join(map(chr, _LOOKALIKES))
_HINT_OF_MIXED = re.compile(f"[{_MIXED}][a-z@$€|]|[a-z@$€|][{_MIXED}]")
_MIXED_WORD = re.compile(f"[a-z0-9@$€!|+{_MIXED}]{{2,}}")
_LATIN = re.compile("[a-z@$€|]")


def fold_mixed_words(text: str) -> str:
    """Words of Latin and other letters in Latin letters only: `іgn0rе`, and no Russian word.

    Args:
        text: In lower case.
    """
    if text.isascii() or _HINT_OF_MIXED.search(text) is None:
        return text
    return _MIXED_WORD.sub(
        lambda word: word[0].translate(_LOOKALIKES) if _LATIN.search(word[0]) else word[0], text
    )


_LEET = re.compile(r"[0-9@$€!|+](?:(?=[a-z])|(?<=[a-z][^!]))")
_LEET_WORD = re.compile(r"[a-z0-9@$€!|+]{3,}")
_LEET_LETTERS = str.maketrans("01!|l3€4@5$7+8962", "oiiiieeaassttbggz")
_LEAST_LEET_LETTERS = 3
_DISGUISED_WORDS = 3
DISGUISE_MARKER = "\ue001"
"""Stands after every third word that was written with digits for letters."""


class LeetSpeak:
    """Reads digits as the letters they look like if that makes one of some words in lower case."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = {
            word.translate(_LEET_LETTERS): word
            for word in sorted(words)
            if word.isascii() and word.isalpha() and len(word) >= _LEAST_LEET_LETTERS
        }

    def read(self, text: str) -> str:
        """The text, in lower case, with such words in letters and `DISGUISE_MARKER` among them."""
        if _LEET.search(text) is None:
            return text
        disguised = count()

        def in_letters(match: re.Match[str]) -> str:
            word = match[0]
            if word.isalpha() or word.isdigit():
                return word
            plain = self._words.get(word.translate(_LEET_LETTERS))
            plain = plain or self._words.get(word.strip("!|+").translate(_LEET_LETTERS))
            if plain is None:
                return word
            is_marked = next(disguised) % _DISGUISED_WORDS == _DISGUISED_WORDS - 1
            return f" {plain} {DISGUISE_MARKER} " if is_marked else f" {plain} "

        return _LEET_WORD.sub(in_letters, text)


_JOINED_CHARS = range(LONG_WORD, 81)


class JoinedWords:
    """Takes apart long words that are nothing but words that are looked for, in lower case."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = {word for word in words if word.isascii() and len(word) > 1} | {"a", "i"}
        self._longest = max(map(len, self._words))

    def split(self, word: str) -> list[str]:
        """The words in it, or the word itself; the time is bounded by the 80 letters looked at."""
        if len(word) not in _JOINED_CHARS or not word.isascii() or word in self._words:
            return [word]
        begins: dict[int, int] = {0: 0}
        for at in range(len(word)):
            if at not in begins:
                continue
            for end in range(at + 1, min(at + self._longest, len(word)) + 1):
                if word[at:end] in self._words:
                    begins[end] = min(at, begins.get(end, at))
        parts: list[str] = []
        end = len(word)
        while end and end in begins:
            parts.append(word[begins[end] : end])
            end = begins[end]
        return parts[::-1] or [word]


_LEAST_TELLING_LETTERS = 5
_LEAST_WORDS = 2
_EXCHANGES = {
    "rot13": str.maketrans(ascii_lowercase, ascii_lowercase[13:] + ascii_lowercase[:13]),
    "atbash": str.maketrans(ascii_lowercase, ascii_lowercase[::-1]),
}
_BACKWARDS = "backwards"


class CipherReader:
    """Knows words that are looked for in every cipher, so that honest text costs one look-up each.

    Args:
        words: What to look for; only long ASCII words tell a cipher.
    """

    def __init__(self, words: Iterable[str]) -> None:
        known = {word for word in words if word.isascii() and word.isalpha()}
        telling = {word for word in known if len(word) >= _LEAST_TELLING_LETTERS}
        self._ciphers = {
            word.translate(table): name for name, table in _EXCHANGES.items() for word in telling
        } | {word[::-1]: _BACKWARDS for word in telling}
        for word in known & self._ciphers.keys():
            del self._ciphers[word]

    def read(self, words: Sequence[str]) -> Iterator[list[str]]:
        """The words in plain, for every cipher of which they have two words or more."""
        if self._ciphers.keys().isdisjoint(words):
            return
        counts = Counter(self._ciphers[word] for word in words if word in self._ciphers)
        for name, known_words in counts.items():
            if known_words < _LEAST_WORDS:
                continue
            if name == _BACKWARDS:
                backwards = [word[::-1] for word in words]
                yield backwards
                yield backwards[::-1]
            else:
                yield [word.translate(_EXCHANGES[name]) for word in words]
