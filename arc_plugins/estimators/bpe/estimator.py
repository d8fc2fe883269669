"""Counts tokens as OpenAI's models do: for when the window is tight, or texts are code and data.

Costs some 60 microseconds per thousand characters, and 75 MB of installed package, vocabulary
included: nothing is downloaded. Other vendors' models split texts differently; for them the count
is an estimate like others. Choose it with `components.token_estimator = "bpe"`; needs the extra
`tokens`. Setting: `llm.model`.
"""

import re
from functools import cached_property

import bpe_openai

from arc_core import TokenEstimator
from arc_core.settings import LlmSettings

_OLDER_MODEL = re.compile(r"gpt-(?:3\.5|4)(?:-.+)?")  # before gpt-4o
_PIECE_CHARS = 100_000  # the library refuses texts of a million characters


class BpeTokenEstimator(TokenEstimator):
    """Byte-pair encoding, by the model's vocabulary, else that of OpenAI's current models."""

    def __init__(self, *, settings: LlmSettings) -> None:
        self._model = settings.model

    async def start(self) -> None:
        """Load the vocabulary: a quarter of a second that no run should wait."""
        _ = self._encoding

    def estimate(self, text: str) -> int:
        """Tokens of a text; names of special tokens count as the characters they are."""
        encode = self._encoding.encode_ordinary
        if len(text) <= _PIECE_CHARS:
            return len(encode(text))
        pieces = range(0, len(text), _PIECE_CHARS)
        return sum(len(encode(text[begin : begin + _PIECE_CHARS])) for begin in pieces)

    @cached_property
    def _encoding(self) -> bpe_openai.Encoding:
        is_older = self._model is not None and _OLDER_MODEL.fullmatch(self._model)
        return bpe_openai.get_encoding("cl100k_base" if is_older else "o200k_base")
