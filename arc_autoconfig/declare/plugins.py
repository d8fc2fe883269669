"""What is known of each plugin: whether it is loaded, what it brought, and why not."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import StrEnum

from arc_autoconfig.installed import qualify

__all__ = ["Plugin", "PluginState", "left_out_interfaces", "qualify"]


class PluginState(StrEnum):
    """What became of a plugin."""

    LOADED = "loaded"
    """It registered its components, or will be imported when it is used."""

    DISABLED = "disabled"
    """Blocked by `plugins.disabled` before it was imported."""

    NOT_ENABLED = "not enabled"
    """Not loaded: `plugins.autoload` is off, or the application takes no plugins."""

    BROKEN = "broken"
    """Loaded, and a component that it brought cannot be built: nothing starts with it."""

    QUARANTINED = "quarantined"
    """Broken: nothing of it takes part."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plugin:
    """One entry point of an installed package, or one line of `plugins.load`.

    Attributes:
        name: What its package calls it.
        known_as: What settings call it: its name, or `guards:name` where other groups share it.
        group: The entry point's group; empty for `plugins.load`.
        reference: `package.module` or `package.module:attribute`.
        distribution: The package; None for `plugins.load`.
        version: The package's version.
        state: What became of it.
        cause: Why it is not loaded, or which part of it is not used, in words for people; None if
            all is well.
        brought: Names of its candidates, `guards: pii`.
        load_ms: What importing and registering took, in milliseconds; 0 for what is imported later.
    """

    name: str
    known_as: str
    group: str
    reference: str
    distribution: str | None
    version: str | None
    state: PluginState
    cause: str | None = None
    brought: tuple[str, ...] = ()
    load_ms: float = 0.0

    def is_named_by(self, names: Collection[str]) -> bool:
        """Whether a list in the settings means this plugin."""
        return self.name in names or qualify(self.name, self.group) in names

    def __str__(self) -> str:
        origin = f"{self.distribution} {self.version}" if self.distribution else "plugins.load"
        return f"{self.known_as} ({origin})"


def left_out_interfaces(plugins: Iterable[Plugin]) -> tuple[str, ...]:
    """Why plugins for interfaces may be unknown: theirs are left out, in words for people.

    Args:
        plugins: Those that declare interfaces.
    """
    return tuple(
        f"the interfaces of {each} are left out, and with them all plugins for these: {each.cause}"
        for each in plugins
        if each.state is not PluginState.LOADED
    )
