"""Splits a prompt into words in one spelling, whatever it is disguised as."""

import re
import string
import unicodedata
from collections.abc import Iterable

from arc_plugins.guards.injection_detection.delimiters import DELIMITER
from arc_plugins.guards.injection_detection.disguises import (
    JoinedWords,
    LeetSpeak,
    join_spaced_letters,
    uncover,
)

__all__ = ["ROLE_MARKER", "WordSplitter", "is_found_inside"]

ROLE_MARKER = "\ue000"
"""Stands for a mark by which chat templates tell roles apart, such as `<|im_start|>`."""

_ASCII_PUNCTUATION = str.maketrans(dict.fromkeys(string.punctuation, " "))
_WORD = re.compile(rf"[a-z0-9]+|[^\W_a-z0-9]+|{ROLE_MARKER}")
_ACCENTED = re.compile("[\u00c0-\u024f\u0251\u0261]")
_LONG_WORD = 12
_FOUND_INSIDE = re.compile("[\u3040-\u30ff\u3400-\u9fff]|[\uac00-\ud7a3]{2}")
_HANGUL = re.compile("[\uac00-\ud7a3]")
_KANA_OR_IDEOGRAPH = re.compile("[\u3040-\u30ff\u3400-\u9fff]")


def _without_accent(letter: str) -> str:
    return "".join(
        part for part in unicodedata.normalize("NFD", letter) if not unicodedata.combining(part)
    )


_PLAIN = {chr(code): _without_accent(chr(code)) for code in range(0xC0, 0x250)} | {
    "ß": "ss", "œ": "oe", "æ": "ae", "ø": "o", "ı": "i", "ł": "l", "ɑ": "a", "ɡ": "g",
}  # fmt: skip


def is_found_inside(word: str) -> bool:
    """Whether a word counts wherever its characters stand, and not as a whole word only.

    That holds for Korean, Japanese and Chinese words, but for Korean ones of one syllable.
    """
    return _FOUND_INSIDE.search(word) is not None


class WordSplitter:
    """Splits prompts into words.

    Args:
        vocabulary: Words, those of several parts with spaces in between; those that are found
            inside others become words of their own where they are.
    """

    def __init__(self, vocabulary: Iterable[str]) -> None:
        parts = {part for word in vocabulary for part in word.split()}
        inside = {part for part in parts if is_found_inside(part)}
        self._leet_speak, self._joined_words = LeetSpeak(parts), JoinedWords(parts)
        self._by_script = [
            (script, _any_of({word for word in inside if script.search(word)}))
            for script in (_HANGUL, _KANA_OR_IDEOGRAPH)
        ]

    def words_of(self, text: str) -> list[str]:
        """The words in lower case, without accents and punctuation; time is linear in the length.

        Disguises are undone (`i g n o r e`, `ig**nore**`, `1gn0re`, `ignoreAll`), and marks of chat
        templates become `ROLE_MARKER`.
        """
        text = DELIMITER.sub(f" {ROLE_MARKER} ", f"\n{uncover(text).lower()}\n")
        text = join_spaced_letters(self._leet_speak.read(text))
        if text.isascii():
            words = text.translate(_ASCII_PUNCTUATION).split()
        else:
            words = self._words_in_any_script(text)
        if max(map(len, words), default=0) < _LONG_WORD:
            return words
        return [part for word in words for part in self._joined_words.split(word)]

    def _words_in_any_script(self, text: str) -> list[str]:
        for script, words in self._by_script:
            if script.search(text):
                text = words.sub(_apart, text)
        return _WORD.findall(_ACCENTED.sub(_plain, text))


def _any_of(words: Iterable[str]) -> re.Pattern[str]:
    """Finds the longest of the words; by first character, which is much faster than one by one."""
    rests: dict[str, list[str]] = {}
    for word in sorted(sorted(words), key=len, reverse=True):
        rests.setdefault(word[0], []).append(re.escape(word[1:]))
    alternatives = (f"{first}(?:{'|'.join(each)})" for first, each in rests.items())
    return re.compile("|".join(alternatives) or r"(?!)")


def _plain(letter: re.Match[str]) -> str:
    return _PLAIN[letter[0]]


def _apart(word: re.Match[str]) -> str:
    return f" {word[0]} "
