"""Commands are found when they are asked for, those of plugins too."""

from typing import Any

import click
import pytest

from arc_autoconfig.cli.main import COMMANDS, CommandGroup, arc
from tests.arc_autoconfig.cli.invoking import invoke
from tests.arc_autoconfig.installed import PackageIndex

GREETING = """
import click

@click.command()
def greet():
    click.echo("hello")
"""


def commands(**entry_points: str) -> dict[str, Any]:
    """The entry points of a package that brings commands."""
    return {"arc__commands": entry_points}


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_says_what_the_command_says(name: str) -> None:
    """The line in the list is the first of the command's own help."""
    assert isinstance(arc, CommandGroup)
    command = arc.get_command(click.Context(arc), name)

    assert command is not None
    assert command.get_short_help_str(limit=200) == COMMANDS[name]


def test_a_package_brings_a_command(packages: PackageIndex) -> None:
    """It is listed with its origin, and runs."""
    packages.install("acme-arc", modules={"acme": GREETING}, **commands(greet="acme:greet"))

    assert "Of acme-arc 1.0." in invoke("--help").output
    assert invoke("greet").output == "hello\n"


@pytest.mark.parametrize(
    ("module", "cause"),
    [
        ("1 / 0", "ZeroDivisionError"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("import no_such_library", "ModuleNotFoundError"),
        ("greet = 7", "it is not a click command"),
    ],
)
def test_a_broken_command_harms_no_other(packages: PackageIndex, module: str, cause: str) -> None:
    """The help and other commands work; asked for, it says whose it is and what is wrong."""
    packages.install("acme-arc", modules={"acme": module}, **commands(greet="acme:greet"))

    assert "greet" in invoke("--help").output
    assert invoke("plugins").exit_code == 0
    result = invoke("greet")

    assert result.exit_code == 2
    assert result.stderr.startswith("Error: the command 'greet' of acme-arc 1.0 cannot be loaded")
    assert cause in result.stderr
    assert "Traceback" not in result.stderr


def test_a_broken_command_shows_its_traceback_when_asked(packages: PackageIndex) -> None:
    """Its author needs the line."""
    packages.install("acme-arc", modules={"acme": "1 / 0"}, **commands(greet="acme:greet"))

    assert "Traceback" in invoke("--traceback", "greet").stderr


def test_a_package_cannot_replace_a_command(packages: PackageIndex) -> None:
    """`arc plugins` stays Arc's, whatever is installed."""
    packages.install("acme-arc", modules={"acme": GREETING}, **commands(plugins="acme:greet"))

    assert "hello" not in invoke("plugins").output


def test_an_unknown_command_is_wrong_usage() -> None:
    """Exit code 2, as for any usage error."""
    assert invoke("runn").exit_code == 2
