"""The face of an application that tells of its wiring, before its start and afterwards."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from arc_autoconfig.container.application_scope import ApplicationScope
from arc_autoconfig.container.overrides import ContainerOverrides
from arc_autoconfig.decide.decisions import with_overrides
from arc_autoconfig.decide.wiring import Wiring
from arc_autoconfig.errors import NotOpenError
from arc_autoconfig.explain.report import ConditionReport, with_faults
from arc_autoconfig.explain.wired import WiredComponent, wired_components
from arc_core.agents.agent import Agent
from arc_core.components.extension_points import Contribution, place_of
from arc_core.errors import ConfigurationError

__all__ = ["ExplainsWiring"]


class ExplainsWiring:
    """Says what is wired and why, and builds without starting, so that more can be said."""

    _wiring: Wiring
    _overrides: ContainerOverrides
    _builder: ApplicationScope

    @property
    def report(self) -> ConditionReport:
        """The decisions and their reasons, overrides included."""
        decisions = with_overrides(self._wiring.decisions, self._overrides.current())
        arranged = self._builder.arranged
        ordered = (
            replace(each, winners=arranged[name]) if name in arranged else each
            for name, each in decisions.items()
        )
        plugins = with_faults(self._wiring.plugins, self._builder.faults)
        return ConditionReport(tuple(ordered), plugins)

    def load(self) -> None:
        """Import what won, without building or starting it; may be left out.

        Shows in the report what breaks at import, and decides again without it.

        Raises:
            ConfigurationError: A slot is ambiguous, or what is broken must not be left out.
        """
        self._wiring.load(overridden=self._overrides.current().keys())

    def arrange(self) -> None:
        """Build the contributions, so that the report has them in the order in which they work.

        One that cannot be built stays in the order of names; a start says what is wrong with it.
        """
        for place in self._wiring.places:
            if isinstance(place, Contribution):
                try:
                    self._builder.component(place.name)
                except ConfigurationError:
                    continue

    def agents(self) -> tuple[Agent, ...]:
        """The agents; before the start, those that can be made without one.

        Raises:
            ConfigurationError: One of them cannot be built.
        """
        place = place_of(Agent)
        assert isinstance(place, Contribution), "Agent declares one"
        try:
            found: tuple[Agent, ...] = self._builder.component(place.name)
        except NotOpenError:  # of what an agent asks for in a run, or is made with
            is_overridden = self._overrides.of(place.name) is not None
            make = self._overrides.make if is_overridden else self._builder.make_as_offered
            found = tuple(make(place.name))
        return found

    def provides(self, kind: Callable[..., Any]) -> bool:
        """Say whether there is a component of an interface, or a service of a type."""
        name = place_of(kind).name
        return any(place.name == name for place in self._wiring.places)

    def component(self, kind: Callable[..., Any]) -> Any:
        """Return the component of an interface, or all of a contribution, or the service of a type.

        None if nothing provides it. `container.of(kind)()` gives the same and lets it be
        overridden, but takes long to import.

        Raises:
            NotOpenError: It can only be had once the application has started.
            ConfigurationError: It cannot be imported or built, or there is one for each run.
        """
        return self._builder.component(place_of(kind).name) if self.provides(kind) else None

    def find_faults(self) -> None:
        """Build each component by itself, so that the report says which plugins are broken."""
        self.load()
        self._builder.find_faults()

    def build(self) -> tuple[WiredComponent, ...]:
        """Build every component that is not built yet, without starting any.

        Returns:
            All of them, slots first.

        Raises:
            ConfigurationError: A component cannot be imported or built.
        """
        self._builder.build_all()
        return wired_components(
            self.report.decisions,
            made=self._builder.made,
            needs=self._builder.needs,
            overrides=self._overrides.components(),
            can_do_without=self._builder.sections.can_do_without,
        )

    @property
    def plugin_sections(self) -> Mapping[str, object]:
        """The sections below `plugins.settings` that built components have got, by their name."""
        return self._builder.sections.own
