"""The command `arc`: which subcommands there are, and what becomes of errors."""

import os
import sys

import click

from arc_autoconfig.cli.command_group import CommandGroup
from arc_autoconfig.cli.options import wiring_options

__all__ = ["arc", "main"]


@click.group(cls=CommandGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="arc-agents", message="%(package)s %(version)s")
@wiring_options
def arc() -> None:
    """Run agents, and see what they are made of."""


def main() -> None:
    """What the script `arc` calls; code beside the caller's files can be named by plugins.load."""
    sys.path.append(os.getcwd())
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    arc(prog_name="arc")
