"""What a result of a tool is judged by: words, neighbours, and the concepts that they stand for.

A sign is a text: `send` for a word, `instr*` for what a longer one begins with, `your instr` for
neighbours, `#machine` for a concept, and `#drop>#orders` for two concepts near to each other. Of
Korean, Japanese and Chinese it is one to three letters in a row.
"""

import re
from collections import deque
from collections.abc import Iterable, Mapping, Sequence

from arc_plugins.guards.injection_detection.vocabulary import share_parts
from arc_plugins.guards.injection_detection.words import WordSplitter

__all__ = ["STEM_CHARS", "SignFinder"]

_EACH_LETTER_COUNTS = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_LETTERS_IN_A_ROW = 3
STEM_CHARS = 5
_NEAR_WORDS = 5

Signs = list[list[str]]


class SignFinder:
    """Finds the signs of texts, in time that grows with the length only.

    Args:
        concepts: For each its words in all languages, those of several parts with spaces between.
    """

    def __init__(self, concepts: Mapping[str, Iterable[str]]) -> None:
        words = {concept: set(terms) for concept, terms in concepts.items()}
        share_parts(words)
        self._splitter = WordSplitter([term for terms in words.values() for term in terms])
        self._terms: dict[str, list[tuple[list[str], str]]] = {}
        for concept, terms in words.items():
            for term in terms:
                first, *rest = term.split()
                self._terms.setdefault(first, []).append((rest, f"#{concept}"))

    def signs_of(self, text: str) -> Signs:
        """The signs of each word of a text, or of each letter where that counts, in their order."""
        words = self._splitter.words_of(text)
        signs, ends = _spell(words)
        near: deque[tuple[int, set[str]]] = deque()
        for at, concepts in sorted(self._concepts_of(words).items()):
            while near and near[0][0] < at - _NEAR_WORDS:
                near.popleft()
            here = signs[ends[at]]
            here += concepts
            for _, others in near:
                here += [f"{one}>{other}" for one in others for other in concepts if one != other]
            near.append((at, concepts))
        return signs

    def _concepts_of(self, words: Sequence[str]) -> dict[int, set[str]]:
        """The concepts by the place of the last word of their terms."""
        found: dict[int, set[str]] = {}
        for at, word in enumerate(words):
            for rest, concept in self._terms.get(word, ()):
                if not rest or words[at + 1 : at + 1 + len(rest)] == rest:
                    found.setdefault(at + len(rest), set()).add(concept)
        return found


def _spell(words: Iterable[str]) -> tuple[Signs, list[int]]:
    """The signs that words are by themselves, and for each word the place of its last ones."""
    signs: Signs = []
    ends: list[int] = []
    before = letters = ""
    for word in words:
        if _EACH_LETTER_COUNTS.match(word):
            for letter in word:
                letters = (letters + letter)[-_LETTERS_IN_A_ROW:]
                signs.append([letters[at:] for at in range(len(letters))])
            before = word[-2:]
        else:
            known = "0" if word.isdigit() else word
            stem, letters = known[:STEM_CHARS], ""
            signs.append([known, f"{before} {stem}"])
            if stem != known:
                signs[-1].append(f"{stem}*")
            before = stem
        ends.append(len(signs) - 1)
    return signs, ends
