"""The signs in a result of a tool: words, neighbours, and the concepts that they stand for.

A sign is a text: `send` for a word, `instr*` for what a longer one begins with, `your instr` for
neighbours, `#machine` for a concept, and `#drop>#orders` for two concepts near to each other. Of
Korean, Japanese and Chinese it is one to three letters in a row.
"""

import re
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, repeat
from operator import add, sub

from arc_plugins.guards.injection_detection.marks import MarkScanner
from arc_plugins.guards.injection_detection.words import (
    WordSplitter,
    is_found_inside,
    share_parts,
    without_accents,
)

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

    def find_signs(self, text: str) -> Signs:
        """The signs of each word of a text, or of each letter where that counts, in their order."""
        words = self._splitter.split(text)
        signs, ends = _spell(words)
        near: deque[tuple[int, set[str]]] = deque()
        for at, concepts in sorted(self._find_concepts(words).items()):
            while near and near[0][0] < at - _NEAR_WORDS:
                near.popleft()
            here = signs[ends[at]]
            here += concepts
            for _, others in near:
                here += [f"{one}>{other}" for one in others for other in concepts if one != other]
            near.append((at, concepts))
        return signs

    def _find_concepts(self, words: Sequence[str]) -> dict[int, set[str]]:
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


_WORDS, _LEAST_OF_WORDS = 10, 20.0
_CHARS, _LEAST_OF_TERMS, _LEAST_OF_A_TERM = 80, 6.0, 2.5
_WORD = re.compile("[^\\W_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]+")
_SPACE_FOR_SIGNS = str.maketrans({chr(code): " " for code in range(128) if not chr(code).isalnum()})


class Glance:
    """Looks at blocks of text; the time grows with the length only.

    Args:
        weights: How much each sign tells, see `result_signs`.
        concepts: For each its words in all languages.
    """

    def __init__(self, weights: Mapping[str, float], concepts: Mapping[str, Iterable[str]]) -> None:
        self._words: dict[str, float] = {}
        self._stems: dict[str, float] = {}
        self._neighbours: dict[tuple[str, str], float] = {}
        self._terms: dict[str, float] = {}
        for sign, weight in weights.items():
            before, space, stem = sign.rpartition(" ")
            if space:
                self._neighbours[before, stem] = weight
            elif sign.endswith("*"):
                self._stems[sign.removesuffix("*")] = weight
            else:
                self._words[sign] = weight
        for concept, terms in concepts.items():
            weight = weights.get(f"#{concept}", 0.0)
            for term in terms:
                self._words[term] = self._words.get(term, 0.0) + weight
                if weight >= _LEAST_OF_A_TERM and len(term) > 1 and is_found_inside(term):
                    self._terms[term] = self._terms.get(term, 0.0) + weight
        self._find_terms = MarkScanner(self._terms).places_in

    def is_suspicious(self, block: str) -> bool:
        """Return whether a block may hold an instruction to the model."""
        return self._words_weigh(block) or (not block.isascii() and self._terms_weigh(block))

    def _words_weigh(self, block: str) -> bool:
        block = block.lower()
        if block.isascii():
            words = block.translate(_SPACE_FOR_SIGNS).split()
        else:  # without those of Korean, Japanese and Chinese
            words = _WORD.findall(without_accents(block))
        stems = [word[:STEM_CHARS] for word in words]
        nothing = repeat(0.0)
        alone = map(add, map(self._words.get, words, nothing), map(self._stems.get, stems, nothing))
        pairs = map(self._neighbours.get, zip(["", *stems], stems, strict=False), nothing)
        sums = [0.0, *accumulate(map(add, alone, pairs))]
        most: float = max(map(sub, sums[_WORDS:], sums), default=sums[-1])
        return most >= _LEAST_OF_WORDS

    def _terms_weigh(self, block: str) -> bool:
        finds = list(self._find_terms(block))
        for begin, _ in finds:
            near = {term for at, term in finds if begin <= at < begin + _CHARS}
            if sum(map(self._terms.__getitem__, near)) >= _LEAST_OF_TERMS:
                return True
        return False
