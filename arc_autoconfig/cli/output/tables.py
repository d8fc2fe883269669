"""Tables for people: plain in a pipe, coloured on a terminal, never with a broken name."""

import os
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from shutil import get_terminal_size

import click
import wcwidth

from arc_autoconfig.cli.output.json_output import print_json
from arc_autoconfig.visible_text import visible

_PIPE_COLUMNS = 240
"""Outside of a terminal lines are long enough not to break the cells that programs look for."""

_GAP = "   "
_MARGIN = " "

_MIN_FOLDED = 20
"""Columns that a folded one has at least; a terminal that is narrower breaks the lines itself."""

_RULE = "─"
_HEADING = "bold"


@dataclass(frozen=True, slots=True)
class Cell:
    """The text of a cell, and its style: a colour, `bold`, `dim`, or nothing."""

    text: str
    style: str = ""

    def fold(self, width: int) -> list[str]:
        """The lines of the text, words kept together where they fit."""
        return [
            line
            for paragraph in self.text.splitlines() or [""]
            for line in wcwidth.wrap(paragraph, width, break_on_hyphens=False) or [""]
        ]

    def show(self, line: str, width: int) -> str:
        """One of its lines in its style, filled up with blanks."""
        filled = wcwidth.ljust(line, width)
        if not self.style:
            return filled
        is_bold, is_dim = self.style == _HEADING, self.style == "dim"
        colour = None if is_bold or is_dim else self.style
        return click.style(filled, fg=colour, bold=is_bold or None, dim=is_dim or None)


def text_cell(text: str, style: str = "") -> Cell:
    """A cell of foreign text, whose control characters have no effect."""
    return Cell(visible(text), style)


def print_rows(
    columns: Sequence[str], rows: Iterable[Sequence[str | Cell]], *, folded: Collection[str] = ()
) -> None:
    """Write a table as wide as the terminal, or as `COLUMNS` says; colours are for terminals.

    Texts are written as they are, brackets included. Cells of the columns that are `folded`, by
    default the last one, may take several lines; names and origins can be copied.
    """
    if sys.stdout is None:
        return
    table = [[Cell(each, _HEADING) for each in columns]]
    table += [[cell if isinstance(cell, Cell) else text_cell(cell) for cell in row] for row in rows]
    is_folded = [each in (folded or columns[-1:]) for each in columns]
    widths = _fit([_widest(cells) for cells in zip(*table, strict=True)], is_folded)
    head, *body = [line for row in table for line in _lines(row, widths)]
    rule = _RULE * (sum(widths) + len(_GAP) * (len(widths) - 1))
    for line in ("", head, _MARGIN + rule, *body, ""):
        click.echo(line if _has_colours() else click.unstyle(line).rstrip())


def print_report(
    value: object,
    columns: Sequence[str],
    rows: Iterable[Sequence[str | Cell]],
    *,
    as_json: bool,
    folded: Collection[str] = (),
) -> None:
    """Write a value as JSON for programs, or its rows for people; see `print_rows`."""
    if as_json:
        print_json(value)
    else:
        print_rows(columns, rows, folded=folded)


def _has_colours() -> bool:
    is_dumb = os.environ.get("TERM") == "dumb" or bool(os.environ.get("NO_COLOR"))
    return sys.stdout.isatty() and not is_dumb


def _widest(cells: Iterable[Cell]) -> int:
    lines = [line for cell in cells for line in cell.text.splitlines()]
    return max([1, *map(wcwidth.width, lines)])


def _fit(widths: Sequence[int], is_folded: Sequence[bool]) -> list[int]:
    """The widths of columns in one line, the room left for the folded ones divided among them."""
    folded = [at for at, each in enumerate(is_folded) if each]
    room = _line_width() - len(_MARGIN) * 2 - len(_GAP) * (len(widths) - 1)
    room -= sum(width for at, width in enumerate(widths) if at not in folded)
    fitted = list(widths)
    for done, at in enumerate(sorted(folded, key=widths.__getitem__)):  # the narrowest first
        share = max(room // (len(folded) - done), _MIN_FOLDED)
        fitted[at] = min(widths[at], share)
        room -= fitted[at]
    return fitted


def _line_width() -> int:
    if sys.stdout.isatty():
        return get_terminal_size().columns
    given = os.environ.get("COLUMNS", "")
    return int(given) if given.isdecimal() else _PIPE_COLUMNS


def _lines(row: Sequence[Cell], widths: Sequence[int]) -> Iterator[str]:
    cells = [cell.fold(width) for cell, width in zip(row, widths, strict=True)]
    for lines in zip_longest(*cells, fillvalue=""):
        shown = zip(row, lines, widths, strict=True)
        yield _MARGIN + _GAP.join(cell.show(line, width) for cell, line, width in shown)
