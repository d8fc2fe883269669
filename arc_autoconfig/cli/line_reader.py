"""Reads lines from a person or a pipe, while the event loop goes on."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from arc_core.tools.threads import run_in_thread

_PROMPT = "> "
_CHUNK_BYTES = 65_536


class LineReader:
    """Reads standard input; on a terminal with a prompt and line editing.

    A thread that waits for input cannot be stopped, only abandoned. So it must hold no lock that
    the end of the process needs: `input` holds none on a terminal, and for a pipe `os.read` does.
    """

    def __init__(self) -> None:
        streams = (sys.stdin, sys.stdout)  # None if the process was started without one
        self._is_terminal = all(each is not None and each.isatty() for each in streams)
        self._buffer = b""

    async def line(self) -> str | None:
        """The next line without its end; None when there is no more."""
        if self._is_terminal:
            line: str | None = await run_in_thread(_read_typed_line)
            return line
        while b"\n" not in self._buffer:
            chunk: bytes = await run_in_thread(_read_chunk)
            if not chunk:
                break
            self._buffer += chunk
        line_bytes, end, self._buffer = self._buffer.partition(b"\n")
        return line_bytes.decode(errors="replace") if line_bytes or end else None

    @contextmanager
    def editing(self) -> Iterator[None]:
        """Line editing and history on a terminal, which is left as it was found."""
        if not self._is_terminal:
            yield
            return
        try:
            import readline  # noqa: F401 -- `input` edits with it
            import termios
        except ImportError:  # Windows edits by itself
            yield
            return
        attributes = termios.tcgetattr(sys.stdin)
        try:
            yield
        finally:
            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, attributes)


def _read_typed_line() -> str | None:
    try:
        return input(_PROMPT)
    except EOFError:
        return None


def _read_chunk() -> bytes:
    if sys.stdin is None:
        return b""
    return os.read(sys.stdin.fileno(), _CHUNK_BYTES)
