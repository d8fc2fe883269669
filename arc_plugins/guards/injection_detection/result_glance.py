"""Tells at a glance which blocks of a result may hold an instruction to the model.

The model of results asks for every word, its neighbours and the concepts near to it, which takes
many milliseconds for a page. The glance adds up what words and neighbours weigh alone, by a few
calls of built-in functions for a whole block; of Korean, Japanese and Chinese, in which it would
have to ask for every letter, what the words of concepts weigh, which one scan finds.
"""

import re
from collections.abc import Iterable, Mapping
from itertools import accumulate, repeat
from operator import add, sub

from arc_plugins.guards.injection_detection.marks import MarkScanner
from arc_plugins.guards.injection_detection.result_signs import STEM_CHARS
from arc_plugins.guards.injection_detection.words import is_found_inside, without_accents

__all__ = ["Glance"]

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
            self._weigh_sign(sign, weight)
        for concept, terms in concepts.items():
            weight = weights.get(f"#{concept}", 0.0)
            for term in terms:
                self._words[term] = self._words.get(term, 0.0) + weight
                if weight >= _LEAST_OF_A_TERM and len(term) > 1 and is_found_inside(term):
                    self._terms[term] = self._terms.get(term, 0.0) + weight
        self._find_terms = MarkScanner(self._terms).places_in

    def _weigh_sign(self, sign: str, weight: float) -> None:
        before, space, stem = sign.rpartition(" ")
        if space:
            self._neighbours[before, stem] = weight
        elif sign.endswith("*"):
            self._stems[sign.removesuffix("*")] = weight
        else:
            self._words[sign] = weight

    def is_suspicious(self, block: str) -> bool:
        """Whether a block may hold an instruction to the model."""
        return self._words_weigh(block) or (not block.isascii() and self._terms_weigh(block))

    def _words_weigh(self, block: str) -> bool:
        words = _words_of(block.lower())
        stems = [word[:STEM_CHARS] for word in words]
        nothing = repeat(0.0)
        alone = map(add, map(self._words.get, words, nothing), map(self._stems.get, stems, nothing))
        pairs = map(self._neighbours.get, zip(["", *stems], stems, strict=False), nothing)
        sums = [0.0, *accumulate(map(add, alone, pairs))]
        most: float = max(map(sub, sums[_WORDS:], sums), default=sums[-1])
        return most >= _LEAST_OF_WORDS

    def _terms_weigh(self, block: str) -> bool:
        finds = list(self._find_terms(block))
        return any(
            sum(map(self._terms.__getitem__, _terms_near(finds, begin))) >= _LEAST_OF_TERMS
            for begin, _ in finds
        )


def _words_of(text: str) -> list[str]:
    """The words between spaces and signs, without those of Korean, Japanese and Chinese."""
    if text.isascii():
        return text.translate(_SPACE_FOR_SIGNS).split()
    return _WORD.findall(without_accents(text))


def _terms_near(finds: Iterable[tuple[int, str]], begin: int) -> set[str]:
    return {term for at, term in finds if begin <= at < begin + _CHARS}
