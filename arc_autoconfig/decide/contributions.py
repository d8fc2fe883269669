"""Decide one contribution: what takes part in it, what is left out and why, and in which order."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from heapq import heappop, heappush

from arc_autoconfig.decide.conditions import ConditionFacts, list_leaves, setting_at
from arc_autoconfig.decide.decisions import NOT_UNIQUE, WiringDecision, as_losers
from arc_autoconfig.declare.candidates import Candidate, Reference, Source
from arc_autoconfig.errors import (
    AmbiguousComponentError,
    ComponentError,
    OrderCycleError,
    SettingsError,
    UnknownNameError,
)
from arc_autoconfig.installed import PLUGIN_GROUP
from arc_autoconfig.settings import PluginsSettings
from arc_core.components.extension_points import Contribution, ExtensionPoint, Slot
from arc_core.conditions import OnSetting

_SETTING = "components.exclude"
_RANK = {source: rank for rank, source in enumerate(Source)}
_OF_PLUGINS = {Source.PLUGIN, Source.DEFAULT}


def check_components(
    places: Sequence[ExtensionPoint], facts: ConditionFacts, *, left_out: Sequence[str] = ()
) -> None:
    """Check that `components` names slots that exist, and what is left out in full."""
    slots = [place.name for place in places if isinstance(place, Slot)]
    for name in facts.settings.components.chosen:
        if name not in slots:
            raise UnknownNameError(setting="components", name=name, known=slots, left_out=left_out)
    known = [place.name for place in places if isinstance(place, Contribution)]
    for each in facts.settings.components.exclude:
        name, colon, _ = each.partition(":")
        if not colon:
            raise SettingsError(
                f"{_SETTING} names {each!r}, and not where it works",
                remedy=f"write it with its contribution before it, as in guards:{each}",
            )
        if name not in known:
            raise UnknownNameError(setting=_SETTING, name=name, known=known, left_out=left_out)


def decide_contribution(
    place: Contribution,
    offers: Sequence[Candidate],
    reasons: dict[Candidate, str],
    *,
    facts: ConditionFacts,
    loaded: Mapping[Candidate, object],
) -> WiringDecision:
    """Choose among what is offered; `reasons` speak against those whose conditions do not hold."""

    def remaining() -> list[Candidate]:
        return [each for each in offers if each not in reasons]

    settings = facts.settings.plugins
    check_listed_names(place, offers, facts)
    excluded = _excluded_among(place, offers, facts)
    reasons = {each: why for each, why in reasons.items() if each not in excluded} | excluded
    reasons |= repeated_among(remaining(), loaded=loaded, excluded=excluded)
    unmatched = _unmatched_among(remaining(), offers=offers, settings=settings)
    if not place.fails_closed:  # where it does, what was to replace something checks beside it
        reasons |= {each: f"quarantined: {why}" for each, why in unmatched.items()}
    reasons |= _replaced_among(remaining(), required=settings.required)
    reasons |= _outranked_among(place, remaining())
    taking_part, losers = remaining(), as_losers(reasons)
    problem = _shared_name(place, taking_part)
    if problem is not None:  # an override may settle it before the start
        waiting = as_losers(dict.fromkeys(by_name(taking_part), NOT_UNIQUE))
        return WiringDecision(place=place, losers=(*waiting, *losers), problem=problem)
    arranged = as_registered if place.is_named_by_members else by_name
    return WiringDecision(
        place=place,
        winners=tuple(arranged(taking_part)),
        losers=losers,
        unmatched=as_losers(unmatched),
    )


def _excluded_among(
    place: Contribution, offers: Sequence[Candidate], facts: ConditionFacts
) -> dict[Candidate, str]:
    """The components of a contribution that the settings leave out, each with the reason."""
    reasons: dict[Candidate, str] = {}
    for each in facts.settings.components.exclude:
        where, _, name = each.partition(":")
        if where != place.name:
            continue
        named = [candidate for candidate in offers if candidate.name == name]
        if not named:
            known = [candidate.name for candidate in offers]
            raise UnknownNameError(setting=f"{_SETTING} ({place.name})", name=name, known=known)
        required, instead = facts.settings.plugins.required, f"the component out of {_SETTING}"
        for candidate in named:
            _refuse_required(candidate, required, cause=f"{_SETTING} names", instead=instead)
            reasons[candidate] = f"{_SETTING} names it"
    return reasons


def _refuse_required(
    candidate: Candidate, required: Sequence[str], *, cause: str, instead: str
) -> None:
    origin = candidate.origin
    if origin.is_named_by(required):
        raise ComponentError(
            f"{cause} {candidate}, which must not be left out",
            evidence=[f"plugins.required names {origin.plugin}, which brings it"],
            remedy=f"take {origin.plugin!r} out of plugins.required, or {instead}",
        )


def _unmatched_among(
    taking_part: Sequence[Candidate], *, offers: Sequence[Candidate], settings: PluginsSettings
) -> dict[Candidate, str]:
    """The contributions of plugins that replace one that does not exist, each with the reason."""
    reasons: dict[Candidate, str] = {}
    for replacing in (each for each in taking_part if each.replaces is not None):
        known = sorted({each.name for each in offers if each is not replacing})
        if replacing.replaces in known:
            continue
        origin = replacing.origin
        is_plugin = origin.source is Source.PLUGIN and origin.distribution is not None
        if not is_plugin or settings.strict or origin.is_named_by(settings.required):
            setting, name = f"replaces of {replacing}", str(replacing.replaces)
            raise UnknownNameError(setting=setting, name=name, known=known)
        reasons[replacing] = (
            f"it replaces {replacing.replaces!r}, and none of the {replacing.place.name} is called "
            f"so; known names: {', '.join(known) or 'none'}"
        )
    return reasons


def _replaced_among(
    taking_part: Sequence[Candidate], *, required: Sequence[str]
) -> dict[Candidate, str]:
    """Return the contributions that are replaced, and by whom."""
    reasons: dict[Candidate, str] = {}
    for replacing in (each for each in taking_part if each.replaces is not None):
        for each in taking_part:
            if each is not replacing and each.name == replacing.replaces:
                _check_replaced(each, replacing, required)
                reasons.setdefault(each, f"replaced by {replacing}")
    return reasons


def _check_replaced(replaced: Candidate, replacing: Candidate, required: Sequence[str]) -> None:
    cause, instead = f"{replacing} replaces", "remove `replaces`"
    _refuse_required(replaced, required, cause=cause, instead=instead)
    if replaced.replaces is not None:
        raise ComponentError(
            f"{replacing} replaces {replaced}, which replaces {replaced.replaces!r} itself",
            remedy="let one of them replace what is to be left out, and remove the other",
        )


def check_listed_names(
    place: Contribution, offers: Iterable[Candidate], facts: ConditionFacts
) -> None:
    """Check that the setting that lists contributions names those that ask about that setting."""
    setting = place.listed_by
    if setting is None:
        return
    known = [each.name for each in offers if _asks_about(each, setting)]
    for name in setting_at(facts.settings, setting) or ():
        if name not in known:
            raise UnknownNameError(setting=setting, name=name, known=known)


def _asks_about(candidate: Candidate, setting: str) -> bool:
    leaves = list_leaves(candidate.condition)
    return any(isinstance(each, OnSetting) and each.path == setting for each in leaves)


def _shared_name(
    place: Contribution, taking_part: Sequence[Candidate]
) -> AmbiguousComponentError | None:
    """Why two contributions of one name cannot both run; None if all names differ."""
    namesakes = [] if place.is_named_by_members else namesakes_among(taking_part)
    if not namesakes:
        return None
    name = namesakes[0].name
    rename = (
        "give one of them another name"
        if place.is_chosen_by_name
        else f"let one take the place of the other by replaces={name!r}, register one under "
        f"another name by name={name + '_2'!r}"
    )
    return AmbiguousComponentError(
        f"{len(namesakes)} {place.name} are called {name!r}, and all of them would run",
        evidence=[f"{each}: {each.reference}" for each in by_name(namesakes)],
        remedy=f"{rename}, or {_how_to_leave_out(namesakes)}",
    )


def _outranked_among(place: Contribution, taking_part: Sequence[Candidate]) -> dict[Candidate, str]:
    """The namesakes that stand back for a nearer one: code, settings, packages, then Arc's own."""
    if not place.is_chosen_by_name:
        return {}
    nearest_by: dict[str, Candidate] = {}
    for each in by_name(taking_part):
        nearest_by.setdefault(each.name, each)
    return {
        each: f"stands back for {winner} of the same name"
        for each in by_name(taking_part)
        if (winner := nearest_by[each.name]).origin.source is not each.origin.source
    }


