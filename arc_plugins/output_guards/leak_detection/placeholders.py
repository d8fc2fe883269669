"""Tells made-up secrets of tutorials from those that were generated."""

import re

_MADE_UP = re.compile(r"(?i)x{8}|example|placeholder|changeme|\*{3}|\.{3}|_{4}|0{8}|1{8}|a{8}")
_FILLER = re.compile(
    r"(?i)x{4,}|"
    r"(?<![a-z0-9])(?:your|my|insert|replace|enter|fake|dummy|sample|redacted|todo|here|foo|bar)"
    r"(?![a-z0-9])"
)
_FILLS = re.compile(
    r"(?i)([a-z0-9_*.-])\1{7}|"
    r"\A(?:[a-z0-9]{1,8}[-_]){0,2}(?:your|insert|replace|enter)[-_]"
)
_CHANGE = re.compile(r"(?<=[a-z])(?=[A-Z0-9])|(?<=[A-Z])(?=[a-z0-9])|(?<=[0-9])(?=[A-Za-z])")
_DIGIT = re.compile(r"[0-9]")
_SEPARATORS = str.maketrans("", "", "-_.")
_MIN_DISTINCT_CHARS, _MIN_REST_CHARS = 6, 16
_CHANGES_WITH_DIGITS, _CHANGES_WITHOUT_DIGITS = 0.16, 0.45


def is_filler(body: str) -> bool:
    """Return whether the part behind a vendor's prefix is one letter again and again, or `your-…`.

    Given is no more than the form demands, so that nothing behind a key speaks for it.
    """
    return _FILLS.search(body) is not None


def is_placeholder(value: str) -> bool:
    """Return whether a value of the right form is made up: `sk-your-key-here`."""
    if len(set(value)) < _MIN_DISTINCT_CHARS or _MADE_UP.search(value):
        return True
    rest, fillers = _FILLER.subn("", value)
    # A long token has each of these words once in a while.
    return fillers > 0 and (len(rest) < _MIN_REST_CHARS or not looks_random(rest))


def looks_random(value: str) -> bool:
    """Return whether letters and digits alternate as in what was generated, and not as in names.

    Counted are changes between small letters, capitals and digits; names in code and words with a
    year behind them have few.
    """
    packed = value.translate(_SEPARATORS)
    if len(packed) < _MIN_DISTINCT_CHARS:
        return False
    changes = sum(1 for _ in _CHANGE.finditer(packed)) / (len(packed) - 1)
    has_digit = _DIGIT.search(packed) is not None
    return changes >= (_CHANGES_WITH_DIGITS if has_digit else _CHANGES_WITHOUT_DIGITS)
