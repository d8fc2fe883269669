"""Which of the installed plugins the settings want, before any is imported."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from arc_autoconfig.entry_points import InstalledEntryPoint
from arc_autoconfig.errors import PluginError, UnknownNameError, folded, nearest
from arc_autoconfig.plugins import PluginState
from arc_autoconfig.settings import PluginsSettings

__all__ = ["check_names", "state_of"]


def check_names(
    settings: PluginsSettings, installed: Sequence[InstalledEntryPoint], *, third_party: bool
) -> None:
    """Check that the settings name plugins that exist, and that names are not taken twice.

    Raises:
        UnknownNameError: A name in `enabled`, `disabled` or `settings` that no plugin has.
        PluginError: A required plugin is not installed or would not be loaded, or two packages
            bring plugins of one name.
    """
    names = [entry_point.name for entry_point in installed]
    for setting in ("enabled", "disabled"):
        for name in getattr(settings, setting):
            if name not in names:
                raise UnknownNameError(setting=f"plugins.{setting}", name=name, known=names)
    for name in settings.settings:
        if folded(name) not in map(folded, (*names, *settings.load)):
            raise UnknownNameError(setting="plugins.settings", name=name, known=names)
    for name in settings.required:
        _check_required(name, settings, installed=installed, third_party=third_party)
    _check_unique(each for each in installed if each.name not in settings.disabled)


def state_of(
    entry_point: InstalledEntryPoint, settings: PluginsSettings, *, third_party: bool
) -> PluginState:
    """Whether a plugin is to be loaded."""
    if entry_point.name in settings.disabled:
        return PluginState.DISABLED
    is_wanted = settings.autoload or entry_point.name in settings.enabled
    if entry_point.is_arcs_own or (third_party and is_wanted):
        return PluginState.LOADED
    return PluginState.NOT_ENABLED


def _check_required(
    name: str,
    settings: PluginsSettings,
    *,
    installed: Sequence[InstalledEntryPoint],
    third_party: bool,
) -> None:
    named = [entry_point for entry_point in installed if entry_point.name == name]
    if not named:
        names = sorted({entry_point.name for entry_point in installed})
        meant = nearest(name, names)
        raise PluginError(
            f"the required plugin {name!r} is not installed",
            evidence=[f"installed plugins: {', '.join(names) or 'none'}"],
            remedy=(f"write {meant!r}, or " if meant else "")
            + "install its package, or take the name out of plugins.required",
        )
    states = {state_of(each, settings, third_party=third_party) for each in named}
    if states != {PluginState.LOADED}:
        raise PluginError(
            f"the required plugin {name!r} would not be loaded",
            evidence=["plugins.autoload is off" if third_party else "Application(plugins=False)"],
            remedy=f"add {name!r} to plugins.enabled, or take it out of plugins.required",
        )


def _check_unique(entry_points: Iterable[InstalledEntryPoint]) -> None:
    by_name: dict[tuple[str, str], list[InstalledEntryPoint]] = defaultdict(list)
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
