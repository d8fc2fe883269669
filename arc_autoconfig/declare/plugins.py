"""Plugins, the choice of those that are wanted, and the quarantine of those that are broken."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Self

from arc_autoconfig.declare.candidates import Candidate, Origin
from arc_autoconfig.errors import PluginError, UnknownNameError, fold_name, nearest
from arc_autoconfig.installed import EntryPointLine, qualify
from arc_autoconfig.settings import PluginsSettings
from arc_core.components.extension_points import ExtensionPoint
from arc_core.log import get_logger


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
        cause: Why all or a part of it is not used, in words for people; None if all is well.
        brought: Names of its candidates, `guards: pii`.
        load_ms: What importing and registering took, in milliseconds; 0 for what is imported later.
    """

    name: str
    known_as: str
    group: str = ""
    reference: str
    distribution: str | None = None
    version: str | None = None
    state: PluginState = PluginState.LOADED
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
        )

    def is_named_by(self, names: Collection[str]) -> bool:
        """Return True if a list in the settings means this plugin."""
        return self.name in names or qualify(self.name, self.group) in names

    def has_brought(self, candidate: Candidate) -> bool:
        """Return True if a candidate is this plugin's."""
        origin, own = candidate.origin, (self.name, self.group, self.distribution)
        return (origin.plugin, origin.group, origin.distribution) == own

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


def check_names(
    settings: PluginsSettings,
    installed: Sequence[EntryPointLine],
    *,
    third_party: bool,
    left_out: Sequence[str] = (),
) -> None:
    """Check that the settings name plugins that exist, and that names are not taken twice."""
    names = list(known_names(installed).values())
    for setting in ("enabled", "disabled"):
        for name in getattr(settings, setting):
            if not _plugins_named(f"plugins.{setting}", name, installed):
                raise UnknownNameError(
                    setting=f"plugins.{setting}", name=name, known=names, left_out=left_out
                )
    for name in settings.settings:
        if fold_name(name) not in map(
            fold_name, (*(each.name for each in installed), *settings.load)
        ):
            raise UnknownNameError(
                setting="plugins.settings", name=name, known=names, left_out=left_out
            )
    for name in settings.required:
        if not _plugins_named("plugins.required", name, installed):
            raise _not_installed_error(name, names, left_out)
        _check_required(name, settings, installed=installed, third_party=third_party)
    _check_unique(each for each in installed if not each.is_named_by(settings.disabled))


def known_names(installed: Iterable[EntryPointLine]) -> dict[EntryPointLine, str]:
    """Return each plugin's name in settings, with the group if other groups share it."""
    groups: dict[str, set[str]] = defaultdict(set)
    for each in (installed := tuple(installed)):
        groups[each.name].add(each.group)
    return {
        each: each.qualified_name if len(groups[each.name]) > 1 else each.name for each in installed
    }


def choose_state(
    entry_point: EntryPointLine, settings: PluginsSettings, *, third_party: bool
) -> PluginState:
    """Return the state of a plugin by the settings: loaded, or why it is not."""
    if entry_point.is_named_by(settings.disabled):
        return PluginState.DISABLED
    is_wanted = settings.autoload or entry_point.is_named_by(settings.enabled)
    if entry_point.is_arcs_own or (third_party and is_wanted):
        return PluginState.LOADED
    return PluginState.NOT_ENABLED


def _check_required(
    name: str, settings: PluginsSettings, *, installed: Sequence[EntryPointLine], third_party: bool
) -> None:
    named = _plugins_named("plugins.required", name, installed)
    states = {choose_state(each, settings, third_party=third_party) for each in named}
    if states == {PluginState.LOADED}:
        return
    cause = "plugins.autoload is off" if third_party else "Application(plugins=False)"
    remedy = f"add {name!r} to plugins.enabled, or take it out of plugins.required"
    if PluginState.DISABLED in states:
        cause = "plugins.disabled names it"
        remedy = "take it out of plugins.disabled, or out of plugins.required"
    raise PluginError(
        f"the required plugin {name!r} would not be loaded", evidence=[cause], remedy=remedy
    )


def _not_installed_error(name: str, names: Sequence[str], left_out: Sequence[str]) -> PluginError:
    meant = nearest(name, names)
    ways = [
        *([f"write {meant!r}"] if meant else []),
        "install its package",
        *(["repair what is left out"] if left_out else []),
        "take the name out of plugins.required",
    ]
    return PluginError(
        f"the required plugin {name!r} is not {'there' if left_out else 'installed'}",
        evidence=[f"installed plugins: {', '.join(sorted(set(names))) or 'none'}", *left_out],
        remedy=", or ".join(ways),
    )


def _plugins_named(
    setting: str, name: str, installed: Sequence[EntryPointLine]
) -> list[EntryPointLine]:
    """The plugins that a name in the settings means; several where packages share a name."""
    named = [each for each in installed if each.is_named_by([name])]
    qualified_names = sorted({each.qualified_name for each in named})
    if len(qualified_names) > 1:
        raise PluginError(
            f"{setting} names {name!r}, which {len(named)} plugins are called",
            evidence=[
                f"{each.qualified_name} ({each.distribution} {each.version})" for each in named
            ],
            remedy="write " + " or ".join(map(repr, qualified_names)),
        )
    return named


def _check_unique(entry_points: Iterable[EntryPointLine]) -> None:
    by_name: dict[tuple[str, str], list[EntryPointLine]] = defaultdict(list)
    for entry_point in entry_points:
        by_name[entry_point.group, entry_point.name].append(entry_point)
    for (group, name), namesakes in by_name.items():
        if len(namesakes) > 1:
            raise PluginError(
                f"two packages bring a plugin of the name {name!r} in the group {group}",
                evidence=[
                    f"{each.distribution} {each.version} ({each.value})" for each in namesakes
                ],
                remedy="uninstall one of them",
            )
