"""Tables for people: plain in a pipe, coloured on a terminal."""

import sys
from collections.abc import Iterable, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from arc_autoconfig.visible_text import visible

__all__ = ["empty_table", "print_rows", "print_table", "text_cell"]

_PIPE_COLUMNS = 240
"""Outside of a terminal lines are long enough not to break the cells that programs look for."""

_WHOLE_COLUMNS = 2
"""So many columns hold names, which are never broken."""


def empty_table(*columns: str) -> Table:
    """A table without rows; the first columns are never broken."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for place, column in enumerate(columns):
        table.add_column(column, overflow="fold", no_wrap=place < _WHOLE_COLUMNS)
    return table


def print_table(table: Table) -> None:
    """Write a table to standard output; colours only on a terminal."""
    if sys.stdout is not None:
        Console(width=None if sys.stdout.isatty() else _PIPE_COLUMNS).print(table)


def print_rows(columns: Sequence[str], rows: Iterable[Sequence[str | Text]]) -> None:
    """Write a table of texts as they are, brackets included."""
    table = empty_table(*columns)
    for row in rows:
        table.add_row(*(cell if isinstance(cell, Text) else text_cell(cell) for cell in row))
    print_table(table)


def text_cell(text: str, style: str = "") -> Text:
    """A cell of foreign text: neither markup nor control characters have an effect."""
    return Text(visible(text), style)