def repeated_among(
    taking_part: Sequence[Candidate],
    *,
    loaded: Mapping[Candidate, object],
    excluded: Iterable[Candidate] = (),
) -> dict[Candidate, str]:
    """Return the candidates whose component another brings already.

    Such as a class that a plugin's module marks and an entry point names, too. What plugins
    register themselves stays, under several names as well: it says more than an entry point can.
    """
    left_out = {_get_key(each, loaded): each for each in excluded}
    kept: dict[object, Candidate] = {}
    reasons: dict[Candidate, str] = {}
    own_last = sorted(by_name(taking_part), key=_has_own_line)
    for each in sorted(own_last, key=lambda each: _RANK[each.origin.source]):
        key = _get_key(each, loaded)
        if key in left_out:
            reasons[each] = f"is left out as {left_out[key]}"
        elif (winner := kept.setdefault(key, each)) is not each and (
            _has_own_line(each) or each.name == winner.name
        ):
            reasons[each] = f"takes part already as {winner}"
    return reasons


def _has_own_line(candidate: Candidate) -> bool:
    """Tell whether an entry point names the component itself, not a plugin that registers it."""
    return candidate.origin.group not in {"", PLUGIN_GROUP}


def _get_key(candidate: Candidate, loaded: Mapping[Candidate, object]) -> object:
    """The component itself, or the place of one that is not imported."""
    component = loaded.get(candidate, candidate.component)
    if isinstance(component, Reference):
        return str(component)
    if not isinstance(component, type) or "<locals>" in component.__qualname__:
        return id(component)
    return f"{component.__module__}:{component.__qualname__}"


