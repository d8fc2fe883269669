"""Decide one slot: which of the candidates that take part fills it."""

from collections.abc import Sequence
from dataclasses import dataclass

from arc_autoconfig.decide.conditions import ConditionFacts, missing_packages, setting_at
from arc_autoconfig.decide.decisions import STEPPED_BACK, Loser, WiringDecision
from arc_autoconfig.decide.namesakes import shared_name_chosen
from arc_autoconfig.decide.ordering import by_name
from arc_autoconfig.declare.candidates import Candidate, Source
from arc_autoconfig.errors import AmbiguousComponentError, ComponentError, UnknownNameError
from arc_core.components.extension_points import Slot

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
        return WiringDecision(place=slot, winners=(), losers=tuple(losers), reason="")
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
    if len({_get_package(each) for each in named}) > 1:
        raise shared_name_chosen(choice.setting, choice.name, named)
    return [each for each in named if each in taking_part] or named


def _get_package(candidate: Candidate) -> tuple[str | None, str | None]:
    origin = candidate.origin
    return origin.distribution, origin.plugin if origin.distribution is None else None


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
