"""Lines are read as they come."""

import os
import sys
from collections.abc import Iterator

import pytest

from arc_autoconfig.cli.commands.run import LineReader


@pytest.fixture
def pipe(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """The end to write to of a pipe that is standard input."""
    reading, writing = os.pipe()
    with os.fdopen(reading) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        yield writing


async def lines_of(reader: LineReader) -> list[str]:
    """All lines up to the end."""
    lines = []
    while (line := await reader.line()) is not None:
        lines.append(line)
    return lines


@pytest.mark.parametrize(
    ("written", "lines"),
    [
        (b"", []),
        (b"one\ntwo\n", ["one", "two"]),
        (b"one\n\ntwo", ["one", "", "two"]),
        ("안녕\n".encode(), ["안녕"]),
        (b"\xff\n", ["�"]),
    ],
)
async def test_lines_up_to_the_end(pipe: int, written: bytes, lines: list[str]) -> None:
    """Blank lines count, a last line need not end, and no byte breaks it."""
    os.write(pipe, written)
    os.close(pipe)

    assert await lines_of(LineReader()) == lines


async def test_a_line_may_come_in_pieces(pipe: int) -> None:
    """Characters split between reads are put together."""
    reader = LineReader()
    for byte in "안녕\n".encode():
        os.write(pipe, bytes([byte]))

    assert await reader.line() == "안녕"
    os.close(pipe)
