"""Estimates tokens by the script of each character: the default, for every vendor.

No library and no vocabulary to load, and rather too many than too few; pick a vendor's tokenizer
where the window is really tight.
"""

import re
from collections import Counter
from functools import lru_cache
from unicodedata import name

from arc_core import TokenEstimator

_TWELFTHS = 12
_LATIN, _OTHER, _HANGUL_OR_CJK, _EMOJI = 3, 4, 8, 12
_HANGUL_OR_CJK_NAMES = ("HANGUL", "CJK", "HIRAGANA", "KATAKANA", "IDEOGRAPHIC", "BOPOMOFO")
_EMOJI_RANGES = ((0x1F000, 0x1FAFF), (0x2600, 0x27BF), (0x2B00, 0x2BFF), (0x231A, 0x23FF))

_COST_OF_PAGE = {
    0x01: _LATIN,
    **dict.fromkeys(range(0x04, 0x10), _OTHER),
    **dict.fromkeys((*range(0x35, 0x4D), *range(0x4E, 0x9F), *range(0xAC, 0xD7)), _HANGUL_OR_CJK),
}
"""Costs alike are all characters of such a page, which is what their first 8 of 16 bits say."""

_COSTS_OF_PAGES = bytes(_COST_OF_PAGE.get(page, 0) for page in range(256))
_ON_OTHER_PAGES = re.compile(
    "[^\0-\x7f\u0100-\u01ff\u0400-\u0fff\u3500-\u4cff\u4e00-\u9eff\uac00-\ud6ff]+"
)
_SHORT = 500


class HeuristicTokenEstimator(TokenEstimator):
    """4 characters per token in ASCII and Latin, 1.5 in Hangul and CJK, 1 in emoji, 3 in others."""

    def estimate(self, text: str) -> int:
        """Tokens, rounded up; time grows with the length only."""
        if text.isascii():
            return -(-len(text) * _LATIN // _TWELFTHS)
        twelfths = _sum_one_by_one(text) if len(text) <= _SHORT else _sum_by_pages(text)
        return -(-twelfths // _TWELFTHS)


def _sum_by_pages(text: str) -> int:
    """Twelfths of tokens; most characters are counted by what C does with bytes."""
    pages = text.encode("utf-16-be", "surrogatepass")[::2]
    costs = pages.translate(_COSTS_OF_PAGES)
    known = sum(cost * costs.count(cost) for cost in (_LATIN, _OTHER, _HANGUL_OR_CJK))
    ascii_chars = len(text.encode("ascii", "ignore"))
    known += _LATIN * ascii_chars
    if costs.count(0) == ascii_chars:
        return known
    return known + _sum_one_by_one("".join(_ON_OTHER_PAGES.findall(text)))


def _sum_one_by_one(text: str) -> int:
    return sum(_cost(character) * count for character, count in Counter(text).items())


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
