"""`arc plugin`: packages of one's own."""

import re
import shlex
import shutil
import sys
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path, PurePosixPath
from string import Template

import click

from arc_autoconfig.cli.options import wiring_options
from arc_autoconfig.cli.plugin_package.kinds import KINDS, PackageKind
from arc_autoconfig.cli.plugin_package.names import PackageName
from arc_autoconfig.installed import ARC_DISTRIBUTION
from arc_core.errors import ConfigurationError

_SUFFIX = ".template"


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
    folder = shlex.quote(str(_write_plugin(package, kind, parent)))
    python = _python()
    click.echo(f"Wrote {folder}. Try it:\n")
    click.echo(f"    {python} -m pip install -e {_with_extra(folder)}")
    click.echo(f"    {python} -m pytest {folder}")
    click.echo(f"    {_look_at(package, kind)}")


def _with_extra(folder: str) -> str:
    return f"{folder[:-1]}[test]'" if folder.endswith("'") else f"'{folder}[test]'"


def _python() -> str:
    """The name of the Python that has Arc: another one would look for Arc on an index."""
    found = shutil.which("python")
    is_this = found is not None and Path(found).parent == Path(sys.executable).parent
    return "python" if is_this else shlex.quote(sys.executable)


def _write_plugin(name: PackageName, kind: PackageKind, parent: Path) -> Path:
    """Write the package into a new folder of its name."""
    folder = parent / name.distribution
    values = _values(name, kind)
    try:
        folder.mkdir()
        for place, text in _templates(kind):
            target = folder / _target(place, name, kind)
            target.parent.mkdir(exist_ok=True)
            target.write_text(Template(text).substitute(values), "utf-8")
    except FileExistsError:
        raise ConfigurationError(
            f"{folder} exists already", remedy="choose another name, or remove it"
        ) from None
    except OSError as error:
        raise ConfigurationError(
            f"{folder} cannot be written", evidence=[str(error)], remedy="use --in with a folder"
        ) from error
    return folder


def _values(name: PackageName, kind: PackageKind) -> Mapping[str, str]:
    is_class = kind.member[0].isupper()
    class_name = name.class_stem + kind.member
    return {
        "distribution": name.distribution,
        "plugin": name.plugin,
        "package": name.module,
        "class_name": class_name,
        "object": class_name if is_class else kind.member,
        "kind": kind.module,
        "noun": kind.noun,
        "group": kind.group,
        "arc_version": version(ARC_DISTRIBUTION),
        "look": _look_at(name, kind),
        "usage": _usage(name, kind),
    }


def _look_at(name: PackageName, kind: PackageKind) -> str:
    """The command that shows that the package is installed."""
    return f"arc {name.plugin} --help" if kind.is_command else "arc conditions"


def _usage(name: PackageName, kind: PackageKind) -> str:
    """The end of the package's page: its settings, and how it is switched off."""
    if kind.is_command:
        return f"`arc {name.plugin} QUESTION` runs it."
    setting = kind.setting.partition("=")
    section = f"[plugins.settings.{name.plugin}]\n{setting[0].lstrip('.')} = {setting[2]}"
    settings = f"Settings, in `arc.toml`:\n\n```toml\n{section}\n```\n\n" if kind.setting else ""
    return (
        f'{settings}To switch it off: `plugins.disabled = ["{name.plugin}"]`, '
        f"or `arc --no-plugin {name.plugin}`."
    )


def _target(place: PurePosixPath, name: PackageName, kind: PackageKind) -> Path:
    written = place.as_posix().removesuffix(_SUFFIX)
    by_template = {
        "gitignore": ".gitignore",
        "component.py": f"{name.module}/{kind.module}.py",
        "test.py": f"tests/test_{kind.module}.py",
    }
    return Path(by_template.get(written) or re.sub(r"^package(?=/)", name.module, written))


def _templates(kind: PackageKind) -> Iterator[tuple[PurePosixPath, str]]:
    root = files("arc_autoconfig.cli.plugin_package").joinpath("templates", "plugin")
    for folder in ("common", kind.name):
        yield from _below(root.joinpath(folder), PurePosixPath())


def _below(folder: Traversable, place: PurePosixPath) -> Iterator[tuple[PurePosixPath, str]]:
    for each in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if each.is_dir():
            yield from _below(each, place / each.name)
        elif each.name.endswith(_SUFFIX):
            yield place / each.name, each.read_text("utf-8")
