"""Reads which plugins are installed, from the packages' metadata; imports nothing."""

from collections.abc import Collection
from dataclasses import dataclass

from arc_autoconfig.installed import ARC_DISTRIBUTION, SECTIONS_GROUP, entry_point_lines, qualify

__all__ = [
    "DECORATORS_GROUP",
    "INTERFACES_GROUP",
    "NOT_WIRED",
    "PLUGIN_GROUP",
    "InstalledEntryPoint",
    "installed_entry_points",
]

PLUGIN_GROUP = "arc"
"""The entry points of pluggy plugins; interfaces declare those of single components."""

INTERFACES_GROUP = "arc.interfaces"
"""The entry points of interfaces that packages declare, or of modules that hold them."""

DECORATORS_GROUP = "arc.decorators"
"""The entry points of classes that wrap components."""

NOT_WIRED = frozenset({"arc.commands", SECTIONS_GROUP})
"""Entry points that are read elsewhere: by the command line, and by the settings."""


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class InstalledEntryPoint:
    """One line of a package's entry points that is meant for Arc.

    Attributes:
        name: What settings and the report call the plugin, unless plugins of other groups share it.
        distribution: The package.
        version: The package's version.
        group: `arc`, the group of a single component, or one that begins like them.
        value: `package.module` or `package.module:attribute`.
    """

    name: str
    distribution: str
    version: str
    group: str
    value: str

    @property
    def qualified_name(self) -> str:
        """The name with its group, which no other plugin has: `guards:pii`."""
        return qualify(self.name, self.group)

    def is_named_by(self, names: Collection[str]) -> bool:
        """Return True if a list in the settings means this plugin."""
        return self.name in names or self.qualified_name in names

    @property
    def is_arcs_own(self) -> bool:
        """Return True if it is one of Arc's defaults."""
        return self.distribution == ARC_DISTRIBUTION


def installed_entry_points(groups: Collection[str] = ()) -> tuple[InstalledEntryPoint, ...]:
    """All entry points of plugins, by name, whatever the order of installation.

    A package that is found twice on the path counts where it is found first, as for imports.

    Args:
        groups: Groups of other packages' interfaces, to be read besides those of Arc.
    """
    return tuple(
        InstalledEntryPoint(
            name=line.name,
            distribution=line.distribution,
            version=line.version,
            group=line.group,
            value=line.value,
        )
        for line in entry_point_lines(groups)
        if line.group not in NOT_WIRED
    )
