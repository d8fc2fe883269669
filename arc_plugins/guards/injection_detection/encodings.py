"""Decodes what is written in another code, if a text is what comes out.

Each code has a search and what it means. A search is a class of characters repeated, so its
time grows with the length only; what comes out may be encoded again, a bounded number of times.
"""

import base64
import binascii
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from string import ascii_lowercase
from urllib.parse import unquote_to_bytes

from arc_plugins.guards.injection_detection.disguises import Look

_MOST_LAYERS = 3
_MORSE_LETTERS = (
    ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- "
    "-. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --.."
)
_MORSE: dict[str, str] = dict(zip(_MORSE_LETTERS.split(), ascii_lowercase, strict=True))


def _decode_text(octets: bytes) -> str | None:
    """Decode octets; None if people do not write that."""
    try:
        text = octets.decode()
    except UnicodeDecodeError:
        return None
    is_written = "".join(text.split()).isprintable() and any(map(str.isalpha, text))
    return text if is_written else None


def _from_base(code: str, *, decode: Callable[[str], bytes], block: int) -> str | None:
    code = code.rstrip("=")
    try:
        return _decode_text(decode(code + "=" * (-len(code) % block)))
    except binascii.Error:
        return None


_from_base64 = partial(_from_base, decode=base64.urlsafe_b64decode, block=4)
_from_base32 = partial(_from_base, decode=base64.b32decode, block=8)


def _from_hexadecimal(code: str) -> str | None:
    digits = re.sub(r"0x|\\x|[^0-9a-fA-F]", "", code)
    return _decode_text(bytes.fromhex(digits[: len(digits) // 2 * 2]))


def _from_numbers(code: str, *, base: int) -> str | None:
    numbers = [int(number, base) for number in re.findall(r"[0-9]+", code)]
    return _decode_text(bytes(numbers)) if max(numbers) < 0x80 else None


def _from_binary(code: str) -> str | None:
    digits = re.sub(r"[^01]", "", code)
    return _from_numbers(" ".join(re.findall("[01]{8}", digits)), base=2)


def _from_percent(code: str) -> str | None:
    return _decode_text(unquote_to_bytes(code)) or " "


def _from_escape(code: str) -> str | None:
    number = int(code.strip("\\uxU{}"), 16)
    return chr(number) if number <= 0x10FFFF else None


def _from_morse(code: str) -> str | None:
    words = [word.split() for word in re.split(r"\s*[/|]\s*|\s{2,}", code.strip())]
    if any(letter not in _MORSE for word in words for letter in word):
        return None
    return " ".join("".join(_MORSE[letter] for letter in word) for word in words)


_DIGIT = re.compile("[0-9]")
_LEAST_DIGITS = 8
_LONG_WORD = 16
_SIGNS = "\\%-"


def _has_numbers(look: Look) -> bool:
    return len(look.rare) >= _LEAST_DIGITS and len(_DIGIT.findall(look.rare)) >= _LEAST_DIGITS


def _has_long_words(look: Look) -> bool:
    return look.longest >= _LONG_WORD


def _has_backslashes(look: Look) -> bool:
    return "\\" in look.signs


@dataclass(frozen=True, slots=True)
class _Code:
    """A way of writing text: a quick look whether there may be some, a search, what it means."""

    may_be_in: Callable[[Look], bool]
    search: re.Pattern[str]
    meaning: Callable[[str], str | None]

    def decode(self, found: re.Match[str]) -> str:
        """The meaning of what was found, or itself if it has none."""
        text = self.meaning(found[0])
        return found[0] if text is None else text


_CODES = (
    _Code(
        _has_backslashes,
        re.compile(r"\\u\{?[0-9a-fA-F]{4,6}\}?|\\U[0-9a-fA-F]{8}|\\x[0-9a-fA-F]{2}"),
        _from_escape,
    ),
    _Code(_has_backslashes, re.compile(r"(?:\\[^\\]){6,}"), lambda code: code.replace("\\", "")),
    _Code(lambda look: "%" in look.signs, re.compile(r"(?:%[0-9a-fA-F]{2})+"), _from_percent),
    _Code(_has_numbers, re.compile(r"(?<![0-9])(?:[01]{8}[\s,]{0,2}){4,}"), _from_binary),
    _Code(
        _has_numbers,
        re.compile(r"(?<![0-9A-Za-z])(?:(?:0x)?[0-9a-fA-F]{2}[\s,:]{0,2}){8,}"),
        _from_hexadecimal,
    ),
    _Code(
        _has_numbers,
        re.compile(r"(?<![0-9])(?:1?[0-9]{2}[\s,;]{1,2}){7,}1?[0-9]{2}"),
        partial(_from_numbers, base=10),
    ),
    _Code(
        lambda look: "-" in look.signs,
        re.compile(r"(?<![.-])[.-]{1,4}(?:[ /|]{1,3}[.-]{1,4}){8,}"),
        _from_morse,
    ),
    _Code(_has_long_words, re.compile(r"(?<![A-Z2-7])[A-Z2-7]{16,}={0,6}"), _from_base32),
    _Code(
        _has_long_words, re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{16,}={0,2}"), _from_base64
    ),
)
_USUAL = (_from_escape, _from_percent, _from_base64)
USUAL_CODES = tuple(code for code in _CODES if code.meaning in _USUAL)
"""Those that programs write, too: escapes, percent signs and base64."""


def may_be_encoded(look: Look) -> bool:
    """Return whether a text may have encoded parts; of ordinary prompts, few may."""
    return (
        look.longest >= _LONG_WORD
        or len(look.rare) >= _LEAST_DIGITS
        or not look.signs.isdisjoint(_SIGNS)
    )


def decode(text: str, codes: Sequence[_Code] = _CODES, *, look: Look | None = None) -> str:
    """The text with its encoded parts decoded where they stand; time is linear in the length."""
    look = Look.at(text) if look is None else look
    for _ in range(_MOST_LAYERS):
        if not may_be_encoded(look):
            break
        before = text
        for code in codes:
            if code.may_be_in(look) and (decoded := code.search.sub(code.decode, text)) != text:
                text, look = decoded, Look.at(decoded)
        if text == before:
            break
    return text
