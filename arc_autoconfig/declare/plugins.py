"""Plugins, with their states, and the quarantine of those that are broken."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Self

from arc_autoconfig.declare.candidates import Candidate, Origin
from arc_autoconfig.errors import PluginError
from arc_autoconfig.installed import EntryPointLine, qualify
from arc_autoconfig.settings import PluginsSettings
from arc_core.components.extension_points import ExtensionPoint
from arc_core.log import get_logger

__all__ = [
    "Discovery",
    "Fault",
    "Plugin",
    "PluginState",
    "left_out_interfaces",
    "qualify",
    "quarantine",
]


class PluginState(StrEnum):
    """The state of a plugin."""

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

    @classmethod
    def from_entry_point(cls, line: EntryPointLine, *, known_as: str | None = None) -> Self:
        """Return the plugin of an entry point, as one that is loaded."""
        return cls(
            name=line.name,
            known_as=known_as or line.name,
            group=line.group,
            reference=line.value,
            distribution=line.distribution,
            version=line.version,
            state=PluginState.LOADED,
        )

    @classmethod
    def from_code(cls, name: str, reference: str) -> Self:
        """Return a plugin of code that is not packaged, as one that is loaded."""
        return cls(
            name=name,
            known_as=name,
            group="",
            reference=reference,
            distribution=None,
            version=None,
            state=PluginState.LOADED,
        )

    def is_named_by(self, names: Collection[str]) -> bool:
        """Return True if a list in the settings means this plugin."""
        return self.name in names or qualify(self.name, self.group) in names

    def __str__(self) -> str:
        origin = f"{self.distribution} {self.version}" if self.distribution else "plugins.load"
        return f"{self.known_as} ({origin})"


@dataclass(frozen=True, slots=True)
class Discovery:
    """The interfaces, candidates and plugins that were found."""

    places: tuple[ExtensionPoint, ...]
    candidates: tuple[Candidate, ...]
    plugins: tuple[Plugin, ...]
    left_out: tuple[str, ...] = ()
    deps: tuple[tuple[type, Origin], ...] = ()


def left_out_interfaces(plugins: Iterable[Plugin]) -> tuple[str, ...]:
    """Why plugins for interfaces may be unknown: theirs are left out, in words for people."""
    return tuple(
        f"the interfaces of {each} are left out, and with them all plugins for these: {each.cause}"
        for each in plugins
        if each.state is not PluginState.LOADED
    )


@dataclass(frozen=True, slots=True)
class Fault:
    """The fault of a plugin."""

    cause: str
    error: BaseException | None = None


logger = get_logger("plugins")


def quarantine(
    plugin: Plugin, settings: PluginsSettings, *, fault: Fault, is_guard: bool
) -> Plugin:
    """Record that a plugin is left out, and say so in one warning."""
    reason = _reason_to_stop(plugin, settings, is_guard=is_guard)
    if reason is not None:
        is_packaged = plugin.distribution is not None
        raise PluginError(
            f"the plugin {plugin} is broken, and {reason}",
            evidence=[fault.cause, f"its place: {plugin.reference}"],
            remedy=f"repair or uninstall it, or add {plugin.known_as!r} to plugins.disabled"
            if is_packaged
            else "repair it, or take it out of plugins.load",
        ) from fault.error
    message = (
        f"the plugin {plugin} is broken and left out: {fault.cause}; "
        f"repair or uninstall it, or add {plugin.known_as!r} to plugins.disabled"
    )
    logger.warning(message, plugin=plugin.name, distribution=plugin.distribution)
    if fault.error is not None:
        logger.debug("the plugin failed here", plugin=plugin.name, exc_info=fault.error)
    return replace(plugin, state=PluginState.QUARANTINED, cause=fault.cause, brought=())


def _reason_to_stop(plugin: Plugin, settings: PluginsSettings, *, is_guard: bool) -> str | None:
    if plugin.is_named_by(settings.required):
        return "plugins.required names it"
    if is_guard:
        return "it brings a guard, without which nothing must run"
    if settings.strict:
        return "plugins.strict is on"
    if plugin.distribution is None:
        return "plugins.load names it"
    return None
