"""The help of every command fits a terminal, and is whole."""

from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from arc_autoconfig.cli.main import arc


def list_commands(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The words behind `arc` of each command and group."""
    yield path
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from list_commands(below, (*path, name))


@pytest.mark.parametrize("path", [*list_commands(arc)], ids=" ".join)
def test_the_help_of_a_command_fits(path: tuple[str, ...]) -> None:
    """No line is longer than the terminal, and no summary is cut, in 80 columns."""
    result = CliRunner().invoke(arc, [*path, "--help"], terminal_width=80)

    lines = result.output.splitlines()
    assert result.exit_code == 0
    assert [each for each in lines if len(each) > 80] == []
    assert [each for each in lines if each.endswith("...") and "Usage: " not in each] == []
