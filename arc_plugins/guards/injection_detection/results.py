"""Finds instructions to the model in what tools return.

What tools return is longer than a prompt and full of ordinary instructions to people, so it is read
with words and weights of its own: a logistic model of the signs in every ten to forty words. Its
weights were fitted by `benchmarks/fit_injection_results.py`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import repeat
from math import exp, sqrt
from operator import mul, sub

from arc_core.text.cleaning import clean, is_clean
from arc_plugins.guards.injection_detection.encodings import USUAL_CODES, decode
from arc_plugins.guards.injection_detection.patterns import read_table
from arc_plugins.guards.injection_detection.result_patterns import weigh_dress
from arc_plugins.guards.injection_detection.result_signs import Glance, SignFinder
from arc_plugins.guards.injection_detection.words import ROLE_MARKER

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
    text = _TAGS.sub(_letters, text)
    return _SELECTORS.sub(_octets, text)


def _letters(tags: re.Match[str]) -> str:
    return f" {''.join(chr(ord(tag) - _FIRST_TAG) for tag in tags[0])} "


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
