"""Writes a new plugin package: one that installs, with tests that pass."""

import re
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path, PurePosixPath
from string import Template

from arc_autoconfig.cli.plugin_package.kinds import PackageKind
from arc_autoconfig.cli.plugin_package.names import PackageName
from arc_autoconfig.installed import ARC_DISTRIBUTION
from arc_core.errors import ConfigurationError

_SUFFIX = ".template"
_COMMON = "common"


def write_plugin(name: PackageName, kind: PackageKind, parent: Path) -> Path:
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
        "look": look_at(name, kind),
        "usage": _usage(name, kind),
    }


def look_at(name: PackageName, kind: PackageKind) -> str:
    """The command that shows that the package is installed."""
    return "arc conditions" if kind.interface is not None else f"arc {name.plugin} --help"


def _usage(name: PackageName, kind: PackageKind) -> str:
    """The end of the package's page: its settings, and how it is switched off."""
    if kind.interface is None:
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
    for folder in (_COMMON, kind.name):
        yield from _below(root.joinpath(folder), PurePosixPath())


def _below(folder: Traversable, place: PurePosixPath) -> Iterator[tuple[PurePosixPath, str]]:
    for each in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if each.is_dir():
            yield from _below(each, place / each.name)
        elif each.name.endswith(_SUFFIX):
            yield place / each.name, each.read_text("utf-8")
