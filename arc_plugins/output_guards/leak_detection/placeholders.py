"""Tells made-up secrets of tutorials from those that were generated."""

import re

__all__ = ["is_placeholder", "looks_random"]

_MADE_UP = re.compile(
    r"(?i)x{8}|example|placeholder|changeme|12345678|abcdefgh|\*{3}|\.{3}|_{4}|0{8}|1{8}|a{8}"
)
_FILLER = re.compile(
    r"(?i)x{4,}|"
    r"(?<![a-z0-9])(?:your|my|insert|replace|enter|fake|dummy|sample|redacted|todo|here|foo|bar)"
    r"(?![a-z0-9])"
)
_CHANGE = re.compile(r"(?<=[a-z])(?=[A-Z0-9])|(?<=[A-Z])(?=[a-z0-9])|(?<=[0-9])(?=[A-Za-z])")
_DIGIT = re.compile(r"[0-9]")
_SEPARATORS = str.maketrans("", "", "-_.")
_MIN_DISTINCT_CHARS, _MIN_REST_CHARS = 6, 16
_CHANGES_WITH_DIGITS, _CHANGES_WITHOUT_DIGITS = 0.2, 0.45


def is_placeholder(value: str) -> bool:
    """Whether a value of the right form is none that a vendor gives out: `sk-your-key-here`."""
    if len(set(value)) < _MIN_DISTINCT_CHARS or _MADE_UP.search(value):
        return True
    rest, fillers = _FILLER.subn("", value)
    # A long token has each of these words once in a while.
    return fillers > 0 and (len(rest) < _MIN_REST_CHARS or not looks_random(rest))


def looks_random(value: str) -> bool:
    """Whether letters and digits alternate as in what was generated, and not as in names.

    Counted are changes between small letters, capitals and digits; names in code and words with a
    year behind them have few.
    """
    packed = value.translate(_SEPARATORS)
    if len(packed) < _MIN_DISTINCT_CHARS:
        return False
    changes = sum(1 for _ in _CHANGE.finditer(packed)) / (len(packed) - 1)
    has_digit = _DIGIT.search(packed) is not None
    return changes >= (_CHANGES_WITH_DIGITS if has_digit else _CHANGES_WITHOUT_DIGITS)
