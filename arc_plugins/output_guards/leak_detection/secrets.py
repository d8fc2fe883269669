"""Keeps keys, tokens and passwords out of what a model says.

Switched on by `output.secrets`. It knows secrets by their form: the keys of well-known vendors,
private keys in PEM, passwords in addresses, and generated values behind a name such as `api_key`.
One that is spelt with spaces, encoded or translated leaves. Costs microseconds for a piece of a
stream, and holds back 26 characters, and a token until it ends.
"""

import re
from collections.abc import Iterator, Mapping

from arc_core import GuardResult, OutputGuard, OutputGuardRequest
from arc_plugins.output_guards.leak_detection.assignments import (
    NAMES,
    find_assignments,
    find_passwords_in_addresses,
    is_password_name,
    is_secret,
    lower,
)
from arc_plugins.output_guards.leak_detection.placeholders import is_placeholder
from arc_plugins.output_guards.leak_detection.scanning import Excerpt, LeakFinding, mask_or_reject
from arc_plugins.output_guards.leak_detection.settings import OutputSettings
from arc_plugins.output_guards.leak_detection.tokens import (
    LONGEST_PREFIX_CHARS,
    SECRET,
    find_private_keys,
    find_tokens,
)

_SEPARATORS = "|\t;,"
_NAME = re.compile(
    r"(?:[\w.]{1,20}[ _-]){0,2}"
    r"(?:passwords?|passwd|passphrase|pwd|secret|tokens?|credentials?"
    r"|(?:api|access|private|account|auth|signing|encryption|master|service|secret)[ _-]?keys?)"
)
_AROUND_VALUE = " \t\r\n\"'`*"
_RULER = " \t\r\n|:+-"
_MIN_PASSWORD_CHARS, _MAX_VALUE_CHARS, _MIN_KEY_CHARS = 8, 512, 16
_MAX_HELD_CHARS = 8_000


def find_in_columns(excerpt: Excerpt) -> Iterator[LeakFinding]:
    """Cells of secrets; while such a table may go on, all of it is held up to 8 000 characters."""
    text, place = excerpt.text, 0
    if not any(each in text for each in _SEPARATORS):
        return
    lowered = lower(text)
    begins: set[int] = set()  # of lines with such names
    for name in NAMES:
        at = lowered.find(name)
        while at >= 0:
            begins.add(lowered.rfind("\n", 0, at) + 1)
            at = lowered.find(name, _end_of_line(lowered, at))
    for begin in sorted(begins):
        if begin < place:
            continue
        place = _end_of_line(text, begin)
        for separator in _SEPARATORS:
            if columns := _secret_columns(lowered[begin:place], separator):
                place, cells = _read_rows(text, place, columns, separator=separator)
                if excerpt.is_open(place) and place - begin <= _MAX_HELD_CHARS:
                    yield LeakFinding(start=begin, end=place, mask=SECRET, is_open=True)
                yield from cells
                break


def _end_of_line(text: str, place: int) -> int:
    end = text.find("\n", place)
    return end + 1 if end >= 0 else len(text)


def _secret_columns(line: str, separator: str) -> Mapping[int, bool]:
    """The columns named as secrets, counted from the right, each True if it is of passwords.

    Of the line's left a part may have left already.
    """
    if separator not in line:
        return {}
    names = [cell.strip(_AROUND_VALUE) for cell in _split(line, separator)]
    return {
        place: is_password_name(name)
        for place, name in enumerate(reversed(names))
        if _NAME.fullmatch(name) or is_password_name(name, whole=True)
    }


def _split(line: str, separator: str) -> list[str]:
    if separator == "|":
        line = line.rstrip().removesuffix("|")
    return line.split(separator)


def _read_rows(
    text: str, place: int, columns: Mapping[int, bool], *, separator: str
) -> tuple[int, list[LeakFinding]]:
    """The end of the table, and its cells with secrets."""
    found: list[LeakFinding] = []
    while place < len(text):
        begin, end = place, _end_of_line(text, place)
        line = text[begin:end]
        if separator not in line and end < len(text):
            break
        place = end
        if separator not in line or not line.strip(_RULER):
            continue
        cells = _split(line, separator)
        for column, is_password in columns.items():
            index = len(cells) - 1 - column
            value = cells[index].strip(_AROUND_VALUE) if index >= 0 else ""
            if value and _is_value(value, is_password=is_password):
                start = begin + sum(len(each) + 1 for each in cells[:index])
                start += cells[index].index(value)
                found.append(LeakFinding(start=start, end=start + len(value), mask=SECRET))
    return place, sorted(found, key=lambda each: each.start)


def _is_value(value: str, *, is_password: bool) -> bool:
    if len(value) > _MAX_VALUE_CHARS or len(value.split()) > 1:
        return False
    if not is_password:
        return is_secret(value, least=_MIN_KEY_CHARS)
    if len(value) < _MIN_PASSWORD_CHARS or is_placeholder(value) or "password" in value.lower():
        return False
    return any(map(str.isalpha, value)) and any(map(str.isdigit, value))


_RULES = (
    find_tokens,
    find_private_keys,
    find_passwords_in_addresses,
    find_assignments,
    find_in_columns,
)
_REASON = "The answer was stopped because it contained what looks like a key or a password."


class SecretLeakOutputGuard(OutputGuard):
    """Masks secrets as `[secret]`, or rejects the answer."""

    order = 10
    pure = True
    window_chars = LONGEST_PREFIX_CHARS

    def __init__(self, *, settings: OutputSettings) -> None:
        self._mode = settings.secrets

    async def check(self, request: OutputGuardRequest) -> GuardResult:
        """Look for secrets in what has not left yet."""
        return await mask_or_reject(request, _RULES, mode=self._mode, reason=_REASON)
