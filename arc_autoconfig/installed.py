"""Reads the entry points for Arc of the installed packages from their metadata."""

import os
import re
import sys
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import Distribution, PackageNotFoundError, distributions, version
from typing import Any

__all__ = [
    "ARC_DISTRIBUTION",
    "DECORATORS_GROUP",
    "INTERFACES_GROUP",
    "NOT_WIRED",
    "PLUGIN_GROUP",
    "SECTIONS_GROUP",
    "EntryPointLine",
    "entry_point_lines",
    "fits_requirement",
    "get_installed_version",
    "get_required_package",
    "installed_entry_points",
    "normalize_name",
    "parse_requirement",
    "qualify",
]

ARC_DISTRIBUTION = "arc-agents"
"""The package whose components are defaults: they step back for those of all others."""

SECTIONS_GROUP = "arc.settings"
"""The entry points of sections of the settings."""

PLUGIN_GROUP = "arc"
"""The entry points of pluggy plugins; interfaces declare those of single components."""

INTERFACES_GROUP = "arc.interfaces"
"""The entry points of interfaces that packages declare, or of modules that hold them."""

DECORATORS_GROUP = "arc.decorators"
"""The entry points of classes that wrap components."""

NOT_WIRED = frozenset({"arc.commands", SECTIONS_GROUP})
"""Entry points that are read elsewhere: by the command line, and by the settings."""

_VERSION = r"[0-9]++(?:\.[0-9]++)*+(?:(?:a|b|rc)[0-9]++)?"
_PLAIN_REQUIREMENT = re.compile(
    rf"(?P<name>[A-Za-z][A-Za-z0-9]*+(?:-[A-Za-z0-9]++)*+)(?:>=(?P<least>{_VERSION}))?"
)
_PLAIN_VERSION = re.compile(
    r"(?P<release>[0-9]++(?:\.[0-9]++)*+)(?:(?P<stage>a|b|rc)(?P<number>[0-9]++))?"
)
_RELEASED = "released"  # behind "a", "b" and "rc"

_MENTIONS_ARC = re.compile(r"^[^\S\n]*+\[[^\S\n]*+arc[^\S\n]*+[.\]]", re.MULTILINE)


def qualify(name: str, group: str) -> str:
    """The name of an entry point with its group, which no other plugin has: `guards:pii`."""
    return f"{group.removeprefix('arc.')}:{name}"


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class EntryPointLine:
    """One line of a package's entry points, for Arc or for what others declare.

    Attributes:
        name: The word before `=`, by which settings and the report call a plugin, unless plugins of
            other groups share it.
        distribution: The package, in small letters and with hyphens.
        version: The package's version.
        group: The entry point's group.
        value: `package.module` or `package.module:attribute`.
    """

    name: str
    distribution: str
    version: str
    group: str
    value: str

    def is_named_by(self, names: Collection[str]) -> bool:
        """Return True if a list in the settings means this line."""
        return self.name in names or self.qualified_name in names

    @property
    def qualified_name(self) -> str:
        """The name with its group, which no other plugin has: `guards:pii`."""
        return qualify(self.name, self.group)

    @property
    def module(self) -> str:
        """The module in which it stands."""
        return self.value.partition(":")[0]

    @property
    def is_arcs_own(self) -> bool:
        """Return True if Arc's own package brings it."""
        return self.distribution == ARC_DISTRIBUTION


def entry_point_lines(groups: Collection[str] = ()) -> tuple[EntryPointLine, ...]:
    """Return all entry points for Arc by name, whatever the order of installation.

    A package that is found twice on the path counts where it is found first, as for imports. The
    packages are read once, and again after the path or a folder on it has changed.

    Args:
        groups: Further groups to read, of interfaces that packages declare.
    """
    return _lines_on(_read_path(), frozenset(groups))


def installed_entry_points(groups: Collection[str] = ()) -> tuple[EntryPointLine, ...]:
    """Return the entry points of plugins by name; see `entry_point_lines`."""
    return tuple(line for line in entry_point_lines(groups) if line.group not in NOT_WIRED)


def get_installed_version(package: str) -> str | None:
    """Return the version of an installed package; None if it is not there."""
    return _version_on(_read_path(), package)


_Path = tuple[tuple[str, int], ...]


@lru_cache(maxsize=200)
def _version_on(path: _Path, package: str) -> str | None:
    del path  # only says whether anything has changed
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _read_path() -> _Path:
    return tuple((folder, _changed_at(folder)) for folder in sys.path)


@lru_cache(maxsize=2)
def _lines_on(path: _Path, groups: frozenset[str]) -> tuple[EntryPointLine, ...]:
    del path  # only says whether anything has changed
    found: dict[str, list[EntryPointLine]] = {}
    for distribution in distributions():
        text = distribution.read_text("entry_points.txt")
        if text is not None and (
            _MENTIONS_ARC.search(text) or any(f"[{group}]" in text for group in groups)
        ):
            metadata = distribution.metadata  # parsed at every access
            name = normalize_name(metadata["Name"] or "unnamed")
            version = metadata["Version"] or "?"
            found.setdefault(name, list(_read_lines(distribution, name, version, groups=groups)))
    return tuple(sorted(line for each in found.values() for line in each))


def _changed_at(folder: str) -> int:
    try:
        return os.stat(folder or ".").st_mtime_ns
    except OSError:
        return 0


def _read_lines(
    distribution: Distribution, name: str, version: str, *, groups: Collection[str]
) -> Iterator[EntryPointLine]:
    for each in distribution.entry_points:
        if each.group == "arc" or each.group.startswith("arc.") or each.group in groups:
            yield EntryPointLine(
                name=each.name,
                distribution=name,
                version=version,
                group=each.group,
                value=each.value,
            )


def get_required_package(text: str) -> str:
    """The name in a requirement such as `redis>=5`; only others are parsed, since that is slow.

    Raises:
        ValueError: It is not a requirement.
    """
    plain = _PLAIN_REQUIREMENT.fullmatch(text)
    return plain["name"] if plain is not None else str(parse_requirement(text).name)


def fits_requirement(text: str, version: str) -> bool:
    """Return whether a version of its package fits a requirement; releases compare as numbers."""
    plain = _PLAIN_REQUIREMENT.fullmatch(text)
    if plain is not None:
        least, found = _sort_key(plain["least"] or "0a0"), _sort_key(version)
        if least is not None and found is not None:
            return found >= least
    return bool(parse_requirement(text).specifier.contains(version, prereleases=True))


def _sort_key(version: str) -> tuple[tuple[int, ...], str, int] | None:
    """The numbers by which a plain version is compared; None if only `packaging` knows."""
    plain = _PLAIN_VERSION.fullmatch(version)
    if plain is None:
        return None
    release = [int(number) for number in plain["release"].split(".")]
    while release and not release[-1]:  # 1.0 is 1
        release.pop()
    return tuple(release), plain["stage"] or _RELEASED, int(plain["number"] or 0)


@lru_cache(maxsize=200)
def parse_requirement(text: str) -> Any:
    """Read a requirement such as `redis>=5`, which is read once."""
    from packaging.requirements import Requirement  # noqa: PLC0415 -- slow, and rarely needed

    return Requirement(text)


def normalize_name(name: str) -> str:
    """The name of a distribution in small letters and with hyphens, as packages are compared."""
    return re.sub(r"[-_.]+", "-", name).lower()
