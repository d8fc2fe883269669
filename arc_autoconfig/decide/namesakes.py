"""Two components of one name: which of them is meant cannot be told."""

from collections.abc import Iterable, Sequence

from arc_autoconfig.decide.decisions import Loser
from arc_autoconfig.decide.ordering import by_name
from arc_autoconfig.declare.candidates import Candidate, Source
from arc_autoconfig.errors import AmbiguousComponentError
from arc_core.places import Contribution

__all__ = ["namesakes_among", "outranked_among", "shared_name", "shared_name_chosen"]

_OF_PLUGINS = {Source.PLUGIN, Source.DEFAULT}


def shared_name(
    place: Contribution, taking_part: Sequence[Candidate]
) -> AmbiguousComponentError | None:
    """Why two contributions of one name cannot both run; None if all names differ.

    If members name themselves, what uses them tells of those that share a name.
    """
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


def outranked_among(place: Contribution, taking_part: Sequence[Candidate]) -> list[Loser]:
    """The namesakes that stand back for one that is nearer by, where a name chooses one.

    Code wins over settings, settings over packages, packages over Arc's own.
    """
    if not place.is_chosen_by_name:
        return []
    nearest_by: dict[str, Candidate] = {}
    for each in by_name(taking_part):
        nearest_by.setdefault(each.name, each)
    return [
        Loser(candidate=each, reason=f"stands back for {winner} of the same name")
        for each in by_name(taking_part)
        if (winner := nearest_by[each.name]).origin.source is not each.origin.source
    ]


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
