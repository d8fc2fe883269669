"""Tables for people."""

import pytest

from arc_autoconfig.cli.output.tables import print_rows

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
    columns: str,
    width: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """In a pipe without it lines are long, and none ends in blanks."""
    monkeypatch.setenv("COLUMNS", columns)

    print_rows(("Setting", "Value", "From"), [(NAME, VALUE, ORIGIN)], folded=("Value",))

    lines = capsys.readouterr().out.splitlines()
    assert width - 20 < max(map(len, lines)) <= width
    assert [line for line in lines if line != line.rstrip()] == []
