"""Decide one slot: which of the candidates that take part fills it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from arc_autoconfig.decide.conditions import ConditionFacts, missing_packages, setting_at
from arc_autoconfig.decide.contributions import by_name, shared_name_chosen
from arc_autoconfig.decide.decisions import STEPPED_BACK, UNDECIDED, Loser, WiringDecision
from arc_autoconfig.declare.candidates import Candidate, Entry, Source
from arc_autoconfig.errors import AmbiguousComponentError, ComponentError, UnknownNameError
from arc_autoconfig.settings.model import ArcSettings
from arc_core.components.extension_points import ExtensionPoint, Slot
from arc_core.settings import Section

_REASONS = {
    Source.CODE: "registered in code",
    Source.PLUGIN: "brought by a plugin",
    Source.DEFAULT: "Arc's default",
}
_RANKING = tuple(_REASONS)


@dataclass(frozen=True, slots=True)
class _Choice:
    """A component that a setting names."""

    setting: str
    name: str
    is_preference: bool = False


def decide_slot(
    slot: Slot, taking_part: Sequence[Candidate], *, losers: Sequence[Loser], facts: ConditionFacts
) -> WiringDecision:
    """Choose among the candidates whose conditions hold.

    What is registered in code wins, else what a setting names, whatever its conditions but those on
    packages, else what a setting prefers, if its conditions hold, else what a plugin brings, else
    Arc's default; of several the one that is `primary`.
    """
    offers = [*taking_part, *(loser.candidate for loser in losers)]
    choice = _choice(slot, facts)
    contenders, reason = _contenders(taking_part), ""
    if choice is not None and (named := _find_named(choice, offers, taking_part)):
        contenders, reason = _contenders(named), f"named by {choice.setting}"
    if len(contenders) > 1:
        raise _ambiguous_error(slot, contenders)
    if not contenders:
        return WiringDecision(place=slot, losers=tuple(losers))
    winner = contenders[0]
    if reason:
        _check_packages(winner, reason, facts)
    return WiringDecision(
        place=slot,
        winners=(winner,),
        losers=_all_losers(winner, offers, losers),
        reason=reason or _REASONS[winner.origin.source],
    )


def _choice(slot: Slot, facts: ConditionFacts) -> _Choice | None:
    settings = [f"components.{slot.name}", *([slot.choice] if slot.choice else [])]
    choices = [
        _Choice(setting, name)
        for setting in settings
        if (name := setting_at(facts.settings, setting)) is not None
    ]
    if len({choice.name for choice in choices}) > 1:
        raise ComponentError(
            f"two settings name different components for {slot.name}",
            evidence=[
                f"{each.setting} = {each.name!r} ({facts.settings.origin_of(each.setting)})"
                for each in choices
            ],
            remedy="remove one of them",
        )
    preferred = slot.preference
    if choices or preferred is None or facts.settings.origin_of(preferred) == "default":
        return choices[0] if choices else None
    return _Choice(preferred, setting_at(facts.settings, preferred), is_preference=True)


def _find_named(
    choice: _Choice, offers: Sequence[Candidate], taking_part: Sequence[Candidate]
) -> list[Candidate]:
    """Return what a setting names, unless a program registers another or it must not be used."""
    named = [candidate for candidate in offers if candidate.name == choice.name]
    if not named:
        known = list(dict.fromkeys(candidate.name for candidate in offers))
        raise UnknownNameError(setting=choice.setting, name=choice.name, known=known)
    in_code = [each for each in taking_part if each.origin.source is Source.CODE]
    if in_code and not set(in_code) & set(named):
        return []
    named = _of_one_package(choice, named, taking_part)
    return [each for each in named if each in taking_part] if choice.is_preference else named


def _of_one_package(
    choice: _Choice, named: list[Candidate], taking_part: Sequence[Candidate]
) -> list[Candidate]:
    """Those of a name that one package offers; what is registered in code is what is meant."""
    in_code = [each for each in named if each.origin.source is Source.CODE]
    if in_code:
        return in_code
    if len({str(each.origin) for each in named}) > 1:
        raise shared_name_chosen(choice.setting, choice.name, named)
    return [each for each in named if each in taking_part] or named


def _contenders(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Those of the best source, or of these the ones that are primary."""
    best = min((_RANKING.index(each.origin.source) for each in candidates), default=0)
    contenders = [each for each in candidates if each.origin.source is _RANKING[best]]
    return [each for each in contenders if each.primary] or contenders


