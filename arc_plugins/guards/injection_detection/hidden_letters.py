"""Shows text that is written in characters which people do not see and models may read."""

import re

__all__ = ["show_hidden_letters"]

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
    octets = bytes(map(_octet, selectors[0]))
    return f" {octets.decode(errors='ignore')} "


def _octet(selector: str) -> int:
    code = ord(selector)
    if code <= _LAST_SELECTOR:
        return code - _FIRST_SELECTOR
    return code - _SEVENTEENTH_SELECTOR + 16