def shared_name_chosen(
    setting: str, name: str, namesakes: Sequence[Candidate]
) -> AmbiguousComponentError:
    """Why a component cannot be chosen by a name that several packages offer."""
    return AmbiguousComponentError(
        f"{setting} names {name!r}, which {len(namesakes)} packages offer",
        evidence=[str(each) for each in by_name(namesakes)],
        remedy=_how_to_leave_out(namesakes),
    )


def namesakes_among(candidates: Iterable[Candidate]) -> list[Candidate]:
    """All candidates of the first name that is not unique."""
    by: dict[str, list[Candidate]] = {}
    for each in candidates:
        by.setdefault(each.name, []).append(each)
    return next((each for each in by.values() if len(each) > 1), [])


def _how_to_leave_out(namesakes: Sequence[Candidate]) -> str:
    plugins = sorted(
        {each.origin.plugin or "" for each in namesakes if each.origin.source in _OF_PLUGINS}
    )
    if not plugins:
        return "register one of them only"
    names = " or ".join(map(repr, plugins))
    return f"leave one out by adding {names} to plugins.disabled, or uninstall its package"


def by_name(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Sorted by name; those of one name by where they come from."""

    def key(candidate: Candidate) -> tuple[str, int, str, str]:
        origin = candidate.origin
        return (
            candidate.name,
            _RANK[origin.source],
            origin.distribution or "",
            candidate.reference,
        )

    return sorted(candidates, key=key)


def in_order(
    candidates: Sequence[Candidate], order_of: Callable[[Candidate], int]
) -> list[Candidate]:
    """Sorted by name, then by `order`, then moved as little as `before` and `after` demand."""
    return _apply_constraints(sorted(by_name(candidates), key=order_of))


def as_registered(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The program's own as registered, then those of plugins by name, then Arc's by name."""
    own = [each for each in candidates if each.origin.source is Source.CODE]
    others = by_name([each for each in candidates if each.origin.source is not Source.CODE])
    others.sort(key=lambda each: _RANK[each.origin.source])
    return _apply_constraints([*own, *others])


def _apply_constraints(candidates: list[Candidate]) -> list[Candidate]:
    if not any(candidate.before or candidate.after for candidate in candidates):
        return candidates
    sorter = TopologicalSorter(_find_predecessors(candidates))
    try:
        sorter.prepare()
    except CycleError as error:
        raise _cycle_error([candidates[index] for index in reversed(error.args[1])]) from None
    ready: list[int] = []
    placed: list[Candidate] = []
    while sorter.is_active():
        for index in sorter.get_ready():
            heappush(ready, index)
        placed.append(candidates[first := heappop(ready)])
        sorter.done(first)
    return placed


def _find_predecessors(candidates: list[Candidate]) -> dict[int, set[int]]:
    indices: defaultdict[str, list[int]] = defaultdict(list)
    for index, candidate in enumerate(candidates):
        indices[candidate.name].append(index)
    earlier: dict[int, set[int]] = {index: set() for index in range(len(candidates))}
    for index, candidate in enumerate(candidates):
        for name in candidate.after:
            earlier[index].update(indices[name])
        for name in candidate.before:
            for other in indices[name]:
                earlier[other].add(index)
    return earlier


def _cycle_error(cycle: Sequence[Candidate]) -> OrderCycleError:
    return OrderCycleError(
        f"the order of {cycle[0].place.name} contradicts itself",
        evidence=[" comes after ".join(str(candidate) for candidate in cycle)],
        remedy="remove one of the `before` or `after` of these, or disable one of their plugins",
    )
