"""Finds instructions to the model in what tools return.

What tools return is longer than a prompt and full of ordinary instructions to people, so it is read
with words and weights of its own: a logistic model of the signs in every ten to forty words. Its
weights were fitted by `benchmarks/fit_injection_results.py`.
"""

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import accumulate, repeat
from math import exp, sqrt
from operator import add, mul, sub

from arc_core.text.cleaning import clean, is_clean
from arc_plugins.guards.injection_detection.encodings import USUAL_CODES, decode
from arc_plugins.guards.injection_detection.marks import MarkScanner
from arc_plugins.guards.injection_detection.patterns import read_table
from arc_plugins.guards.injection_detection.result_patterns import weigh_dress
from arc_plugins.guards.injection_detection.words import (
    ROLE_MARKER,
    SPACE_FOR_SIGNS,
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
            words = block.translate(SPACE_FOR_SIGNS).split()
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


_FIRST_TAG = 0xE0000
_TAGS = re.compile("[\U000e0020-\U000e007e]{7,}")  # flags of regions have six at the most
_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{4,}")
_FIRST_SELECTOR, _LAST_SELECTOR, _SEVENTEENTH_SELECTOR = 0xFE00, 0xFE0F, 0xE0100


def show_hidden_letters(text: str) -> str:
    """The text with letters in place of tag characters, and of runs of variation selectors.

    Flags of regions and emoji with colours stay as they are.
    """
    if text.isascii():
        return text
    text = _TAGS.sub(
        lambda tags: f" {''.join(chr(ord(tag) - _FIRST_TAG) for tag in tags[0])} ", text
    )
    return _SELECTORS.sub(_octets, text)


def _octets(selectors: re.Match[str]) -> str:
    octets = bytes(
        code - (_FIRST_SELECTOR if code <= _LAST_SELECTOR else _SEVENTEENTH_SELECTOR - 16)
        for code in map(ord, selectors[0])
    )
    return f" {octets.decode(errors='ignore')} "


_PIECE_CHARS = 2_500
_OVERLAP_CHARS = 400
_BLOCK_CHARS = 600
_BLOCK_OVERLAP_CHARS = 120
WINDOWS = (10, 20, 40)
"""The numbers of words in a row that are judged together.

Among few, what is around a short injection does not speak against it.
"""
_FEWEST_SIGNS = 8
_LINE_BREAK_IN_A_STRING = re.compile(r"\\[nrt]")


class ResultReader:
    """Scores texts of tools; the time grows with the length only.

    Args:
        bias: The evidence of a text without signs.
        weights: What each sign adds to it.
    """

    def __init__(self, bias: float, weights: Mapping[str, float]) -> None:
        self._bias, self._weights = bias, weights
        self._glance = Glance(weights, read_table("results/words"))

    def split_pieces(self, text: str) -> Iterator[str]:
        """The parts of a text, which overlap, each as it is spelled without disguises."""
        return _split_parts(_uncover(text), chars=_PIECE_CHARS, overlap=_OVERLAP_CHARS)

    def score_of_piece(self, piece: str) -> float:
        """Return the likelihood of an injection in a part, from 0 to 1."""
        suspicious = filter(self._glance.is_suspicious, split_blocks(piece))
        return max(weigh_dress(piece), *map(self.score_of_block, suspicious), 0.0)

    def score_of_block(self, block: str) -> float:
        """Return the likelihood of an injection in a block, from 0 to 1."""
        find_weight, nothing = self._weights.get, repeat(0.0)
        sums, counts = [0.0], [0]
        for signs in sign_finder().find_signs(block):
            sums.append(sums[-1] + sum(map(find_weight, signs, nothing)))
            counts.append(counts[-1] + len(signs))
        return 1 / (1 + exp(-self._bias - max(_evidence(sums, counts))))

    def score(self, text: str) -> float:
        """Return the likelihood of an injection in a text, from 0 to 1."""
        return max(map(self.score_of_piece, self.split_pieces(text)))


def split_blocks(piece: str) -> Iterator[str]:
    """The blocks of a piece, which overlap: what is looked at, and read if it is suspicious."""
    return _split_parts(piece, chars=_BLOCK_CHARS, overlap=_BLOCK_OVERLAP_CHARS)


def _split_parts(text: str, *, chars: int, overlap: int) -> Iterator[str]:
    for begin in range(0, max(1, len(text) - overlap), chars - overlap):
        yield text[begin : begin + chars]


def _evidence(sums: Sequence[float], counts: Sequence[int]) -> Iterator[float]:
    """Return the evidence of all windows, by sums of weights and of counts up to each word."""
    for size in WINDOWS:
        if size >= len(sums):
            yield sums[-1] * get_share(counts[-1])
            break
        shares = map(get_share, map(sub, counts[size:], counts))
        yield max(map(mul, map(sub, sums[size:], sums), shares))


@cache
def get_share(count: int) -> float:
    """Return the weight of each of so many signs: less among many, as in long texts."""
    return 1 / sqrt(max(_FEWEST_SIGNS, count))


def _uncover(text: str) -> str:
    """The text with hidden letters shown, in its normal form, and decoded."""
    if not is_clean(text):
        text = clean(show_hidden_letters(text)).text
    if "\\" in text:
        text = _LINE_BREAK_IN_A_STRING.sub(" ", text)
    return decode(text, USUAL_CODES)


@cache
def result_reader() -> ResultReader:
    """With the weights that were fitted; made for the first result, since it takes long."""
    table = read_table("results/weights")
    return ResultReader(table["bias"], table["signs"])


@cache
def sign_finder() -> SignFinder:
    """Make the readers of words, once, since it takes long and depends on no setting."""
    return SignFinder({**read_table("results/words"), "role_marker": [ROLE_MARKER]})
