"""Declare: finds the installed plugins and lets each of them register."""

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from arc_autoconfig.containment import Contained
from arc_autoconfig.declare.candidates import Candidate, Origin, Source
from arc_autoconfig.declare.interfaces import KnownPlaces, declared_in
from arc_autoconfig.declare.plugin_loading import (
    register_component,
    register_decorator,
    register_plugin,
)
from arc_autoconfig.declare.plugins import (
    Discovery,
    Fault,
    Plugin,
    PluginState,
    check_names,
    choose_state,
    known_names,
    left_out_interfaces,
    quarantine,
)
from arc_autoconfig.declare.registry import CandidateRegistry
from arc_autoconfig.errors import PluginError, describe_cause, nearest
from arc_autoconfig.installed import (
    DECORATORS_GROUP,
    INTERFACES_GROUP,
    PLUGIN_GROUP,
    EntryPointLine,
    installed_entry_points,
)
from arc_autoconfig.settings import PluginsSettings
from arc_autoconfig.settings.model import KnownSettings
from arc_autoconfig.settings.plugin_sections import BroughtSection, check_loaded
from arc_core.components.extension_points import ExtensionPoint, Slot

_CAUSES = {
    PluginState.DISABLED: "plugins.disabled names it",
    PluginState.NOT_ENABLED: "neither Arc's own nor named by plugins.enabled",
}

Reader = Callable[[Collection[str]], Sequence[EntryPointLine]]


def discover(
    settings: PluginsSettings,
    *,
    third_party: bool,
    installed: Reader = installed_entry_points,
    sections: Sequence[BroughtSection] = (),
) -> Discovery:
    """Let every wanted plugin declare interfaces and register; a broken one brings nothing."""
    return _Discovering(settings, third_party=third_party, sections=sections).run(installed)


