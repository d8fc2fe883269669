"""Tables for people."""

import sys
from io import StringIO

import pytest
import wcwidth

from arc_autoconfig.cli.output.tables import print_rows, text_cell

NAME, ORIGIN = "llm.max_context_window_tokens", "llm.system_prompt on the command line"
VALUE = "a long value, " * 40


@pytest.mark.parametrize("columns", ["1", "80", "", "wide"])
def test_names_and_origins_are_never_broken(
    columns: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Long values are folded beside them, however narrow the table is to be."""
    monkeypatch.setenv("COLUMNS", columns)

    print_rows(("Setting", "Value", "From"), [(NAME, VALUE, ORIGIN)], folded=("Value",))

    lines = capsys.readouterr().out.splitlines()
    [first] = [line for line in lines if NAME in line]
    assert ORIGIN in first
    assert sum(line.count("long") for line in lines) == 40


@pytest.mark.parametrize(("columns", "width"), [("100", 100), ("", 240)])
def test_a_table_is_as_wide_as_columns_says(
    columns: str, width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In a pipe without it lines are long, and none ends in blanks."""
    monkeypatch.setenv("COLUMNS", columns)

    print_rows(("Setting", "Value", "From"), [(NAME, VALUE, ORIGIN)], folded=("Value",))

    lines = capsys.readouterr().out.splitlines()
    assert width - 20 < max(map(len, lines)) <= width
    assert [line for line in lines if line != line.rstrip()] == []


def test_columns_stand_below_each_other_whatever_the_characters_are(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Wide characters take two places, and the lines of a cell begin where it begins."""
    print_rows(("Name", "Value"), [("設定", "one\ntwo"), ("é", "[bold]three"), ("", "")])

    lines = capsys.readouterr().out.splitlines()
    places = [
        wcwidth.width(line[: line.index(value)])
        for value in ("Value", "one", "two", "[bold]three")
        for line in lines
        if value in line
    ]
    assert places == [8] * 4


class _Terminal(StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("variable", "value"), [("NO_COLOR", "1"), ("TERM", "dumb"), ("TERM", "xterm")]
)
def test_colours_are_for_terminals_that_want_them(
    variable: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Control characters in the texts are written out; only those of the style are sent."""
    terminal = _Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv(variable, value)

    print_rows(("State",), [(text_cell("up\x1b[5m", "green"),)])

    written = terminal.getvalue()
    assert "\x1b[5m" not in written
    assert ("\x1b[32m" in written) is (value == "xterm")
