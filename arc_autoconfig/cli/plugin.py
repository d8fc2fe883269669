"""`arc plugin`: packages of one's own."""

from pathlib import Path

import click

from arc_autoconfig.cli.options import wiring_options
from arc_autoconfig.cli.plugin_template import PackageName, write_plugin

__all__ = ["plugin"]


@click.group()
@wiring_options
def plugin() -> None:
    """Make a plugin package."""


@plugin.command("new")
@click.argument("name")
@click.option(
    "--in", "parent", type=click.Path(file_okay=False, exists=True, path_type=Path), default=".",
    help="The folder to put it in; the current one without.",
)  # fmt: skip
def _new(*, name: str, parent: Path) -> None:
    """Write a package with a guard that installs, and whose tests pass.

    NAME is the package's, as in acme-pii.
    """
    folder = write_plugin(PackageName.parse(name), parent)
    click.echo(f"Wrote {folder}. Try it:\n")
    click.echo(f"    pip install -e '{folder}[test]'")
    click.echo(f"    pytest {folder}")
    click.echo("    arc conditions")
