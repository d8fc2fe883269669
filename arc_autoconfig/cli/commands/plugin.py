"""`arc plugin`: packages of one's own."""

import shlex
import shutil
import sys
from pathlib import Path

import click

from arc_autoconfig.cli.options import wiring_options
from arc_autoconfig.cli.plugin_package.kinds import KINDS
from arc_autoconfig.cli.plugin_package.names import PackageName
from arc_autoconfig.cli.plugin_package.template import look_at, write_plugin


@click.group()
@wiring_options
def plugin() -> None:
    """Make a plugin package."""


@plugin.command("new")
@click.argument("name")
@click.option(
    "--kind", "kind_name", type=click.Choice(list(KINDS)), default="guard", show_default=True,
    metavar="KIND", help=f"What the package brings: {', '.join(KINDS)}.",
)  # fmt: skip
@click.option(
    "--in", "parent", type=click.Path(file_okay=False, exists=True, path_type=Path), default=".",
    help="The folder to put it in; the current one without.",
)  # fmt: skip
def _new(*, name: str, kind_name: str, parent: Path) -> None:
    """Write a package with one component that installs, and whose tests pass.

    NAME is the package's, as in acme-pii.
    """
    package, kind = PackageName.parse(name), KINDS[kind_name]
    folder = shlex.quote(str(write_plugin(package, kind, parent)))
    python = _python()
    click.echo(f"Wrote {folder}. Try it:\n")
    click.echo(f"    {python} -m pip install -e {_with_extra(folder)}")
    click.echo(f"    {python} -m pytest {folder}")
    click.echo(f"    {look_at(package, kind)}")


def _with_extra(folder: str) -> str:
    return f"{folder[:-1]}[test]'" if folder.endswith("'") else f"'{folder}[test]'"


def _python() -> str:
    """The name of the Python that has Arc: another one would look for Arc on an index."""
    found = shutil.which("python")
    is_this = found is not None and Path(found).parent == Path(sys.executable).parent
    return "python" if is_this else shlex.quote(sys.executable)
