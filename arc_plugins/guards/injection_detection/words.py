"""Splits a prompt into words in one spelling, whatever it is disguised as."""

import re
import unicodedata
from collections.abc import Iterable
from functools import cached_property

from arc_plugins.guards.injection_detection.disguises import (
    DISGUISE_MARKER,
    LONG_WORD,
    JoinedWords,
    LeetSpeak,
    Look,
    fold_mixed_words,
    has_spaced_letters,
    join_spaced_letters,
    uncover,
)
from arc_plugins.guards.injection_detection.patterns import read_table, read_tables

_ROLES = "system|sys|user|assistant|human|admin|developer|ai|bot|inst|instructions?|prompt"
_ROLES_ELSEWHERE = (
    "sistema|système|systeme|usuario|benutzer|система|시스템|사용자|システム|系统|系統"
)
_FRAMES = "context|input|session|chat|conversation|document|message|output|rules|config"

# The class at the beginning lets text without these characters be passed over quickly.
DELIMITER = re.compile(
    rf"""
    [<\[{{\#%=*"'\n-]
    (?:
        (?<=<)\|[a-z_\ ]{{1,24}}\|>
      | (?<=<)</?(?:{_ROLES})>>
      | (?<=<)/?(?:{_ROLES}|{_ROLES_ELSEWHERE}|user_input|system_prompt|{_FRAMES})
        (?:\ [^<>]{{0,40}})?>
      | (?<=<)\#\#?>
      | (?<=[\[{{])\s?/?(?:{_ROLES}|{_ROLES_ELSEWHERE})
        (?:\ (?:message|prompt|note|mode|update))?\s?[\]}}]
      | (?<=\[)(?:end|begin|start)\ (?:of\ )?(?:{_ROLES}|{_FRAMES})[^\[\]]{{0,20}}\]
      | (?<=\#)\#{{1,5}}\ ?(?:new\ )?(?:{_ROLES}|{_ROLES_ELSEWHERE}|response)\b
      | (?<=[%\#=*-])[%\#=*-]{{2,40}}\s?(?:begin|end|start|new)\b
      | (?<=["'])role["']\s?:\s?["'](?:system|developer)["']
      | (?<=\n)\W{{0,3}}(?:human|assistant|system|user|시스템|システム|系统|система|sistema)
        \W{{0,2}}:
    )
    """,
    re.VERBOSE,
)
"""Finds forged marks in text in lower case that begins and ends with a line break."""


ROLE_MARKER = "\ue000"
"""Stands for a mark by which chat templates tell roles apart, such as `<|im_start|>`."""

SPACE_FOR_SIGNS = str.maketrans({chr(code): " " for code in range(128) if not chr(code).isalnum()})
"""For texts in ASCII: a space in the place of all but letters and digits."""

_LEET_SIGNS = "0123456789@$€!|+"
_WORD = re.compile(
    rf"[a-z0-9]+|[\u0900-\u0963\u0966-\u0dff]+|[^\W_a-z0-9]+|[{ROLE_MARKER}{DISGUISE_MARKER}]"
)
_ACCENTED = re.compile("[\u00c0-\u024f\u0251\u0261]")
_FOUND_INSIDE = re.compile("[\u3040-\u30ff\u3400-\u9fff]|[\uac00-\ud7a3]{2}")
_HANGUL = re.compile("[\uac00-\ud7a3]")
_KANA = re.compile("[\u3040-\u30ff]")
_KANA_OR_IDEOGRAPH = re.compile("[\u3040-\u30ff\u3400-\u9fff]")


_PLAIN = {
    chr(code): "".join(
        part
        for part in unicodedata.normalize("NFD", chr(code))
        if not unicodedata.combining(part)
    )
    for code in range(0xC0, 0x250)
} | {
    "ß": "ss", "œ": "oe", "æ": "ae", "ø": "o", "ı": "i", "ł": "l", "ɑ": "a", "ɡ": "g",
}  # fmt: skip


def is_found_inside(word: str) -> bool:
    """Return whether a word counts wherever its characters stand, and not as a whole word only.

    That holds for Korean, Japanese and Chinese words, but for Korean ones of one syllable.
    """
    return _FOUND_INSIDE.search(word) is not None


class _Script:
    """The words of a script that are found inside others, of the words of all scripts."""

    def __init__(self, characters: re.Pattern[str], words: Iterable[str]) -> None:
        self.characters = characters
        self._words = [word for word in words if characters.search(word)]

    @cached_property
    def words(self) -> re.Pattern[str]:
        """Finds each as a group; made for the first prompt in the script, few programs see one."""
        return re.compile(f"({_match_any(self._words)})")


