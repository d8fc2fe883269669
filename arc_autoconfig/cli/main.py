"""The command `arc`: which subcommands there are, and what becomes of errors."""

import io
import sys

import click

from arc_autoconfig.cli.command_group import CommandGroup
from arc_autoconfig.cli.options import wiring_options


@click.group(cls=CommandGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="arc-agents", message="%(package)s %(version)s")
@wiring_options
def arc() -> None:
    """Run agents, and see what they are made of."""


def main() -> None:
    """Run the command line; the entry point of the script `arc`."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # None if the process was started without one
            stream.reconfigure(errors="backslashreplace")
    arc(prog_name="arc")


if __name__ == "__main__":
    main()
