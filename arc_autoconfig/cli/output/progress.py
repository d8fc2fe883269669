"""The progress of a command, on a terminal."""

import sys

import click

from arc_autoconfig.visible_text import visible

_WIDTH = 20


class ProgressLine:
    """A line on a terminal's standard error that is written anew; nothing anywhere else."""

    def __init__(self) -> None:
        self._is_visible = sys.stderr is not None and sys.stderr.isatty()
        self._is_written = False

    def write(self, done: int, total: int, text: str) -> None:
        """Write the line anew: a bar, and a text on one line."""
        if not self._is_visible:
            return
        bar = "█" * (_WIDTH * done // max(total, 1))
        line = f"{bar:{_WIDTH}} {visible(text, one_line=True)}"
        click.echo(f"\r\x1b[K{line}", nl=False, err=True)
        self._is_written = True

    def close(self) -> None:
        """Remove the line."""
        if self._is_written:
            click.echo("\r\x1b[K", nl=False, err=True)
            self._is_written = False