class _Discovering:
    """Interfaces first, since they say of which groups entry points are to be read."""

    def __init__(
        self, settings: PluginsSettings, *, third_party: bool, sections: Sequence[BroughtSection]
    ) -> None:
        self._settings, self._third_party = settings, third_party
        self._sections = sections
        self._known, self._settings_so_far = KnownPlaces(), KnownSettings()
        self._broken: dict[str, BaseException] = {}
        self._places: tuple[ExtensionPoint, ...] = ()
        self._by_group: dict[str, ExtensionPoint] = {}
        self._candidates: list[Candidate] = []
        self._deps: list[tuple[type, Origin]] = []
        self._plugins: list[Plugin] = []

    def run(self, installed: Reader) -> Discovery:
        found = installed(())
        interfaces = [each for each in found if each.group == INTERFACES_GROUP]
        # Arc's own first: another package's interface cannot take a name from them.
        interfaces.sort(key=lambda each: not each.is_arcs_own)
        for each in interfaces:
            self._add(*self._plugin(each, known_as=each.name), self._declare)
        self._leave_out_broken_packages()
        if not all(group.startswith(f"{PLUGIN_GROUP}.") for group in self._by_group):
            found = installed(self._by_group)
        left_out = left_out_interfaces(self._plugins)
        check_names(self._settings, found, third_party=self._third_party, left_out=left_out)
        names = known_names(found)
        self._plugins = [
            replace(each, known_as=names[i])
            for i, each in zip(interfaces, self._plugins, strict=True)
        ]
        for each in found:
            if each.group != INTERFACES_GROUP:
                self._add(*self._plugin(each, known_as=names[each]), self._register)
        for reference in self._settings.load if self._third_party else ():
            plugin = Plugin(name=reference, known_as=reference, reference=reference)
            self._add(plugin, Origin(source=Source.PLUGIN, plugin=reference), self._register)
        self._add_broken_sections()
        return Discovery(
            self._places, tuple(self._candidates), tuple(self._plugins), left_out, tuple(self._deps)
        )

    def _leave_out_broken_packages(self) -> None:
        """Take back what is declared by packages of which another interface is broken."""
        self._known = self._known.without(self._broken)
        self._places = tuple(self._known)
        self._by_group = {each.group: each for each in self._places if each.group is not None}
        for index, plugin in enumerate(self._plugins):
            if plugin.state is PluginState.LOADED:
                with Contained() as attempt:
                    self._check_interfaces(f"{plugin.distribution} {plugin.version}")
                if attempt.error is not None:
                    self._plugins[index] = self._quarantine(plugin, attempt.error)

    def _check_interfaces(self, package: str) -> None:
        error = self._broken.get(package)
        if error is not None:
            raise PluginError(
                f"an interface of {package} cannot be used",
                evidence=[describe_cause(error)],
                remedy="repair it, or disable the package's other plugins, too",
            ) from error

    def _add_broken_sections(self) -> None:
        """Record the broken sections of packages that bring nothing else."""
        with_plugins = {plugin.distribution for plugin in self._plugins}
        for each in self._sections:
            if each.cause is not None and each.line.distribution not in with_plugins:
                alone = Plugin.from_entry_point(each.line)
                alone = replace(alone, name=each.key, known_as=each.key)
                fault = Fault(each.cause, each.error)
                left_out = quarantine(alone, self._settings, fault=fault, is_guard=False)
                self._plugins.append(left_out)

    def _plugin(self, entry_point: EntryPointLine, *, known_as: str) -> tuple[Plugin, Origin]:
        state = choose_state(entry_point, self._settings, third_party=self._third_party)
        plugin = Plugin.from_entry_point(entry_point, known_as=known_as)
        plugin = replace(plugin, state=state, cause=_CAUSES.get(state))
        origin = Origin(
            source=Source.DEFAULT if entry_point.is_arcs_own else Source.PLUGIN,
            plugin=entry_point.name,
            group=entry_point.group,
            distribution=entry_point.distribution,
            version=entry_point.version,
        )
        return plugin, origin

    def _add(
        self,
        plugin: Plugin,
        origin: Origin,
        take: Callable[[Plugin, CandidateRegistry], tuple[str, ...]],
    ) -> None:
        if plugin.state is PluginState.LOADED:
            registry = CandidateRegistry(origin, self._settings_so_far)
            began = time.perf_counter()
            brought: tuple[str, ...] = ()
            with Contained() as attempt:
                brought = take(plugin, registry)
                check_loaded(self._sections, distribution=plugin.distribution)
                self._check_interfaces(str(origin))
                offered = [each.place for each in registry.candidates]
                self._known.add(offered, owner=str(origin))
            registry.close()
            if attempt.error is None:
                load_ms = (time.perf_counter() - began) * 1000
                plugin = replace(plugin, brought=brought, load_ms=load_ms)
                self._candidates += registry.candidates
                self._deps += [(cls, origin) for cls in registry.deps]
            else:
                if plugin.group == INTERFACES_GROUP:
                    self._broken.setdefault(str(origin), attempt.error)
                is_guard = registry.fails_closed or self._is_in_guards_group(plugin)
                plugin = self._quarantine(plugin, attempt.error, is_guard=is_guard)
        self._plugins.append(plugin)

    def _quarantine(
        self, plugin: Plugin, error: BaseException, *, is_guard: bool = False
    ) -> Plugin:
        fault = Fault(describe_cause(error), error)
        return quarantine(plugin, self._settings, fault=fault, is_guard=is_guard)

    def _declare(self, plugin: Plugin, registry: CandidateRegistry) -> tuple[str, ...]:
        places = declared_in(plugin.reference)
        self._known.add(places, owner=f"{plugin.distribution} {plugin.version}")
        return tuple(
            f"{'slot' if isinstance(each, Slot) else 'contribution'}: {each.name}"
            for each in places
        )

    def _register(self, plugin: Plugin, registry: CandidateRegistry) -> tuple[str, ...]:
        by_group = self._by_group
        if plugin.group in {PLUGIN_GROUP, ""}:
            register_plugin(plugin.reference, registry, self._places)
        elif plugin.group == DECORATORS_GROUP:
            register_decorator(plugin.reference, name=plugin.name, registry=registry)
        elif plugin.group in by_group:
            place = by_group[plugin.group]
            register_component(plugin.reference, place, name=plugin.name, registry=registry)
        else:
            meant = nearest(plugin.group, list(by_group))
            raise PluginError(
                f"Arc knows no entry points of the group {plugin.group}",
                remedy=f"write {meant}" if meant else f"use one of {', '.join(by_group)}",
            )
        brought = (
            f"{'wraps ' if each.is_wrapper else ''}{each.place.name}: {each.name}"
            for each in registry.candidates
        )
        return (*brought, *(f"deps: {cls.__qualname__}" for cls in registry.deps))

    def _is_in_guards_group(self, plugin: Plugin) -> bool:
        by_group = self._by_group
        meant = by_group.get(nearest(plugin.group, list(by_group)) or "")
        return meant is not None and meant.fails_closed
