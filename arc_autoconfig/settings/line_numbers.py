"""On which line of a TOML file each key stands."""

import re
from collections.abc import Mapping, Sequence

__all__ = ["lines_of", "parts_of"]

_ENTRY = re.compile(r"\s*+\[\[\s*+([^\[\]\s]++(?:\s++[^\[\]\s]++)*+)\s*+\]\]")
_HEADER = re.compile(r"\s*+\[\s*+([^\[\]\s]++(?:\s++[^\[\]\s]++)*+)\s*+\]")
_KEY = re.compile(r"""\s*+([\w.\-"']++(?: ++[\w.\-"']++)*+)\s*+=""")


def lines_of(text: str) -> dict[tuple[str, ...], int]:
    """The line of each key and table by its path, hyphens written as underscores.

    In a list of tables, `[[schedules]]`, each has its number in the path, from 0.
    """
    lines: dict[tuple[str, ...], int] = {}
    table: tuple[str, ...] = ()
    counts: dict[tuple[str, ...], int] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if entry := _ENTRY.match(line):
            *above, name = parts_of(entry[1])
            table = (*_within(above, counts), name)
            lines.setdefault(table, number)
            counts[table] = counts.get(table, -1) + 1
            table = (*table, str(counts[table]))
            lines.setdefault(table, number)
        elif header := _HEADER.match(line):
            table = _within(parts_of(header[1]), counts)
            lines.setdefault(table, number)
        elif key := _KEY.match(line):
            lines.setdefault((*table, *parts_of(key[1])), number)
    return lines


def _within(parts: Sequence[str], counts: Mapping[tuple[str, ...], int]) -> tuple[str, ...]:
    """A path; what stands below a list of tables stands in the last of them."""
    path: tuple[str, ...] = ()
    for part in parts:
        path = (*path, part)
        if path in counts:
            path = (*path, str(counts[path]))
    return path


def parts_of(key: str) -> tuple[str, ...]:
    """The parts of a key as they are looked up."""
    return tuple(part.strip().strip("\"'").replace("-", "_") for part in key.split("."))
