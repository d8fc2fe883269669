"""Tables for people: plain in a pipe, coloured on a terminal, never with a broken name."""

import os
import sys
from collections.abc import Collection, Iterable, Sequence

import click
from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from arc_autoconfig.visible_text import visible

_PIPE_COLUMNS = 240
"""Outside of a terminal lines are long enough not to break the cells that programs look for."""

_PADDING = 3
"""Blanks between two columns."""

_MIN_FOLDED = 20
"""Columns that a folded one has at least; a terminal that is narrower breaks the lines itself."""


def print_rows(
    columns: Sequence[str], rows: Iterable[Sequence[str | Text]], *, folded: Collection[str] = ()
) -> None:
    """Write a table as wide as the terminal, or as `COLUMNS` says; colours are for terminals.

    Texts are written as they are, brackets included. Cells of the columns that are `folded`, by
    default the last one, may take several lines; names and origins can be copied.
    """
    if sys.stdout is None:
        return
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        is_folded = column in (folded or columns[-1:])
        least = _MIN_FOLDED if is_folded else None
        table.add_column(column, overflow="fold", no_wrap=not is_folded, min_width=least)
    for row in rows:
        table.add_row(*(cell if isinstance(cell, Text) else text_cell(cell) for cell in row))
    if sys.stdout.isatty():
        Console(width=max(Console().width, _min_width(table))).print(table)
        return
    given = os.environ.get("COLUMNS", "")
    wanted = int(given) if given.isdecimal() else _PIPE_COLUMNS
    console = Console(width=max(wanted, _min_width(table)))
    with console.capture() as captured:
        console.print(table)
    for line in captured.get().splitlines():
        click.echo(line.rstrip())


def text_cell(text: str, style: str = "") -> Text:
    """A cell of foreign text: neither markup nor control characters have an effect."""
    return Text(visible(text), style)


def _min_width(table: Table) -> int:
    """The least width in which no name is broken."""
    width = _PADDING
    for column in table.columns:
        longest = max(cell_len(str(cell)) for cell in (column.header, *column.cells))
        width += (longest if column.no_wrap else _MIN_FOLDED) + _PADDING
    return width
