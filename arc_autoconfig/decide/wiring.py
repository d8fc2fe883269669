"""The candidates of one application, what was decided of them, and their loaded components."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any

from arc_autoconfig.containment import Contained
from arc_autoconfig.decide.conditions import ConditionFacts
from arc_autoconfig.decide.contributions import repeated_among
from arc_autoconfig.decide.decisions import Decisions, Loser
from arc_autoconfig.decide.resolution import resolve
from arc_autoconfig.declare.candidates import Candidate, Reference, Source
from arc_autoconfig.declare.component_fit import find_offer_problem
from arc_autoconfig.declare.interfaces import all_places
from arc_autoconfig.declare.plugins import Discovery, Fault, PluginState, quarantine
from arc_autoconfig.declare.registration import agents_in_settings, deps_among, read_candidates
from arc_autoconfig.errors import ComponentError, describe_cause, locate_source
from arc_core.components.extension_points import Contribution, ExtensionPoint, Slot
from arc_core.log import get_logger

logger = get_logger("plugins")


class Wiring:
    """Decides at once; imports what won at `load`, and decides again without what is broken."""

    def __init__(
        self,
        *,
        discovery: Discovery,
        registered: Sequence[Candidate],
        facts: ConditionFacts,
        deps: Sequence[type] = (),
    ) -> None:
        own = [cls for cls, origin in discovery.deps if origin.distribution is None]
        self.declares_all_deps = bool(deps or own)
        self.deps: tuple[Any, ...] = (*deps, *(cls for cls, _ in discovery.deps))
        self._candidates = [*discovery.candidates, *registered]
        self.places: tuple[ExtensionPoint, ...] = all_places(discovery.places, self._candidates)
        self._left_out = discovery.left_out
        self.plugins = discovery.plugins
        self._facts = facts
        self._loaded: dict[Candidate, object] = {}
        self.decisions: Decisions = self._resolve()
        self._demanded: set[str] = set()
        self._unmatched: set[Candidate] = set()
        self._record_unmatched()

    def load(self, *, overridden: Collection[str] = ()) -> None:
        """Import every component that won; what lost or is overridden is never imported."""
        while (broken := self._first_broken(overridden)) is not None:
            candidate, fault = broken
            self._leave_out(candidate, fault)
            self.decisions = self._resolve()
            self._record_unmatched()
        if self._has_duplicates():
            self.decisions = self._resolve()
        for decision in self.decisions.values():
            if decision.problem is not None and decision.place.name not in overridden:
                raise decision.problem

    def demand(self, place: ExtensionPoint) -> None:
        """Have `load` import also the components of a place that are there on demand only."""
        self._demanded.add(place.name)

    def is_postponed(self, place: ExtensionPoint) -> bool:
        """Return True if a place has its components on demand only, and nothing has asked."""
        return place.is_on_demand and place.name not in self._demanded

    def get_component(self, candidate: Candidate) -> object:
        """The instance, class or function of a candidate, imported."""
        if candidate not in self._loaded and (fault := self._load(candidate)) is not None:
            raise _unusable_error(candidate, fault)
        return self._loaded[candidate]

    def offers(self, place: Slot) -> tuple[Candidate, ...]:
        """All that is offered for a slot: its winner, what could be used, the rest."""
        decision = self.decisions.get(place.name)
        if decision is None:
            return ()
        losers = sorted(decision.losers, key=lambda each: not each.is_able)
        offered = (each.candidate for each in losers if not each.candidate.is_wrapper)
        return (*decision.winners, *decision.entries, *offered)

    def usable(self, place: Slot) -> tuple[Candidate, ...]:
        """Return what is offered for a slot and could be used, its winner first."""
        decision = self.decisions[place.name]
        able = (each.candidate for each in decision.losers if each.is_able)
        return (*decision.winners, *able, *decision.entries)

    def _resolve(self) -> Decisions:
        known, left_out = self._loaded, self._left_out
        return resolve(self._candidates, self._facts, self.places, left_out=left_out, loaded=known)

    def _has_duplicates(self) -> bool:
        """Return True if two components of one place are the same, now that they are there."""
        decided = self.decisions.values()
        several = [each.winners for each in decided if isinstance(each.place, Contribution)]
        several += [each.wrappers for each in decided]
        return any(repeated_among(each, loaded=self._loaded) for each in several)

    def _record_unmatched(self) -> None:
        """Say of each contribution that replaces what there is not, once, that it does."""
        for decision in self.decisions.values():
            for each in decision.unmatched:
                if each.candidate not in self._unmatched:
                    self._unmatched.add(each.candidate)
                    is_used = each.candidate in decision.winners
                    self._report_unmatched(each, is_used=is_used)

    def _report_unmatched(self, unmatched: Loser, *, is_used: bool) -> None:
        candidate = unmatched.candidate
        name, origin = f"{candidate.place.name}: {candidate.name}", candidate.origin
        plugin = next((each for each in self.plugins if each.has_brought(candidate)), None)
        becomes = "takes part beside the others" if is_used else "is left out"
        cause = f"{name} {becomes}: {unmatched.reason}"
        if plugin is not None:
            brought = plugin.brought if is_used else [one for one in plugin.brought if one != name]
            noted = replace(plugin, cause=cause, brought=tuple(brought))
            self.plugins = tuple(noted if each is plugin else each for each in self.plugins)
        message = f"{cause}; install what it replaces, or update {candidate.origin}"
        logger.warning(message, plugin=origin.plugin, distribution=origin.distribution)

    def _first_broken(self, overridden: Collection[str]) -> tuple[Candidate, Fault] | None:
        for decision in self.decisions.values():
            if self.is_postponed(decision.place):
                continue
            winners = () if decision.place.name in overridden else decision.winners
            for candidate in (*winners, *decision.wrappers):
                if candidate not in self._loaded and (fault := self._load(candidate)) is not None:
                    return candidate, fault
        return None

    def _load(self, candidate: Candidate) -> Fault | None:
        """Import a component; returns what is wrong with it, None if it is good."""
        component = candidate.component
        if isinstance(component, Reference):
            loaded, problem = component, None
            with Contained() as attempt:
                component = loaded.load()
                interface, wraps = candidate.place.interface, candidate.is_wrapper
                problem = find_offer_problem(component, interface, wraps=wraps)
            if attempt.error is not None:
                return Fault(describe_cause(attempt.error), attempt.error)
            if problem is not None:
                return Fault(f"{problem} ({locate_source(component)})")
        self._loaded[candidate] = component
        return None

    def _leave_out(self, candidate: Candidate, fault: Fault) -> None:
        plugin = next((each for each in self.plugins if each.has_brought(candidate)), None)
        if plugin is None or candidate.origin.source is Source.DEFAULT:
            raise _unusable_error(candidate, fault)
        brought = [each for each in self._candidates if plugin.has_brought(each)]
        is_guard = any(each.place.fails_closed for each in brought)
        # Even if nothing can start without it, the report says that it is broken.
        broken = replace(plugin, state=PluginState.QUARANTINED, cause=fault.cause, brought=())
        self.plugins = tuple(broken if each is plugin else each for each in self.plugins)
        quarantine(plugin, self._facts.settings.plugins, fault=fault, is_guard=is_guard)
        self._candidates = [each for each in self._candidates if each not in brought]


def _unusable_error(candidate: Candidate, fault: Fault) -> ComponentError:
    error = ComponentError(
        f"{candidate.place.name}: {candidate} cannot be used",
        evidence=[fault.cause, f"its place: {candidate.reference}"],
        remedy="install what it needs, or correct its place",
    )
    error.__cause__ = fault.error
    return error


def decide_wiring(
    discovery: Discovery,
    register: Sequence[object],
    *,
    facts: ConditionFacts,
    deps: Iterable[type] = (),
) -> Wiring:
    """Decide what is wired, of what was found and of what a program registers."""
    own = read_candidates(register, discovery.places)
    return Wiring(
        discovery=discovery,
        registered=[*own, *agents_in_settings(facts.settings)],
        facts=facts,
        deps=(*deps, *deps_among(register)),
    )
