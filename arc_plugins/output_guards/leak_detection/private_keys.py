"""Private keys in PEM: whole blocks, however their lines are broken."""

import re
from collections.abc import Iterator

from arc_plugins.output_guards.leak_detection.scanning import Excerpt, LeakFinding
from arc_plugins.output_guards.leak_detection.tokens import SECRET, places

__all__ = ["find_private_keys"]

_BEGIN = "-----BEGIN"
_HEADER = re.compile(r"-----BEGIN[A-Z0-9 ]{0,40}+-{0,5}+")
_PRIVATE = re.compile(r"PRIVATE KEY(?: BLOCK)?-----\Z")
_BREAK = re.compile(r"(?:[ \t\r\n>|\"'+,]|\\[rn]?)*+")
_FIELD = re.compile(r"[A-Z][A-Za-z-]{2,20}: ?[^\n\\]{0,120}")
_DATA = re.compile(r"[A-Za-z0-9+/=]*+")
_FOOTER = re.compile(r"-{0,5}+(?:END[A-Z0-9 ]{0,40}+-{0,5}+)?")
_LINE_BREAKS = frozenset("\n\r\\")
_MIN_WORD_CHARS = 24


def find_private_keys(excerpt: Excerpt) -> Iterator[LeakFinding]:
    """Blocks from their first line to the last one, or to the end of their data without one."""
    if _BEGIN not in excerpt.text:
        return
    behind = 0
    for place in places(excerpt.text, _BEGIN, since=excerpt.begin):
        if place < behind:
            continue
        for finding in _find_block(excerpt, place):
            behind = finding.end
            yield finding


def _find_block(excerpt: Excerpt, place: int) -> Iterator[LeakFinding]:
    text = excerpt.text
    header = _HEADER.match(text, place)
    assert header is not None
    end = header.end()
    if not excerpt.is_open(end):
        if not _PRIVATE.search(header[0]):
            return
        end, data_chars = _read_body(excerpt, end)
        if not excerpt.is_open(end):
            if data_chars:
                yield LeakFinding(start=place, end=end, mask=SECRET)
            return
    yield LeakFinding(start=place, end=end, mask=SECRET, is_open=True)


def _read_body(excerpt: Excerpt, place: int) -> tuple[int, int]:
    """Return the end of a block, or of the text if it may go on there, and the size of its data."""
    text, end, data_chars = excerpt.text, place, 0
    while True:
        gap = _BREAK.match(text, end)
        begin = gap.end() if gap else end
        if begin == len(text):
            return (end if excerpt.is_final else begin), data_chars
        if text.startswith("-", begin):
            footer = _FOOTER.match(text, begin)
            return (footer.end() if footer else begin), data_chars
        if (field := _FIELD.match(text, begin)) and begin > end:
            # A field counts, so that not each of many headers in fields is read to their end.
            end, data_chars = field.end(), data_chars + 1
            continue
        data = _DATA.match(text, begin)
        chars = len(data[0]) if data else 0
        is_line = end == begin or not _LINE_BREAKS.isdisjoint(text[end:begin])
        is_line = is_line and text[begin + chars : begin + chars + 1] != " "  # a word of prose
        may_go_on = excerpt.is_open(begin + chars)
        if not chars or not (is_line or chars >= _MIN_WORD_CHARS or may_go_on):
            return end, data_chars
        end, data_chars = begin + chars, data_chars + chars
