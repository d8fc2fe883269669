"""Decide: who fills each slot and who takes part in each contribution, and why.

Pure: candidates and facts in, decisions out. Nothing is imported, built or remembered.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from arc_autoconfig.decide.conditions import ConditionFacts, asks_about, setting_at, unmet
from arc_autoconfig.decide.decisions import (
    NOT_UNIQUE,
    STEPPED_BACK,
    UNDECIDED,
    Decisions,
    Loser,
    WiringDecision,
)
from arc_autoconfig.decide.entries import decide_entries, stands_in
from arc_autoconfig.decide.exclusion import (
    check_components,
    check_listed_names,
    excluded_among,
    replaced_among,
    unmatched_among,
)
from arc_autoconfig.decide.namesakes import outranked_among, repeated_among, shared_name
from arc_autoconfig.decide.ordering import as_registered, by_name
from arc_autoconfig.decide.slot_choice import decide_slot
from arc_autoconfig.declare.candidates import Candidate, Source
from arc_autoconfig.errors import AmbiguousComponentError, ConditionCycleError
from arc_core.components.extension_points import Contribution, ExtensionPoint, Slot, get_place
from arc_core.conditions import AllOf, OnMissing


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
        others = _Others(resolver=self, place=decision.place, is_taken=False)
        reasons = self._reasons_against(offered, others)
        wrappers = [each for each in offered if each not in reasons]
        reasons |= repeated_among(wrappers, loaded=self._loaded)
        wrappers = [each for each in offered if each not in reasons]
        return replace(
            decision,
            wrappers=tuple(sorted(wrappers, key=lambda each: each.order)),
            losers=(*decision.losers, *_as_losers(reasons)),
            entries=self._entries(decision.place),
        )

    def _entries(self, place: ExtensionPoint) -> tuple[Candidate, ...]:
        if not isinstance(place, Slot):
            return ()
        return decide_entries(
            place,
            self._candidates,
            facts=self._facts,
            decide=lambda candidates, facts: _Resolver(candidates, facts, self._loaded).resolve(
                place
            ),
        )

    def _decision(self, place: ExtensionPoint) -> WiringDecision:
        offers, reasons = self._judge(place)
        if isinstance(place, Slot):
            taking_part = [each for each in offers if each not in reasons]
            return self._slot_decision(place, taking_part, _as_losers(reasons))

        def remaining() -> list[Candidate]:
            return [each for each in offers if each not in reasons]

        settings = self._facts.settings.plugins
        check_listed_names(place, offers, self._facts)
        excluded = excluded_among(place, offers, self._facts)
        reasons = {each: why for each, why in reasons.items() if each not in excluded} | excluded
        reasons |= repeated_among(remaining(), loaded=self._loaded, excluded=excluded)
        unmatched = unmatched_among(remaining(), offers=offers, settings=settings)
        if not place.fails_closed:  # where it does, what was to replace something checks beside it
            reasons |= {each: f"quarantined: {why}" for each, why in unmatched.items()}
        reasons |= replaced_among(remaining(), required=settings.required)
        reasons |= outranked_among(place, remaining())
        taking_part, losers = remaining(), _as_losers(reasons)
        problem = shared_name(place, taking_part)
        if problem is not None:  # an override may settle it before the start
            waiting = [Loser(candidate=each, reason=NOT_UNIQUE) for each in by_name(taking_part)]
            return _leave_undecided(place, (*waiting, *losers), problem)
        arranged = as_registered if place.is_named_by_members else by_name
        return WiringDecision(
            place=place,
            winners=tuple(arranged(taking_part)),
            losers=losers,
            reason="",
            unmatched=_as_losers(unmatched),
        )

    def _slot_decision(
        self, slot: Slot, taking_part: Sequence[Candidate], losers: Sequence[Loser]
    ) -> WiringDecision:
        try:
            return decide_slot(slot, taking_part, losers=losers, facts=self._facts)
        except AmbiguousComponentError as error:  # an override may settle it before the start
            rivals = [Loser(candidate=each, reason=UNDECIDED) for each in by_name(taking_part)]
            return _leave_undecided(slot, (*rivals, *losers), error)

    def _judge(self, place: ExtensionPoint) -> tuple[list[Candidate], dict[Candidate, str]]:
        """Return what is offered, and why some of it cannot be used by its own conditions."""
        offers = self._offers[place.name]
        if not (isinstance(place, Contribution) and place.is_named_by_members):
            offers = by_name(offers)
        switch = place.enabled_by if isinstance(place, Contribution) else None
        if switch is not None and not setting_at(self._facts.settings, switch):
            return offers, dict.fromkeys(offers, f"{switch} is false")
        reasons: dict[Candidate, str] = {}
        is_taken = False
        for asks in (False, True):  # one that asks about its own place is judged last
            others = _Others(resolver=self, place=place, is_taken=is_taken)
            asked = [each for each in offers if asks_about(each.condition, place.asked_as) is asks]
            reasons.update(self._reasons_against(asked, others))
            is_taken = any(
                each not in reasons and not self.is_default(each, others) for each in asked
            )
        return offers, {each: reasons[each] for each in offers if each in reasons}

    def is_default(self, candidate: Candidate, others: "_Others") -> bool:
        """Return True for Arc's own, if no setting and no key has asked for it."""
        if candidate.origin.source is not Source.DEFAULT:
            return False
        return not unmet(candidate.condition, self._unset_facts, others)

    def _reasons_against(
        self, candidates: Sequence[Candidate], others: "_Others"
    ) -> dict[Candidate, str]:
        reasons: dict[Candidate, str] = {}
        for candidate in candidates:
            culprits = unmet(candidate.condition, self._facts, others)
            if culprits:
                steps_back = OnMissing(candidate.place.asked_as)
                more = [culprit for culprit in culprits if culprit != steps_back]
                reasons[candidate] = f"condition not met: {AllOf(more)}" if more else STEPPED_BACK
        return reasons


@dataclass(frozen=True, slots=True, kw_only=True)
class _Others:
    """Answers what the conditions of one place's candidates ask."""

    resolver: _Resolver
    place: ExtensionPoint
    is_taken: bool

    def is_there(self, interface: type) -> bool:
        """Return True if there is a component of an interface besides Arc's default."""
        if interface == self.place.asked_as:
            return self.is_taken
        decision = self._decide(interface)
        asked = replace(self, place=decision.place, is_taken=False)
        is_default = self.resolver.is_default
        return decision.problem is not None or not all(
            is_default(each, asked) for each in decision.winners
        )

    def get_winner(self, interface: type) -> str | None:
        """The name of the component that fills a slot."""
        winner = self._decide(interface).winner
        return winner.name if winner is not None else None

    def _decide(self, interface: type) -> WiringDecision:
        return self.resolver.resolve(get_place(interface))


def _as_losers(reasons: Mapping[Candidate, str]) -> tuple[Loser, ...]:
    return tuple(Loser(candidate=each, reason=why) for each, why in reasons.items())


def _leave_undecided(
    place: ExtensionPoint, losers: tuple[Loser, ...], problem: AmbiguousComponentError
) -> WiringDecision:
    return WiringDecision(place=place, winners=(), losers=losers, reason="", problem=problem)


def _cycle(places: Sequence[ExtensionPoint]) -> ConditionCycleError:
    return ConditionCycleError(
        "conditions depend on each other",
        evidence=[" asks about ".join(place.name for place in places)],
        remedy="remove one of these conditions, or disable the plugin that brings it",
    )
