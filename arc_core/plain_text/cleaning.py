"""Brings a text into one form: what reads alike is spelled alike, and nothing is invisible."""

import re
from unicodedata import is_normalized, normalize

from arc_core.plain_text.character_classes import CONTROLS, INVISIBLE, without_long_stacks
from arc_core.plain_text.lookalikes import fold_lookalikes

__all__ = ["clean", "is_clean"]

_ENTITY = re.compile(
    r"&(?:amp;|#0{0,9}38;|#[xX]0{0,9}26;)*#(?:[xX]([0-9a-fA-F]{1,9})|([0-9]{1,9}));?"
)
# x² is not x2, 2½ is not 21/2, and Korean ㅋㅋ and ㅠㅠ are not parts of syllables, as NFKC has it.
_SUPERSCRIPTS_AND_FRACTIONS = (
    r"\u00b2\u00b3\u00b9\u00bc-\u00be\u2070\u2074-\u207e\u2080-\u208e\u2150-\u215f\u2189"
)
_SINGLE_KOREAN_LETTERS = r"\u3131-\u318e"
# Two Arabic ligatures stand for sentences: a prompt of them would become 18 times as long.
_SENTENCES = r"\ufdfa\ufdfb"
_FOLDABLE = re.compile(f"[^{_SUPERSCRIPTS_AND_FRACTIONS}{_SINGLE_KOREAN_LETTERS}{_SENTENCES}]+")
_LAST_CHARACTER = 0x10FFFF
_MAX_PASSES = 4


def is_clean(text: str) -> bool:
    """Whether a quick look shows that `clean` would change nothing, as for most English text."""
    return text.isascii() and not _ENTITY.search(text) and not CONTROLS.search(text)


def clean(text: str) -> tuple[str, int]:
    """The text in its normal form (NFKC), and how many invisible characters it had.

    Numeric HTML entities are decoded and letters of other alphabets that spell Latin words become
    Latin, see `lookalikes`. What would change its meaning stays: superscript digits, fractions and
    single Korean letters. Invisible characters that belong where they are, such as those inside
    emoji, stay and are not counted. Time grows with the length only.
    """
    plain, invisible = _clean(text)
    return fold_lookalikes(plain), invisible


def _clean(text: str) -> tuple[str, int]:
    """The text in its normal form, and how many invisible characters it had.

    What a pass decodes may need another one; the passes are bounded, so that nesting cannot cost
    more than length.
    """
    invisible = 0
    for _ in range(_MAX_PASSES):
        normal = _normalize(text)
        visible = INVISIBLE.sub(_in_place, normal)
        invisible += len(normal) - len(visible)
        text = _ENTITY.sub(_decode, visible)
        if text == normal:
            break
    return text, invisible


def _normalize(text: str) -> str:
    text = without_long_stacks(text)
    if is_normalized("NFKC", text):
        return text
    return _FOLDABLE.sub(lambda part: normalize("NFKC", part[0]), text)


def _in_place(match: re.Match[str]) -> str:
    return "" if match[1] is None else match[0]


def _decode(entity: re.Match[str]) -> str:
    hexadecimal, decimal = entity.groups()
    code = int(hexadecimal, 16) if hexadecimal else int(decimal)
    return chr(code) if code <= _LAST_CHARACTER else ""
