"""Estimates tokens by the script of each character: the default, for every vendor.

No library and no vocabulary to load, and rather too many than too few; pick a vendor's tokenizer
where the window is really tight.
"""

from collections import Counter
from functools import lru_cache
from unicodedata import name

from arc_core import TokenEstimator

__all__ = ["HeuristicTokenEstimator"]

_TWELFTHS = 12
_LATIN, _OTHER, _HANGUL_OR_CJK, _EMOJI = 3, 4, 8, 12
_HANGUL_OR_CJK_NAMES = ("HANGUL", "CJK", "HIRAGANA", "KATAKANA", "IDEOGRAPHIC", "BOPOMOFO")
_EMOJI_RANGES = ((0x1F000, 0x1FAFF), (0x2600, 0x27BF), (0x2B00, 0x2BFF), (0x231A, 0x23FF))


class HeuristicTokenEstimator(TokenEstimator):
    """4 characters per token in ASCII and Latin, 1.5 in Hangul and CJK, 1 in emoji, 3 in others."""

    def estimate(self, text: str) -> int:
        """Tokens, rounded up; time grows with the length only."""
        if text.isascii():
            return -(-len(text) * _LATIN // _TWELFTHS)
        twelfths = sum(_cost(character) * count for character, count in Counter(text).items())
        return -(-twelfths // _TWELFTHS)


@lru_cache(maxsize=65_536)
def _cost(character: str) -> int:
    """Twelfths of a token."""
    if character.isascii():
        return _LATIN
    if any(first <= ord(character) <= last for first, last in _EMOJI_RANGES):
        return _EMOJI
    script = name(character, "")
    if script.startswith("LATIN"):
        return _LATIN
    return _HANGUL_OR_CJK if script.startswith(_HANGUL_OR_CJK_NAMES) else _OTHER
