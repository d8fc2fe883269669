"""Compiled searches for the characters that a prompt is cleaned of.

Facts about characters are those of the Unicode standard; the table that Python has is read from
`unicodedata`, the others are listed here. Each search starts with one class of characters, so that
text without such characters is passed over at the speed of the regular expression engine.
"""

import re
from collections.abc import Iterator
from functools import cache
from unicodedata import combining

_CONTROLS = r"\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f"
_ZERO_WIDTH = (
    r"\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    r"\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
)
_VARIATION_SELECTORS = r"\ufe00-\ufe0f\U000e0100-\U000e01ef"
_TAGS = r"\U000e0000-\U000e00ff"
_SURROGATES = r"\ud800-\udfff"  # no characters at all: they cannot even be sent to a vendor

# x² is not x2, 2½ is not 21/2, and Korean ㅋㅋ and ㅠㅠ are not parts of syllables, as NFKC has it.
_SUPERSCRIPTS_AND_FRACTIONS = (
    r"\u00b2\u00b3\u00b9\u00bc-\u00be\u2070\u2074-\u207e\u2080-\u208e\u2150-\u215f\u2189"
)
_SINGLE_KOREAN_LETTERS = r"\u3131-\u318e"
# Two Arabic ligatures stand for sentences: a prompt of them would become 18 times as long.
_SENTENCES = r"\ufdfa\ufdfb"
_KEPT = _SUPERSCRIPTS_AND_FRACTIONS + _SINGLE_KOREAN_LETTERS + _SENTENCES
# Ranges that have all characters with another form, and few others that people write often.
_WITH_ANOTHER_FORM = (
    r"\u00a0\u00a8\u00aa\u00af\u00b4\u00b5\u00b8\u00ba\u0132-\u0149\u017f\u01c4-\u01f3\u02b0-\u02e4"
    r"\u0340-\u0387\u03d0-\u03f9\u0587\u0675-\u0678\u0958-\u095f\u09dc-\u09df\u0a33-\u0a5e"
    r"\u0b5c\u0b5d\u0e33\u0eb3-\u0fb9\u10fc\u1d2c-\u1dbf\u1e9a\u1e9b\u1f71-\u2015\u2017"
    r"\u2024-\u20a8\u2100-\u2189\u2212-\u2230\u2329\u232a\u2460-\u24ea\u2a0c\u2a74-\u2a76"
    r"\u2adc\u2c7c\u2c7d\u2d6f\u2e9f\u2ef3-\u2fd5\u3000\u3036-\u303a\u309b-\u309f\u30ff\u3192-\u319f"
    r"\u3200-\u33ff\ua69c\ua69d\ua770\ua7f2-\ua7f9\uab5c-\uab69\uf900-\uffee"
    r"\U00010781-\U000107ba\U0001ccd6-\U0001ccf9\U0001d15e-\U0001d164\U0001d1bb-\U0001d1c0"
    r"\U0001d400-\U0001d7ff\U0001e030-\U0001e06d\U0001ee00-\U0001eebb\U0001f100-\U0001f190"
    r"\U0001f200-\U0001f251\U0001fbf0-\U0001fbf9\U0002f800-\U0002fa1d"
)

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

_NOT_SEEN = _CONTROLS + _ZERO_WIDTH + _VARIATION_SELECTORS + _TAGS
_UNSEEN = _NOT_SEEN + _SURROGATES

FOLDABLE = re.compile(rf"[\x00-\x7f]?[^\x00-\x7f{_KEPT}]+")
"""Characters with the one before that they may be joined to; what would change its meaning not."""

ODD = re.compile(f"[{_UNSEEN}{_WITH_ANOTHER_FORM}]")
"""Any character that may have another form, or none that is seen."""

_RARE = re.compile(r"\\U[0-9a-f]{8}(?:-\\U[0-9a-f]{8})?")


@cache
def cover(characters: str) -> re.Pattern[str]:
    """Return a fast search for the characters of a class that finds all rare ones, too.

    One range for all that are rare makes a class a fast one.
    """
    return re.compile(f"[{_RARE.sub('', characters)}\\U00010000-\\U0010ffff]")


ODD_FORM = re.compile(rf"([{_UNSEEN}]+)|(?![{_KEPT}])[{_WITH_ANOTHER_FORM}]")
"""Each character that may have another form, or in group 1 all invisible ones in a row."""

KEPT = re.compile(f"[{_KEPT}]")
"""Characters that mean something else in their other form."""

_UNSEEN_RUN = re.compile(f"[{_NOT_SEEN}]+")
_VARIATION_SELECTOR = re.compile(f"[{_VARIATION_SELECTORS}]")
_TAG = re.compile(f"[{_TAGS}]")
_FLAG = "\U0001f3f4"
_MOST_UNSEEN = 8

INVISIBLE = re.compile(
    rf"""
    [{_UNSEEN}]
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


def find_hidden(text: str) -> Iterator[tuple[int, int]]:
    """From where to where there are invisible characters that no text needs.

    They could tell what is not to be told: letters of tags that are not of a flag, one variation
    selector after another, and more than 8 invisible characters in a row.
    """
    if text.isascii() or cover(_NOT_SEEN).search(text) is None:
        return
    for run in _UNSEEN_RUN.finditer(text):
        kept, last = 0, text[run.start() - 1] if run.start() else ""
        for place in range(*run.span()):
            is_tag = _TAG.match(text, place) is not None
            is_hidden = kept == _MOST_UNSEEN or (is_tag and not (last == _FLAG or _TAG.match(last)))
            if not is_hidden and _VARIATION_SELECTOR.match(text, place):
                is_hidden = _VARIATION_SELECTOR.match(last) is not None
            if is_hidden:
                yield place, place + 1
            else:
                kept, last = kept + 1, text[place]


_DECOMPOSE_TO_MARKS = "\u0f73\u0f75\u0f81\uff9e\uff9f"
_FIRST_MARK, _LAST_MARK = 0x300, 0x1E94A
_MOST_MARKS = 30


def has_long_stack(text: str) -> bool:
    """Return whether a text has more than 30 combining marks in a row; no language has.

    Normalising a run takes time that grows with the square of its length, because its marks are
    sorted by insertion. The bound is that of Unicode's own stream-safe text format.
    """
    return not text.isascii() and _perhaps_long_stack().search(text) is not None


@cache
def long_stack() -> re.Pattern[str]:
    """Return the pattern of such runs."""
    return _find_run(_marks())


@cache
def _perhaps_long_stack() -> re.Pattern[str]:
    """Finds all long runs, and some others: a class without rare characters is a faster one."""
    common = "".join(mark for mark in _marks() if mark <= "\uffff")
    return _find_run(common + "\U00010000-" + chr(_LAST_MARK))


def _find_run(characters: str) -> re.Pattern[str]:
    return re.compile(f"[{characters}][{characters}]{{{_MOST_MARKS},}}")


@cache
def unclean() -> str:
    """Return the characters that are not seen or joined to others, as they are in a class."""
    return _UNSEEN + "".join(mark for mark in _marks() if mark <= "\uffff")


@cache
def _marks() -> str:
    code_points = map(chr, range(_FIRST_MARK, _LAST_MARK + 1))
    return "".join(filter(combining, code_points)) + _DECOMPOSE_TO_MARKS
