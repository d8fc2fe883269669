"""The words of all languages by concept, put together from a table per language."""

import re
from collections.abc import Iterable

from arc_plugins.guards.injection_detection.disguises import DISGUISE_MARKER
from arc_plugins.guards.injection_detection.tables import words_by_language
from arc_plugins.guards.injection_detection.words import ROLE_MARKER, is_found_inside

__all__ = ["japanese_only", "share_parts", "vocabulary"]

_KANA = re.compile("[\u3040-\u30ff]")


def vocabulary() -> dict[str, set[str]]:
    """For each concept its words in all languages; those of several parts have spaces between."""
    concepts: dict[str, set[str]] = {
        "role_marker": {ROLE_MARKER},
        "disguised": {DISGUISE_MARKER},
        "system": {"system"},
    }
    for table in words_by_language().values():
        for concept, words in table.items():
            concepts.setdefault(concept, set()).update(words)
    share_parts(concepts)
    return concepts


def japanese_only() -> set[str]:
    """Japanese words without kana that are not in the table of Chinese.

    Many of them are Chinese words, too, and mean something else: 回答 is an order in Japanese, and
    the commonest word for an answer in Chinese.
    """
    tables = words_by_language()
    chinese = {word for words in tables["chinese"].values() for word in words}
    japanese = {word for words in tables["japanese"].values() for word in words}
    return {word for word in japanese - chinese if _KANA.search(word) is None}


def share_parts(concepts: dict[str, set[str]]) -> None:
    """Let long words stand for the concepts of the shorter ones in them, too.

    Of words that are found inside others only the longest is found in a text.
    """
    containers = _containers({part for words in concepts.values() for part in _parts(words)})
    for terms in concepts.values():
        for term in tuple(terms):
            terms.update(containers.get(term, ()))


def _parts(words: Iterable[str]) -> Iterable[str]:
    return (part for word in words for part in word.split())


def _containers(words: set[str]) -> dict[str, set[str]]:
    """For each word that is found inside others, those others."""
    inside = {word for word in words if is_found_inside(word)}
    containers: dict[str, set[str]] = {}
    for word in inside:
        length = len(word)
        for part in {word[i:j] for i in range(length) for j in range(i + 1, length + 1)} & inside:
            containers.setdefault(part, set()).add(word)
    return containers
