"""Compiled searches for the characters that a prompt is cleaned of.

Facts about characters are those of the Unicode standard; the table that Python has is read from
`unicodedata`, the others are listed here. Each search starts with one class of characters, so that
text without such characters is passed over at the speed of the regular expression engine.
"""

import re
from functools import cache
from unicodedata import combining

__all__ = ["CONTROLS", "INVISIBLE", "without_long_stacks"]

_CONTROLS = r"\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f"
_ZERO_WIDTH = (
    r"\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    r"\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
)
_VARIATION_SELECTORS = r"\ufe00-\ufe0f\U000e0100-\U000e01ef"
_TAGS = r"\U000e0000-\U000e00ff"
_SURROGATES = r"\ud800-\udfff"  # no characters at all: they cannot even be sent to a vendor

_PICTOGRAPH = (
    r"[\u00a9\u00ae\u203c\u2049\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
)
_IDEOGRAPH = r"[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
_LETTER_THAT_JOINS = r"[\u0600-\u06ff\u0750-\u077f\u0900-\u0dff\u1000-\u109f\u1780-\u17d3]"


def _tags(text: str) -> str:
    return "".join(chr(0xE0000 + ord(letter)) for letter in text)


_REST_OF_A_REGION = "|".join(_tags(rest) for rest in ("beng\x7f", "bsct\x7f", "bwls\x7f"))

CONTROLS = re.compile(f"[{_CONTROLS}]")
"""Control characters but for white space: all that is invisible in ASCII."""

INVISIBLE = re.compile(
    rf"""
    [{_CONTROLS}{_ZERO_WIDTH}{_VARIATION_SELECTORS}{_TAGS}{_SURROGATES}]
    (
        (?<={_PICTOGRAPH}\u200d)(?={_PICTOGRAPH})               # emoji made of several,
      | (?<=\ufe0f\u200d)(?={_PICTOGRAPH})                      # the first of them with colours
      | (?<={_PICTOGRAPH}[\ufe0e\ufe0f])                        # with colours, or without
      | (?<=[0-9\#*]\ufe0f)(?=\u20e3)                           # keycaps
      | (?<=\U0001f3f4{_tags("g")})(?:{_REST_OF_A_REGION})      # flags of regions
      | (?<={_IDEOGRAPH}[\U000e0100-\U000e01ef])                # forms of ideographs
      | (?<={_LETTER_THAT_JOINS}[\u200c\u200d])(?={_LETTER_THAT_JOINS})
    )?
    """,
    re.VERBOSE,
)
"""Invisible characters, one by one; group 1 takes part if one is needed for what is seen."""

_DECOMPOSE_TO_MARKS = "\u0f73\u0f75\u0f81\uff9e\uff9f"
_FIRST_MARK, _LAST_MARK = 0x300, 0x1E94A
_MOST_MARKS = 30


def without_long_stacks(text: str) -> str:
    """The text without runs of more than 30 combining marks; no language writes more than a few.

    Normalising a run takes time that grows with the square of its length, because its marks are
    sorted by insertion. The bound is that of Unicode's own stream-safe text format.
    """
    if text.isascii() or _perhaps_long_stack().search(text) is None:
        return text
    return _long_stack().sub("", text)


@cache
def _perhaps_long_stack() -> re.Pattern[str]:
    """Finds all long runs, and some others: a class without rare characters is a faster one."""
    common = "".join(mark for mark in _marks() if mark <= "\uffff")
    return _run_of(common + "\U00010000-" + chr(_LAST_MARK))


@cache
def _long_stack() -> re.Pattern[str]:
    return _run_of(_marks())


def _run_of(characters: str) -> re.Pattern[str]:
    return re.compile(f"[{characters}][{characters}]{{{_MOST_MARKS},}}")


@cache
def _marks() -> str:
    code_points = map(chr, range(_FIRST_MARK, _LAST_MARK + 1))
    return "".join(filter(combining, code_points)) + _DECOMPOSE_TO_MARKS