def _check_packages(winner: Candidate, reason: str, facts: ConditionFacts) -> None:
    missing = missing_packages(winner.condition, facts)
    if missing:
        raise ComponentError(
            f"{winner} is {reason}, and cannot be used",
            evidence=[f"condition not met: {condition}" for condition in missing],
            remedy="install the package, or name another component",
        )


def _all_losers(
    winner: Candidate, offers: Sequence[Candidate], unmet: Sequence[Loser]
) -> tuple[Loser, ...]:
    reasons = {each.candidate: each.reason for each in unmet if each.reason != STEPPED_BACK}
    return tuple(
        Loser(
            candidate=each,
            reason=reasons.get(each, f"{STEPPED_BACK} for {winner}"),
            is_able=each not in reasons,
        )
        for each in by_name(offers)
        if each is not winner
    )


def _ambiguous_error(slot: Slot, contenders: Sequence[Candidate]) -> AmbiguousComponentError:
    contenders = by_name(contenders)
    names = list(dict.fromkeys(candidate.name for candidate in contenders))
    listed = " or ".join(repr(name) for name in names)
    if contenders[0].origin.source is Source.CODE:
        chosen = f"set components.{slot.name} to {listed}, " if len(names) > 1 else ""
        mark = f"mark one with @provides({slot.interface.__name__}, primary=True)"
        remedy = f"register one of them only, {chosen}or {mark}"
    elif len(names) == 1:
        remedy = "disable one of their plugins by plugins.disabled, or uninstall it"
    else:
        remedy = f"set {slot.choice or f'components.{slot.name}'} to {listed}"
    return AmbiguousComponentError(
        f"{len(contenders)} components want to be the {slot.name}, and none is chosen",
        evidence=[
            f"{each}, because {each.condition}" if each.condition is not None else str(each)
            for each in contenders
        ],
        remedy=remedy,
    )


Decide = Callable[[Sequence[Candidate], ConditionFacts], WiringDecision]
"""Decides a slot among some candidates, as other settings have it."""


def stands_in(candidate: Candidate, facts: ConditionFacts) -> bool:
    """Return True if a program registers a component for an entry, whose name it has."""
    is_in_code = candidate.origin.source is Source.CODE and not candidate.is_wrapper
    return is_in_code and candidate.name in list_entries(facts.settings, candidate.place)


def decide_entries(
    place: ExtensionPoint, candidates: Sequence[Candidate], *, facts: ConditionFacts, decide: Decide
) -> tuple[Candidate, ...]:
    """A candidate for each entry, by name: what the program registers for it, else who makes it.

    An entry is made by what would fill the slot if the settings had what it says; only what a
    program registers for the slot is not asked, unless the entry names it.
    """
    listed = [
        _Listed(place, name, section)
        for name, section in sorted(list_entries(facts.settings, place).items())
    ]
    return tuple(_decide_one(each, candidates, facts=facts, decide=decide) for each in listed)


@dataclass(frozen=True, slots=True)
class _Listed:
    """One entry of the table of a slot."""

    slot: ExtensionPoint
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


def list_entries(settings: ArcSettings, place: ExtensionPoint) -> Mapping[str, Section]:
    """The sections that list further components of a place, by their names; mostly none."""
    if place.instances is None:
        return {}
    home, table = _path(place)
    found: Mapping[str, Section] = getattr(getattr(settings, home, None), table, {})
    return found


def can_do_without(settings: ArcSettings, place: ExtensionPoint, name: str) -> bool:
    """Say whether an application may start if the component of an entry cannot."""
    section: Section = getattr(settings, _path(place)[0])
    return section.can_do_without(name)


def choice_in(entry: Section, slot: ExtensionPoint) -> str | None:
    """The name of the component that an entry chooses to be made by; None if it leaves it open."""
    name: str | None = getattr(entry, (slot.choice or "").rpartition(".")[2], None)
    return name


def settings_of_entry(settings: ArcSettings, place: ExtensionPoint, name: str) -> ArcSettings:
    """All settings, with the entry laid over the section in which its table stands."""
    home, table = _path(place)
    section: Section = getattr(settings, home)
    chosen = {**settings.components.chosen, "exclude": settings.components.exclude}
    chosen.pop(place.name, None)
    return settings.model_copy(
        update={
            home: section.overlay(getattr(section, table)[name]),
            # It names what fills the slot, which an entry never does.
            "components": type(settings.components).model_validate(chosen),
        }
    )


def _path(place: ExtensionPoint) -> tuple[str, str]:
    home, _, table = (place.instances or "").rpartition(".")
    return home, table
