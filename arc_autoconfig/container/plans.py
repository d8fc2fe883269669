"""The plans by which components are made, worked out once for every scope."""

from collections.abc import Collection, Iterable, Iterator
from functools import partial
from typing import Any

from arc_autoconfig.container.deps_types import DepsTypes
from arc_autoconfig.container.injection import parse_annotation, read_needs
from arc_autoconfig.container.needs import (
    ComponentsByName,
    DepsOf,
    Group,
    Need,
    OneComponent,
    Plan,
    PlannedComponent,
    What,
)
from arc_autoconfig.container.overrides import ContainerOverrides
from arc_autoconfig.decide.wiring import Wiring
from arc_autoconfig.declare.candidates import Candidate
from arc_autoconfig.declare.component_fit import is_built, is_maker
from arc_core.components.registration import Scope as Lifetime

__all__ = ["Plans", "find_needed_deps"]


class Plans:
    """Reads the needs of candidates, and tells in which scope each of them is made.

    Args:
        wiring: The decisions.
        overrides: The components that the user has put in the place of others.
        services: The types that are offered as services.
        deps: The types of what callers hand to runs.
    """

    def __init__(
        self,
        wiring: Wiring,
        overrides: ContainerOverrides,
        *,
        services: Collection[Any],
        deps: DepsTypes,
    ) -> None:
        self._wiring, self._overrides = wiring, overrides
        self._services, self._deps = services, deps
        self._known: dict[Candidate, Plan] = {}

    def get(self, candidate: Candidate) -> Plan:
        """Return the plan of a candidate; read once, since that takes long.

        Raises:
            ConfigurationError: It cannot be imported, or a parameter cannot be filled.
        """
        if candidate not in self._known:
            self._known[candidate] = self._read(candidate)
        return self._known[candidate]

    def _read(self, candidate: Candidate) -> Plan:
        factory: Any = self._wiring.component_of(candidate)
        if is_built(factory, candidate.place.interface):
            return Plan(candidate, factory, is_instance=True)
        needs = read_needs(
            factory,
            owner=candidate.owner,
            services=self._services,
            wrapped=candidate.place.asked_as if candidate.is_wrapper else None,
            deps=partial(self._deps.asked_by, owner=candidate),
        )
        return Plan(candidate, factory, needs, is_function=is_maker(factory))

    def parse(self, annotation: Any, owner: Candidate) -> What | None:
        """Return what an annotation asks for in a run; None for anything that Arc does not have."""
        deps = self._deps.asked_by(annotation, owner, in_run=True)
        return deps or parse_annotation(annotation, self._services)

    def find(self, one: OneComponent) -> Candidate | None:
        """Return the winner of a slot, or what is offered for it under a name."""
        if one.name is not None:
            offers = self._wiring.offers(one.place)
            return next((each for each in offers if each.name == one.name), None)
        decision = self._wiring.decisions.get(one.place.name)
        return None if decision is None else decision.winner

    def is_winner(self, candidate: Candidate) -> bool:
        """Return True for a candidate that fills its slot."""
        return self._wiring.decisions[candidate.place.name].winner is candidate

    def find_in_run(self, one: OneComponent) -> Candidate | None:
        """Return what a run makes for itself; None for a component of the application."""
        candidate = self.find(one)
        if candidate is None or candidate.scope is Lifetime.APPLICATION:
            return None
        is_overridden = self._overrides.of(one.place.name) is not None
        return None if is_overridden and self.is_winner(candidate) else candidate

    def is_of_run(self, one: OneComponent) -> bool:
        """Return True for a component that only runs have."""
        candidate = self.find_in_run(one)
        return candidate is not None and candidate.scope is Lifetime.RUN

    def find_named(self, what: ComponentsByName) -> tuple[Candidate, ...]:
        """Return what could fill a slot and is asked for, its winner first."""
        usable = self._wiring.usable(what.place)
        return tuple(each for each in usable if each.entry is not None or not what.is_listed)


def find_needed_deps(need: Need) -> Iterator[type]:
    """Return the types of which a run must be handed a value, for a parameter to be filled."""
    match need.what:
        case DepsOf() as deps:
            if not (deps.is_optional or need.has_default or deps.otherwise is not None):
                yield deps.cls
        case PlannedComponent(plan):
            for each in (plan, *plan.wrappers):
                yield from _find_in(each.needs)
        case Group(_, needs):
            yield from _find_in(needs)


def _find_in(needs: Iterable[Need]) -> Iterator[type]:
    for each in needs:
        yield from find_needed_deps(each)
