"""Decide the components that a table of the settings lists: who makes each of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from arc_autoconfig.decide.conditions import ConditionFacts, setting_at
from arc_autoconfig.decide.decisions import UNDECIDED, WiringDecision
from arc_autoconfig.decide.ordering import by_name
from arc_autoconfig.declare.candidates import Candidate, Entry, Source
from arc_autoconfig.errors import AmbiguousComponentError, ComponentError, UnknownNameError
from arc_autoconfig.settings.entries import choice_in, list_entries, settings_of_entry
from arc_core.components.extension_points import Slot
from arc_core.settings import Section

Decide = Callable[[Sequence[Candidate], ConditionFacts], WiringDecision]
"""Decides a slot among some candidates, as other settings have it."""


def stands_in(candidate: Candidate, facts: ConditionFacts) -> bool:
    """Return True if a program registers a component for an entry, whose name it has."""
    is_in_code = candidate.origin.source is Source.CODE and not candidate.is_wrapper
    return is_in_code and candidate.name in list_entries(facts.settings, candidate.place)


def decide_entries(
    slot: Slot, candidates: Sequence[Candidate], *, facts: ConditionFacts, decide: Decide
) -> tuple[Candidate, ...]:
    """A candidate for each entry, by name: what the program registers for it, else who makes it.

    An entry is made by what would fill the slot if the settings had what it says; only what a
    program registers for the slot is not asked, unless the entry names it.
    """
    listed = [
        _Listed(slot, name, section)
        for name, section in sorted(list_entries(facts.settings, slot).items())
    ]
    return tuple(_decide_one(each, candidates, facts=facts, decide=decide) for each in listed)


@dataclass(frozen=True, slots=True)
class _Listed:
    """One entry of the table of a slot."""

    slot: Slot
    name: str
    section: Section

    @property
    def setting(self) -> str:
        """The entry's dotted key."""
        return f"{self.slot.instances}.{self.name}"

    @property
    def choice(self) -> str:
        """The setting that chooses what makes it."""
        return f"{self.setting}.{(self.slot.choice or '').rpartition('.')[2]}"


def _decide_one(
    listed: _Listed, candidates: Sequence[Candidate], *, facts: ConditionFacts, decide: Decide
) -> Candidate:
    slot, name = listed.slot, listed.name
    offers = [each for each in candidates if each.place == slot and not each.is_wrapper]
    namesakes = [each for each in offers if each.name == name]
    _check_name(listed, namesakes)
    if namesakes:
        return replace(namesakes[0], entry=Entry(setting=listed.setting, name=name, maker=None))
    settings = settings_of_entry(facts.settings, slot, name)
    chosen, known = choice_in(listed.section, slot), [each.name for each in offers]
    if chosen is not None and chosen not in known:
        raise UnknownNameError(setting=listed.choice, name=chosen, known=known)
    wanted = setting_at(settings, slot.choice or "")
    decision = decide(
        [each for each in candidates if each.place != slot or _may_make(each, wanted)],
        replace(facts, settings=settings),
    )
    maker = _check_decided(decision, listed)
    entry = Entry(setting=listed.setting, name=name, maker=maker.name)
    return replace(maker, name=name, entry=entry)


def _check_name(listed: _Listed, namesakes: Sequence[Candidate]) -> None:
    foreign = [each for each in namesakes if each.origin.source is not Source.CODE]
    if foreign or len(namesakes) > 1:
        raise AmbiguousComponentError(
            f"{listed.setting} has the name of a {listed.slot.name} that there is already",
            evidence=[f"{each}: {each.reference}" for each in by_name(foreign or namesakes)],
            remedy="give the entry another name"
            if foreign
            else "register one component of this name only",
        )


def _may_make(candidate: Candidate, wanted: str | None) -> bool:
    is_in_code = candidate.origin.source is Source.CODE and not candidate.is_wrapper
    return not is_in_code or candidate.name == wanted


def _check_decided(decision: WiringDecision, listed: _Listed) -> Candidate:
    if decision.problem is not None:
        rivals = [each.candidate.name for each in decision.losers if each.reason == UNDECIDED]
        raise AmbiguousComponentError(
            f"several components could make {listed.setting}, and none is chosen",
            evidence=decision.problem.evidence,
            remedy=f"set {listed.choice} to {' or '.join(map(repr, rivals))}",
        )
    if decision.winner is None:
        raise ComponentError(
            f"there is no component that could make {listed.setting}",
            evidence=[f"not {each.candidate}: {each.reason}" for each in decision.losers],
            remedy=f"set {listed.choice}, or install what makes a {decision.place.name}",
        )
    return decision.winner
