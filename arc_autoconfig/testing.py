"""Runs an application in surroundings that a test describes, and checks what was decided."""

import asyncio
import inspect
import os
from collections.abc import (
    AsyncIterator,
    Callable,
    Collection,
    Coroutine,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Any, TypeVar, overload

from arc_autoconfig.application import Application
from arc_autoconfig.decide.conditions import ConditionFacts
from arc_autoconfig.decide.wiring import Wiring, decide_wiring
from arc_autoconfig.declare.candidates import Origin, Source, get_name
from arc_autoconfig.declare.discovery import discover
from arc_autoconfig.declare.plugin_loading import register_loaded, register_plugin
from arc_autoconfig.declare.plugins import Discovery, Plugin
from arc_autoconfig.declare.registry import CandidateRegistry
from arc_autoconfig.errors import ApplicationStateError, fold_name
from arc_autoconfig.explain.report import ConditionReport
from arc_autoconfig.installed import (
    EntryPointLine,
    get_installed_version,
    installed_entry_points,
    normalize_name,
)
from arc_autoconfig.settings import ArcSettings
from arc_core.components.extension_points import ExtensionPoint

__all__ = ["ApplicationRunner"]

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class ApplicationRunner:
    """Describes an application and its surroundings; every method gives a new runner.

        runner = ApplicationRunner().with_settings({"cache.enabled": True})
        runner.without_package("redis").check_winner(ResponseCache, "memory")

    The application sees the settings, variables and plugins of the runner and Arc's own plugins;
    neither files and variables nor other plugins of the machine, unless it is told to.
    """

    _settings: Mapping[str, Any] = field(default_factory=dict)
    _environment: Mapping[str, str] = field(default_factory=dict)
    _plugins: tuple[tuple[str, object], ...] = ()
    _components: tuple[object, ...] = ()
    _missing: frozenset[str] = frozenset()
    _deps: tuple[type, ...] = ()
    _sees_installed: bool = False

    def with_settings(
        self, values: Mapping[str, Any] | None = None, **sections: Any
    ) -> "ApplicationRunner":
        """Set values by dotted key, `{"cache.enabled": True}`, or by section, `cache={…}`."""
        settings = dict(self._settings)
        for key, value in {**(values or {}), **sections}.items():
            _put(settings, key.split("."), value)
        return replace(self, _settings=settings)

    def with_environment(self, **variables: str) -> "ApplicationRunner":
        """Set variables for conditions, and for the process while the application runs."""
        return replace(self, _environment={**self._environment, **variables})

    def with_plugins(self, *plugins: object, **named: object) -> "ApplicationRunner":
        """Add plugins as if packages brought them.

        Args:
            plugins: Modules, classes and objects with hookimpls, single components, or the places
                of these as text, `acme_arc.plugin`.
            named: The same, by the name that `plugins.settings` knows.
        """
        unnamed = tuple((_plugin_name(each), each) for each in plugins)
        return replace(self, _plugins=(*self._plugins, *unnamed, *named.items()))

    def with_components(self, *components: object) -> "ApplicationRunner":
        """Add what `Application(register=[…])` would be given."""
        return replace(self, _components=(*self._components, *components))

    def with_deps(self, *types: type) -> "ApplicationRunner":
        """Declare the types of deps, as `Application(deps=…)` does."""
        return replace(self, _deps=(*self._deps, *types))

    def with_installed_plugins(self) -> "ApplicationRunner":
        """See the plugins of installed packages, too."""
        return replace(self, _sees_installed=True)

    def without_package(self, *names: str) -> "ApplicationRunner":
        """Decide as if packages were not installed, their plugins included."""
        return replace(self, _missing=self._missing | {normalize_name(name) for name in names})

    @overload
    def run(self, use: Callable[[Application], Coroutine[Any, Any, T]]) -> T: ...

    @overload
    def run(self, use: Callable[[Application], T]) -> T: ...

    def run(self, use: Callable[[Application], Any]) -> Any:
        """Start the application, use it, close it.

        Args:
            use: Gets the started application; what it gives is awaited where it can be.

        Returns:
            What `use` gives.

        Raises:
            ConfigurationError: It cannot start.
            ApplicationStateError: An event loop is running.
        """
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            with asyncio.Runner() as loop:
                return loop.run(self._start_and_use(use))
        raise ApplicationStateError(
            "ApplicationRunner.run cannot be used inside a running event loop",
            remedy="use `async with runner.start() as app:` there",
        )

    @asynccontextmanager
    async def start(self) -> AsyncIterator[Application]:
        """The started application, for tests that have an event loop."""
        with self._variables():
            async with self.application() as app:
                yield app

    def application(self) -> Application:
        """The application, not started.

        Raises:
            ConfigurationError: Something contradicts itself, or does not exist.
        """
        settings = ArcSettings(_isolated=True, **self._settings)
        facts = ConditionFacts(
            settings=settings, environment=self._environment, version_of=self._find_version
        )
        found = self._discovery(settings)
        wiring = decide_wiring(found, self._components, facts=facts, deps=self._deps)
        return _DescribedApplication(settings, wiring)

    def report(self) -> ConditionReport:
        """Decide, and import every winner."""
        app = self.application()
        app.load()
        return app.report

    def check_winner(self, interface: type, name: str, *, because: str = "") -> "ApplicationRunner":
        """Check that a component is used, for a reason that contains `because`.

        Raises:
            AssertionError: It is not; with the whole report.
        """
        report = self.report()
        decision = report.decision(interface)
        names = [winner.name for winner in decision.winners]
        assert name in names, f"{name} is not used for {interface.__name__}:\n{report}"
        assert because in decision.reason, f"{name} is used, but {decision.reason}:\n{report}"
        return self

    def check_loser(self, interface: type, name: str, *, because: str = "") -> "ApplicationRunner":
        """Check that a component is offered and not used, for a reason that contains `because`.

        Raises:
            AssertionError: It is not offered, or is used, or the reason is another one; with the
                whole report.
        """
        report = self.report()
        losers = report.decision(interface).losers
        reasons = [loser.reason for loser in losers if loser.candidate.name == name]
        assert reasons, f"{name} is not a loser for {interface.__name__}:\n{report}"
        assert any(because in each for each in reasons), f"{name} is not used, but {reasons}"
        return self

    async def _start_and_use(self, use: Callable[[Application], Any]) -> Any:
        async with self.start() as app:
            given = use(app)
            return await given if inspect.isawaitable(given) else given

    def _discovery(self, settings: ArcSettings) -> Discovery:
        own = {fold_name(name) for name, _ in self._plugins}
        others = {
            name: table
            for name, table in settings.plugins.settings.items()
            if fold_name(name) not in own
        }
        found = discover(
            settings.plugins.model_copy(update={"settings": others}),
            third_party=self._sees_installed,
            installed=self._find_installed,
        )
        registries = [
            (name, plugin, _registry(name, plugin, found.places)) for name, plugin in self._plugins
        ]
        handed = ((cls, one.origin) for _, _, one in registries for cls in one.deps)
        return Discovery(
            found.places,
            (*found.candidates, *(each for _, _, one in registries for each in one.candidates)),
            (*found.plugins, *(_plugin(name, plugin) for name, plugin, _ in registries)),
            deps=(*found.deps, *handed),
        )

    def _find_installed(self, groups: Collection[str]) -> tuple[EntryPointLine, ...]:
        installed = installed_entry_points(groups)
        return tuple(each for each in installed if each.distribution not in self._missing)

    def _find_version(self, package: str) -> str | None:
        return None if normalize_name(package) in self._missing else get_installed_version(package)

    @contextmanager
    def _variables(self) -> Iterator[None]:
        before = {name: os.environ.get(name) for name in self._environment}
        os.environ.update(self._environment)
        try:
            yield
        finally:
            for name, value in before.items():
                if value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value


class _DescribedApplication(Application):
    """An application of which a runner has found and decided everything."""

    def __init__(self, settings: ArcSettings, wiring: Wiring) -> None:
        self._wiring = wiring
        super().__init__(settings)

    def _decide(self, *_: object, **__: object) -> Wiring:
        return self._wiring


def _put(settings: dict[str, Any], path: list[str], value: Any) -> None:
    *sections, last = path
    for section in sections:
        settings[section] = settings = dict(settings.get(section, {}))
    is_table = isinstance(value, Mapping)
    settings[last] = {**settings.get(last, {}), **value} if is_table else value


def _registry(name: str, plugin: object, places: Sequence[ExtensionPoint]) -> CandidateRegistry:
    registry = CandidateRegistry(Origin(source=Source.PLUGIN, plugin=name))
    if isinstance(plugin, str):
        register_plugin(plugin, registry, places)
    else:
        register_loaded(plugin, registry, places)
    return registry


def _plugin(name: str, plugin: object) -> Plugin:
    reference = plugin if isinstance(plugin, str) else repr(plugin)
    return Plugin(name=name, known_as=name, reference=reference)


def _plugin_name(plugin: object) -> str:
    if isinstance(plugin, str):
        return plugin
    return plugin.__name__ if isinstance(plugin, ModuleType) else get_name(plugin)
