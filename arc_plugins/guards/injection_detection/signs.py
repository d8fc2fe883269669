"""Weighs the signs of texts that tools return.

A word has itself, its stem and that with the stem before it; a letter of Korean, Japanese or
Chinese the one to three letters that it ends. Concepts and those near to each other are signs, too.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, compress, groupby, repeat
from operator import add

from arc_plugins.guards.injection_detection.words import WordSplitter, share_parts

NO_LETTER = "\0"
_NO_LETTERS = NO_LETTER * 2
_LETTERS_IN_A_ROW = 3
STEM_CHARS = 5
_NEAR_WORDS = 5


class SignFinder:
    """Finds the words and concepts of texts, in time that grows with the length only.

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

    def split(self, text: str) -> list[str]:
        """The words of a text, with those of concepts apart."""
        return self._splitter.split(text)

    def find_concepts(self, words: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
        """The signs of concepts at the places of the last words of their terms, in their order.

        Those are the concepts there, and each behind each other one that is near before it.
        """
        near: deque[tuple[int, set[str]]] = deque()
        for at, concepts in sorted(self._find_terms(words).items()):
            while near and near[0][0] < at - _NEAR_WORDS:
                near.popleft()
            signs = list(concepts)
            for _, others in near:
                signs += [f"{one}>{other}" for one in others for other in concepts if one != other]
            near.append((at, concepts))
            yield at, signs

    def _find_terms(self, words: Sequence[str]) -> dict[int, set[str]]:
        """The concepts by the place of the last word of their terms."""
        found: dict[int, set[str]] = {}
        terms = self._terms
        for at, word in enumerate(words):
            if word in terms:
                for rest, concept in terms[word]:
                    if not rest or words[at + 1 : at + 1 + len(rest)] == rest:
                        found.setdefault(at + len(rest), set()).add(concept)
        return found


@dataclass(slots=True)
class WordRun:
    """Words in a row of which each counts, or of which each letter does.

    Attributes:
        words: In lower case; numbers are all `0`.
        before: The end of the word before them.
        letters: All of their letters behind the two before them; None if they count as words.
    """

    words: list[str]
    before: str
    letters: str | None

    @property
    def ends(self) -> Iterable[int]:
        """Behind which word or letter of the run each of its words ends."""
        if self.letters is None:
            return range(1, len(self.words) + 1)
        return accumulate(map(len, self.words))

    @property
    def stems(self) -> list[str]:
        """The beginnings of its words."""
        return [word[:STEM_CHARS] for word in self.words]


def split_runs(words: Iterable[str]) -> Iterator[WordRun]:
    """The words of a text in their order."""
    before, letters = "", _NO_LETTERS
    for letters_count, together in groupby(words, _counts_letters):
        if letters_count:
            run = list(together)
            row = letters + "".join(run)
            yield WordRun(run, before, row)
            letters, before = row[-2:], run[-1][-2:]
        else:
            run = ["0" if word.isdigit() else word for word in together]
            yield WordRun(run, before, None)
            letters, before = _NO_LETTERS, run[-1][:STEM_CHARS]


def _counts_letters(word: str) -> bool:
    """Return if a word begins with a letter of Korean, Japanese or Chinese."""
    if word < "\u3040":
        return False
    return word < "\u3100" or "\u3400" <= word < "\ua000" or "\uac00" <= word < "\ud7a4"


class SignWeights(dict[str, float]):
    """The weight of each sign; those of neighbours, stems and third letters in tables, too."""

    def __init__(self, weights: Mapping[str, float]) -> None:
        super().__init__(weights)
        self.neighbours: dict[tuple[str, str], float] = {}
        self.stems: dict[str, float] = {}
        self.third_letters: dict[str, dict[str, float]] = {}
        for sign, weight in weights.items():
            before, space, stem = sign.rpartition(" ")
            if space:
                self.neighbours[before, stem] = weight
            elif sign.endswith("*"):
                self.stems[sign.removesuffix("*")] = weight
            elif len(sign) == _LETTERS_IN_A_ROW and _counts_letters(sign):
                self.third_letters.setdefault(sign[:-1], {})[sign[-1]] = weight


class Weigher:
    """Weighs the signs of texts without writing them down."""

    def __init__(self, finder: SignFinder, weights: SignWeights) -> None:
        self._finder, self._weights = finder, weights

    def weigh(self, text: str) -> tuple[list[float], list[int]]:
        """Return the weight and the number of signs of each word, or letter where that counts."""
        words = self._finder.split(text)
        weights: list[float] = []
        counts: list[int] = []
        ends: list[int] = []
        for run in split_runs(words):
            ends += map(add, run.ends, repeat(len(weights) - 1))
            if run.letters is None:
                weights += self._weigh_words(run)
                counts += [2 + (len(word) > STEM_CHARS) for word in run.words]
            else:
                weights += self._weigh_letters(run.letters)
                missing = run.letters.count(NO_LETTER, 0, 2)
                counts += range(3 - missing, 3)
                counts += repeat(3, len(weights) - len(counts))
                del counts[len(weights) :]
        find_weight, nothing = self._weights.get, repeat(0.0)
        for at, signs in self._finder.find_concepts(words):
            weights[ends[at]] += sum(map(find_weight, signs, nothing))
            counts[ends[at]] += len(signs)
        return weights, counts

    def _weigh_words(self, run: WordRun) -> Iterator[float]:
        words, stems, nothing = run.words, run.stems, repeat(0.0)
        alone = map(self._weights.get, words, nothing)
        pairs = map(
            self._weights.neighbours.get,
            zip([run.before, *stems[:-1]], stems, strict=True),
            nothing,
        )
        longer = [stem if stem != word else "" for stem, word in zip(stems, words, strict=True)]
        return map(add, map(add, alone, pairs), map(self._weights.stems.get, longer, nothing))

    def _weigh_letters(self, row: str) -> list[float]:
        """The weights of all letters of a row but the first two."""
        find_weight, thirds, nothing = self._weights.get, self._weights.third_letters, repeat(0.0)
        pairs = [row[at : at + 2] for at in range(len(row) - 1)]
        alone = map(find_weight, row[2:], nothing)
        weights = list(map(add, alone, map(find_weight, pairs[1:], nothing)))
        for at in compress(range(len(weights)), map(thirds.__contains__, pairs)):
            weights[at] += thirds[pairs[at]].get(row[at + 2], 0.0)
        return weights
