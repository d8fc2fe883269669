"""Finds many words by one scan, and patterns near to those words that they need.

Most texts have few of the words, so that patterns of any number cost what the scan costs: some
microseconds for a page. The time grows with the length of the text only.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import re2

_SCAN_BYTES = 32 << 20
_BEFORE_CHARS, _AFTER_CHARS = 240, 320
_PART = re.compile(r"\{([a-z_]+)\}")


class MarkScanner:
    """Looks for words wherever they stand; of those at one place it finds the longest."""

    def __init__(self, marks: Iterable[str]) -> None:
        options = re2.Options()
        options.longest_match = True
        options.max_mem = _SCAN_BYTES
        self._marks = re2.compile("|".join(map(re2.escape, sorted(marks))).encode(), options)

    def places_in(self, text: str) -> Iterator[tuple[int, str]]:
        """Each place in a text with the mark that begins there."""
        octets = text.encode(errors="replace")
        place = before = 0
        for mark in self._marks.finditer(octets):
            begin, end = mark.span()
            place += len(octets[before:begin].decode())
            before = begin
            yield place, octets[begin:end].decode()


@dataclass(frozen=True, slots=True, eq=False)
class MarkedPattern:
    """A pattern, and the words without which it is not there.

    Attributes:
        marks: One of them is in it.
        needs: Of each group, one is near to the mark.
        search: Finds it in lower case.
        weight: How much it tells.
        asked: Words of a user's prompt that make it harmless.
    """

    marks: tuple[str, ...]
    needs: tuple[tuple[str, ...], ...]
    search: re.Pattern[str]
    weight: float = 1.0
    asked: tuple[str, ...] = ()

    @classmethod
    def read(cls, row: Mapping[str, Any], parts: Mapping[str, str]) -> Self:
        """One row of a table in `data/results`, with the parts that its patterns share."""
        marks, *needs = map(tuple, row["needs"])
        pattern: str = row["pattern"]  # its parts may have parts themselves
        while (whole := _PART.sub(lambda name: parts[name[1]], pattern)) != pattern:
            pattern = whole
        search = re.compile(pattern)
        return cls(marks, tuple(needs), search, row.get("weight", 1.0), tuple(row.get("asked", ())))

    def find_near(self, mark: int, text: str) -> int | None:
        """Find its beginning near to a mark."""
        begin, end = max(0, mark - _BEFORE_CHARS), mark + _AFTER_CHARS
        region = text[begin:end]
        if not all(any(map(region.__contains__, group)) for group in self.needs):
            return None
        found = self.search.search(text, begin, end)
        return found.start() if found else None


class PatternScanner:
    """Looks for many patterns near to their marks."""

    def __init__(self, patterns: Sequence[MarkedPattern]) -> None:
        marks = {mark for pattern in patterns for mark in pattern.marks}
        self._patterns = {
            mark: [each for each in patterns if any(part in mark for part in each.marks)]
            for mark in marks
        }
        self._scanner = MarkScanner(marks)

    def finds_in(self, text: str) -> set[tuple[int, MarkedPattern]]:
        """Find the places of patterns in a text in lower case; next to each mark the first one."""
        finds: set[tuple[int, MarkedPattern]] = set()
        next_mark: dict[MarkedPattern, int] = {}
        for at, mark in self._scanner.places_in(text):
            for pattern in self._patterns[mark]:
                if at < next_mark.get(pattern, 0):
                    continue  # searched already, so that marks in a row cost little
                next_mark[pattern] = at + _AFTER_CHARS // 2
                if (begin := pattern.find_near(at, text)) is not None:
                    finds.add((begin, pattern))
        return finds
