"""Reads which plugins are installed, from the packages' metadata; imports nothing."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import Distribution, distributions

from arc_autoconfig.candidates import ARC_DISTRIBUTION
from arc_autoconfig.slots import PLACES, Place

__all__ = ["PLUGIN_GROUP", "InstalledEntryPoint", "installed_entry_points"]

PLUGIN_GROUP = "arc"
"""The entry points of pluggy plugins; those of single components are in `slots`."""

_PLACE_OF_GROUP: dict[str, Place] = {place.group: place for place in PLACES}
_MENTIONS_ARC = re.compile(r"^\s*\[\s*arc\s*[.\]]", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class InstalledEntryPoint:
    """One line of a package's entry points that is meant for Arc.

    Attributes:
        name: What settings and the report call the plugin.
        distribution: The package.
        version: The package's version.
        group: `arc`, or the group of a single component.
        value: `package.module` or `package.module:attribute`.
    """

    name: str
    distribution: str
    version: str
    group: str
    value: str

    @property
    def place(self) -> Place | None:
        """Where a single component goes; None for a pluggy plugin."""
        return _PLACE_OF_GROUP.get(self.group)

    @property
    def is_arcs_own(self) -> bool:
        """Whether it is one of Arc's defaults."""
        return self.distribution == ARC_DISTRIBUTION


def installed_entry_points() -> tuple[InstalledEntryPoint, ...]:
    """All entry points for Arc, by name, whatever the order of installation.

    A package that is found twice on the path counts where it is found first, as for imports.
    """
    found: dict[str, list[InstalledEntryPoint]] = {}
    for distribution in distributions():
        text = distribution.read_text("entry_points.txt")
        if text is not None and _MENTIONS_ARC.search(text):
            found.setdefault(_normal(distribution.name), list(_entry_points_of(distribution)))
    return tuple(sorted(entry_point for each in found.values() for entry_point in each))


def _entry_points_of(distribution: Distribution) -> Iterator[InstalledEntryPoint]:
    for entry_point in distribution.entry_points:
        if entry_point.group == PLUGIN_GROUP or entry_point.group in _PLACE_OF_GROUP:
            yield InstalledEntryPoint(
                name=entry_point.name,
                distribution=_normal(distribution.name),
                version=distribution.version,
                group=entry_point.group,
                value=entry_point.value,
            )


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
