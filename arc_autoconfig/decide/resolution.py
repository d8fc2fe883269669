"""Decide: who fills each slot and who takes part in each contribution, and why.

Pure: candidates and facts in, decisions out. Nothing is imported, built or remembered.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from arc_autoconfig.decide.conditions import (
    AboutOthers,
    ConditionFacts,
    asks_about,
    setting_at,
    unmet,
)
from arc_autoconfig.decide.contributions import (
    by_name,
    check_components,
    decide_contribution,
    repeated_among,
)
from arc_autoconfig.decide.decisions import (
    STEPPED_BACK,
    UNDECIDED,
    Decisions,
    WiringDecision,
    as_losers,
)
from arc_autoconfig.decide.slot_choice import decide_entries, decide_slot, stands_in
from arc_autoconfig.declare.candidates import Candidate, Source
from arc_autoconfig.errors import AmbiguousComponentError, ConditionCycleError
from arc_core.components.extension_points import ExtensionPoint, Slot, get_place
from arc_core.conditions import AllOf, OnComponent, OnMissing, OnWinner


def resolve(
    candidates: Iterable[Candidate],
    facts: ConditionFacts,
    places: Iterable[ExtensionPoint],
    *,
    left_out: Sequence[str] = (),
    loaded: Mapping[Candidate, object] | None = None,
) -> Decisions:
    """Decide every place; one that several want and none is chosen for has its problem noted."""
    places = tuple(places)
    check_components(places, facts, left_out=left_out)
    resolver = _Resolver(candidates, facts, loaded or {})
    return {place.name: resolver.resolve(place) for place in places}


class _Resolver:
    """Decides places on demand, since conditions ask about other places."""

    def __init__(
        self,
        candidates: Iterable[Candidate],
        facts: ConditionFacts,
        loaded: Mapping[Candidate, object],
    ) -> None:
        self._facts, self._unset_facts, self._loaded = facts, facts.unset(), loaded
        self._candidates = tuple(candidates)
        self._decided: Decisions = {}
        self._deciding: list[ExtensionPoint] = []
        self._offers: defaultdict[str, list[Candidate]] = defaultdict(list)
        self._wrappers: defaultdict[str, list[Candidate]] = defaultdict(list)
        for candidate in self._candidates:
            offered = self._wrappers if candidate.is_wrapper else self._offers
            if not stands_in(candidate, facts):
                offered[candidate.place.name].append(candidate)

    def resolve(self, place: ExtensionPoint) -> WiringDecision:
        """Decide a place, once."""
        if place.name not in self._decided:
            if place in self._deciding:
                raise _cycle([*self._deciding[self._deciding.index(place) :], place])
            self._deciding.append(place)
            self._decided[place.name] = self._with_wrappers(self._decision(place))
            self._deciding.pop()
        return self._decided[place.name]

    def _with_wrappers(self, decision: WiringDecision) -> WiringDecision:
        offered = by_name(self._wrappers[decision.place.name])
        reasons = self._reasons_against(offered, decision.place)
        wrappers = [each for each in offered if each not in reasons]
        reasons |= repeated_among(wrappers, loaded=self._loaded)
        wrappers = [each for each in offered if each not in reasons]
        return replace(
            decision,
            wrappers=tuple(sorted(wrappers, key=lambda each: each.order)),
            losers=(*decision.losers, *as_losers(reasons)),
            entries=self._entries(decision.place),
        )

    def _entries(self, place: ExtensionPoint) -> tuple[Candidate, ...]:
        def resolve(candidates: Sequence[Candidate], facts: ConditionFacts) -> WiringDecision:
            return _Resolver(candidates, facts, self._loaded).resolve(place)

        return decide_entries(place, self._candidates, facts=self._facts, decide=resolve)

    def _decision(self, place: ExtensionPoint) -> WiringDecision:
        offers, reasons = self._judge(place)
        if isinstance(place, Slot):
            return self._slot_decision(place, offers, reasons)
        return decide_contribution(place, offers, reasons, facts=self._facts, loaded=self._loaded)

    def _slot_decision(
        self, slot: Slot, offers: Sequence[Candidate], reasons: Mapping[Candidate, str]
    ) -> WiringDecision:
        taking_part = [each for each in offers if each not in reasons]
        losers = as_losers(reasons)
        try:
            return decide_slot(slot, taking_part, losers=losers, facts=self._facts)
        except AmbiguousComponentError as error:  # an override may settle it before the start
            rivals = as_losers(dict.fromkeys(by_name(taking_part), UNDECIDED))
            return WiringDecision(place=slot, losers=(*rivals, *losers), problem=error)

    def _judge(self, place: ExtensionPoint) -> tuple[list[Candidate], dict[Candidate, str]]:
        """Return what is offered, and why some of it cannot be used by its own conditions."""
        offers = self._offers[place.name]
        if not place.is_named_by_members:
            offers = by_name(offers)
        switch = place.enabled_by
        if switch is not None and not setting_at(self._facts.settings, switch):
            return offers, dict.fromkeys(offers, f"{switch} is false")
        reasons: dict[Candidate, str] = {}
        is_taken = False
        for asks in (False, True):  # one that asks about its own place is judged last
            asked = [each for each in offers if asks_about(each.condition, place.asked_as) is asks]
            reasons.update(self._reasons_against(asked, place, is_taken=is_taken))
            is_taken = any(
                each not in reasons and not self._is_default(each, place, is_taken=is_taken)
                for each in asked
            )
        return offers, {each: reasons[each] for each in offers if each in reasons}

    def _is_default(
        self, candidate: Candidate, place: ExtensionPoint, *, is_taken: bool = False
    ) -> bool:
        """Return True for Arc's own, if no setting and no key has asked for it."""
        if candidate.origin.source is not Source.DEFAULT:
            return False
        answer = partial(self._answer, place=place, is_taken=is_taken)
        return not unmet(candidate.condition, self._unset_facts, answer)

    def _answer(self, asked: AboutOthers, *, place: ExtensionPoint, is_taken: bool) -> bool:
        """Answer what a candidate for a place asks about others; `is_taken` is about its own."""
        if isinstance(asked, OnWinner):
            winner = self.resolve(get_place(asked.interface)).winner
            return winner is not None and winner.name == asked.name
        if asked.interface != place.asked_as:
            decision = self.resolve(get_place(asked.interface))
            is_taken = decision.problem is not None or not all(
                self._is_default(each, decision.place) for each in decision.winners
            )
        return is_taken is isinstance(asked, OnComponent)

    def _reasons_against(
        self, candidates: Sequence[Candidate], place: ExtensionPoint, *, is_taken: bool = False
    ) -> dict[Candidate, str]:
        reasons: dict[Candidate, str] = {}
        answer = partial(self._answer, place=place, is_taken=is_taken)
        for candidate in candidates:
            culprits = unmet(candidate.condition, self._facts, answer)
            if culprits:
                steps_back = OnMissing(candidate.place.asked_as)
                more = [culprit for culprit in culprits if culprit != steps_back]
                reasons[candidate] = f"condition not met: {AllOf(more)}" if more else STEPPED_BACK
        return reasons


def _cycle(places: Sequence[ExtensionPoint]) -> ConditionCycleError:
    return ConditionCycleError(
        "conditions depend on each other",
        evidence=[" asks about ".join(place.name for place in places)],
        remedy="remove one of these conditions, or disable the plugin that brings it",
    )
