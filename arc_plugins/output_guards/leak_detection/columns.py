"""Secrets in tables, below the name of their column, in Markdown or separated by commas."""

import re
from collections.abc import Iterator, Mapping

from arc_plugins.output_guards.leak_detection.assignments import (
    NAMES,
    is_password_name,
    is_secret,
    lower,
)
from arc_plugins.output_guards.leak_detection.placeholders import is_placeholder
from arc_plugins.output_guards.leak_detection.scanning import Excerpt, LeakFinding
from arc_plugins.output_guards.leak_detection.tokens import SECRET

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
