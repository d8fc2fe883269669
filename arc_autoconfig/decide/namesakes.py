"""Two components of one name: which of them is meant cannot be told."""

from collections.abc import Iterable, Mapping, Sequence

from arc_autoconfig.decide.ordering import by_name
from arc_autoconfig.declare.candidates import Candidate, Reference, Source
from arc_autoconfig.errors import AmbiguousComponentError
from arc_autoconfig.installed import PLUGIN_GROUP
from arc_core.components.extension_points import Contribution

_OF_PLUGINS = {Source.PLUGIN, Source.DEFAULT}


def shared_name(
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


def outranked_among(place: Contribution, taking_part: Sequence[Candidate]) -> dict[Candidate, str]:
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
    for each in sorted(by_name(taking_part), key=_priority):
        key = _get_key(each, loaded)
        if key in left_out:
            reasons[each] = f"is left out as {left_out[key]}"
        elif (winner := kept.setdefault(key, each)) is not each and (
            _has_own_line(each) or each.name == winner.name
        ):
            reasons[each] = f"takes part already as {winner}"
    return reasons


def _priority(candidate: Candidate) -> tuple[int, bool]:
    return list(Source).index(candidate.origin.source), _has_own_line(candidate)


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
