"""Finds instructions to the model in what tools return.

What tools return is longer than a prompt and full of ordinary instructions to people, so it is read
with words and weights of its own: a logistic model of the signs in every ten to forty words. Its
weights were fitted by `benchmarks/fit_injection_results.py`.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from math import exp, sqrt

from arc_core.plain_text.cleaning import clean, is_clean
from arc_plugins.guards.injection_detection.encodings import USUAL_CODES, decode
from arc_plugins.guards.injection_detection.hidden_letters import show_hidden_letters
from arc_plugins.guards.injection_detection.result_signs import SignFinder
from arc_plugins.guards.injection_detection.tables import result_weights, result_words
from arc_plugins.guards.injection_detection.words import ROLE_MARKER

__all__ = ["ResultReader", "result_reader", "share_of", "sign_finder", "windows_of"]

_PIECE_CHARS = 1_000
_OVERLAP_CHARS = 250
_WINDOWS = (10, 20, 40)
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

    def pieces_of(self, text: str) -> Iterator[str]:
        """The parts of a text, which overlap, each as it is spelled without disguises."""
        plain = _uncover(text)
        step = _PIECE_CHARS - _OVERLAP_CHARS
        for begin in range(0, max(1, len(plain) - _OVERLAP_CHARS), step):
            yield plain[begin : begin + _PIECE_CHARS]

    def score_of_piece(self, piece: str) -> float:
        """How sure a part is an injection, from 0 to 1."""
        weights = self._weights
        sums, counts = [0.0], [0]
        for signs in sign_finder().signs_of(piece):
            sums.append(sums[-1] + sum(weights.get(sign, 0.0) for sign in signs))
            counts.append(counts[-1] + len(signs))
        evidence = max(
            (sums[end] - sums[begin]) * share_of(counts[end] - counts[begin])
            for begin, end in windows_of(len(counts) - 1)
        )
        return 1 / (1 + exp(-self._bias - evidence))

    def score_of(self, text: str) -> float:
        """How sure a text is an injection, from 0 to 1."""
        return max(map(self.score_of_piece, self.pieces_of(text)))


def windows_of(count: int) -> Iterator[tuple[int, int]]:
    """From where to where words are judged together: every ten, twenty and forty in a row.

    Among few, what is around a short injection does not speak against it.
    """
    for size in _WINDOWS:
        for begin in range(max(1, count - size + 1)):
            yield begin, min(count, begin + size)


@cache
def share_of(count: int) -> float:
    """How much each of so many signs counts: less among many, so that long texts are not louder."""
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
    return ResultReader(*result_weights())


@cache
def sign_finder() -> SignFinder:
    """What knows the words; made once, since it takes long and depends on no setting."""
    return SignFinder({**result_words(), "role_marker": [ROLE_MARKER]})
