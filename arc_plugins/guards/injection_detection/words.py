"""Splits a prompt into words in one spelling, whatever it is disguised as."""

import re
import string
import unicodedata
from collections.abc import Iterable

from arc_plugins.guards.injection_detection.delimiters import DELIMITER
from arc_plugins.guards.injection_detection.disguises import (
    JoinedWords,
    LeetSpeak,
    fold_mixed_words,
    join_spaced_letters,
    uncover,
)
from arc_plugins.guards.injection_detection.screening import LONG_WORD, rare_characters

__all__ = ["ROLE_MARKER", "WordSplitter", "is_found_inside"]

ROLE_MARKER = "\ue000"
"""Stands for a mark by which chat templates tell roles apart, such as `<|im_start|>`."""

_ASCII_PUNCTUATION = str.maketrans(dict.fromkeys(string.punctuation, " "))
_WORD = re.compile(rf"[a-z0-9]+|[^\W_a-z0-9]+|{ROLE_MARKER}")
_ACCENTED = re.compile("[\u00c0-\u024f\u0251\u0261]")
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
        text = f"\n{fold_mixed_words(uncover(text).lower())}\n"
        if rare_characters(text):
            text = self._leet_speak.read(DELIMITER.sub(f" {ROLE_MARKER} ", text))
        text = join_spaced_letters(text)
        if text.isascii():
            words = text.translate(_ASCII_PUNCTUATION).split()
        else:
            words = self._words_in_any_script(text)
        if max(map(len, words), default=0) < LONG_WORD:
            return words
        return [part for word in words for part in self._joined_words.split(word)]

    def _words_in_any_script(self, text: str) -> list[str]:
        for script, words in self._by_script:
            if script.search(text):
                text = words.sub(r" \g<0> ", text)
        return _WORD.findall(_ACCENTED.sub(_plain, text))


def _any_of(words: Iterable[str]) -> re.Pattern[str]:
    """Finds the longest of the words; two looks at classes pass over nearly all other text."""
    ends: dict[str, dict[str, list[str]]] = {}
    longest_first = sorted(sorted(words), key=len, reverse=True)
    for word in longest_first:
        if len(word) > 1:
            ends.setdefault(word[1], {}).setdefault(word[0], []).append(re.escape(word[2:]))
    if not longest_first:
        return re.compile(r"(?!)")
    by_second = [
        second
        + "(?:"
        + "|".join(f"(?<={f}{second})(?:{'|'.join(e)})" for f, e in each.items())
        + ")"
        for second, each in ends.items()
    ]
    rests = [f"(?=[{''.join(ends)}])(?:{'|'.join(by_second)})"] if ends else []
    rests += [f"(?<={word})" for word in longest_first if len(word) == 1]
    firsts = "".join(sorted({word[0] for word in longest_first}))
    return re.compile(f"[{firsts}](?:{'|'.join(rests)})")


def _plain(letter: re.Match[str]) -> str:
    return _PLAIN[letter[0]]