class WordSplitter:
    """Splits prompts into words.

    Args:
        vocabulary: Words, those of several parts with spaces in between; those that are found
            inside others become words of their own where they are.
        japanese: Those of them that mean something else in Chinese, or nothing. Without kana a
            text is not Japanese, and they are not found in it.
    """

    def __init__(self, vocabulary: Iterable[str], japanese: Iterable[str] = ()) -> None:
        parts = {part for word in vocabulary for part in word.split()}
        inside = {part for part in parts if is_found_inside(part)}
        self._leet_speak, self._joined_words = (
            LeetSpeak(parts.union(read_table("everyday_words"))),
            JoinedWords(parts),
        )
        self._korean = _Script(_HANGUL, inside)
        self._japanese = _Script(_KANA_OR_IDEOGRAPH, inside)
        self._japanese_only = frozenset(japanese)
        self._chinese = _Script(_KANA_OR_IDEOGRAPH, inside - self._japanese_only)

    def split(self, text: str, look: Look | None = None) -> list[str]:
        """The words in lower case, without accents and punctuation; time is linear in the length.

        Disguises are undone (`i g n o r e`, `ig**nore**`, `1gn0re`, `ignoreAll`), and marks of chat
        templates become `ROLE_MARKER`.

        Args:
            text: A prompt or a part of one.
            look: What a look at the prompt has shown, if there has been one.
        """
        look = Look.at(text) if look is None else look
        text = self._in_lower_case(text, look)
        spaced = text.translate(SPACE_FOR_SIGNS) if text.isascii() else text
        if has_spaced_letters(spaced):
            spaced = join_spaced_letters(text)
        elif look.longest < LONG_WORD:
            return self._split(spaced)
        return [part for word in self._split(spaced) for part in self._joined_words.split(word)]

    def _in_lower_case(self, text: str, look: Look) -> str:
        text = f"\n{fold_mixed_words(uncover(text, look).lower())}\n"
        if look.signs:
            text = DELIMITER.sub(f" {ROLE_MARKER} ", text)
            if not look.signs.isdisjoint(_LEET_SIGNS):
                text = self._leet_speak.read(text)
        return text

    def _split(self, text: str) -> list[str]:
        if text.isascii():
            return text.translate(SPACE_FOR_SIGNS).split()
        is_japanese = _KANA.search(text) is not None
        for script in (self._korean, self._japanese if is_japanese else self._chinese):
            if script.characters.search(text):
                text = " ".join(script.words.split(text))
        words: list[str] = _WORD.findall(without_accents(text))
        if is_japanese or self._japanese_only.isdisjoint(words):
            return words
        return [word for word in words if word not in self._japanese_only]


def without_accents(text: str) -> str:
    """A text in lower case with plain letters for Latin ones with accents."""
    return text if text.isascii() else _ACCENTED.sub(lambda letter: _PLAIN[letter[0]], text)


def _match_any(words: Iterable[str]) -> str:
    """A pattern for the longest of words; two looks at classes pass over nearly all other text."""
    ends: dict[str, dict[str, list[str]]] = {}
    longest_first = sorted(sorted(words), key=len, reverse=True)
    for word in longest_first:
        if len(word) > 1:
            ends.setdefault(word[1], {}).setdefault(word[0], []).append(re.escape(word[2:]))
    if not longest_first:
        return r"(?!)"
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
    return f"[{firsts}](?:{'|'.join(rests)})"


def vocabulary() -> dict[str, set[str]]:
    """For each concept its words in all languages; those of several parts have spaces between."""
    concepts: dict[str, set[str]] = {
        "role_marker": {ROLE_MARKER},
        "disguised": {DISGUISE_MARKER},
        "system": {"system"},
    }
    for table in read_tables("words").values():
        for concept, words in table.items():
            concepts.setdefault(concept, set()).update(words)
    share_parts(concepts)
    return concepts


def japanese_only() -> set[str]:
    """Japanese words without kana that are not in the table of Chinese.

    Many of them are Chinese words, too, and mean something else: 回答 is an order in Japanese, and
    the commonest word for an answer in Chinese.
    """
    tables = read_tables("words")
    chinese = {word for words in tables["chinese"].values() for word in words}
    japanese = {word for words in tables["japanese"].values() for word in words}
    return {word for word in japanese - chinese if _KANA.search(word) is None}


def share_parts(concepts: dict[str, set[str]]) -> None:
    """Let long words stand for the concepts of the shorter ones in them, too.

    Of words that are found inside others only the longest is found in a text.
    """
    parts = {part for terms in concepts.values() for term in terms for part in term.split()}
    inside = {part for part in parts if is_found_inside(part)}
    containers: dict[str, set[str]] = {}  # for each of them those that it is in
    for word in inside:
        length = len(word)
        for part in {word[i:j] for i in range(length) for j in range(i + 1, length + 1)} & inside:
            containers.setdefault(part, set()).add(word)
    for terms in concepts.values():
        for term in tuple(terms):
            terms.update(containers.get(term, ()))
