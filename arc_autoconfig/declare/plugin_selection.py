"""Selects the installed plugins that the settings want, before any is imported."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from arc_autoconfig.declare.plugins import PluginState
from arc_autoconfig.errors import PluginError, UnknownNameError, fold_name, nearest
from arc_autoconfig.installed import EntryPointLine
from arc_autoconfig.settings import PluginsSettings

__all__ = ["check_names", "choose_state", "known_names"]


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


def known_names(
    installed: Iterable[EntryPointLine],
) -> dict[EntryPointLine, str]:
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
    name: str,
    settings: PluginsSettings,
    *,
    installed: Sequence[EntryPointLine],
    third_party: bool,
) -> None:
    named = _plugins_named("plugins.required", name, installed)
    states = {choose_state(each, settings, third_party=third_party) for each in named}
    if PluginState.DISABLED in states:
        raise PluginError(
            f"the required plugin {name!r} would not be loaded",
            evidence=["plugins.disabled names it"],
            remedy="take it out of plugins.disabled, or out of plugins.required",
        )
    if states != {PluginState.LOADED}:
        raise PluginError(
            f"the required plugin {name!r} would not be loaded",
            evidence=["plugins.autoload is off" if third_party else "Application(plugins=False)"],
            remedy=f"add {name!r} to plugins.enabled, or take it out of plugins.required",
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
