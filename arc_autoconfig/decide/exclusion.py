"""Contributed components that `components.exclude` leaves out, by place and name."""

from collections.abc import Iterable, Sequence

from arc_autoconfig.decide.conditions import Facts
from arc_autoconfig.decide.decisions import Loser
from arc_autoconfig.declare.candidates import Candidate
from arc_autoconfig.errors import ComponentError, UnknownNameError
from arc_core.components.extension_points import Contribution, Place

__all__ = ["check_excluded_places", "excluded_among"]

_SETTING = "components.exclude"


def check_excluded_places(
    places: Iterable[Place], facts: Facts, *, left_out: Sequence[str] = ()
) -> None:
    """Check that what is left out is named after contributions that exist.

    Args:
        places: Those that there are.
        facts: The settings among them.
        left_out: Why a place may be unknown, in words for people.

    Raises:
        UnknownNameError: A name is not that of a contribution.
    """
    known = [place.name for place in places if isinstance(place, Contribution)]
    for each in facts.settings.components.exclude:
        name = each.partition(":")[0]
        if name not in known:
            raise UnknownNameError(setting=_SETTING, name=name, known=known, left_out=left_out)


def excluded_among(
    place: Contribution, offers: Sequence[Candidate], facts: Facts
) -> dict[Candidate, Loser]:
    """The components of a contribution that are left out, each as the loser that it is.

    Raises:
        UnknownNameError: A component is to be left out that does not exist.
        ComponentError: A required plugin brings it.
    """
    losers: dict[Candidate, Loser] = {}
    for each in facts.settings.components.exclude:
        where, _, name = each.partition(":")
        if where != place.name:
            continue
        named = [candidate for candidate in offers if candidate.name == name]
        if not named:
            known = [candidate.name for candidate in offers]
            raise UnknownNameError(setting=f"{_SETTING} ({place.name})", name=name, known=known)
        for candidate in named:
            _check_not_required(candidate, facts)
            losers[candidate] = Loser(candidate=candidate, reason=f"{_SETTING} names it")
    return losers


def _check_not_required(candidate: Candidate, facts: Facts) -> None:
    if candidate.origin.is_named_by(facts.settings.plugins.required):
        plugin = candidate.origin.plugin
        raise ComponentError(
            f"{_SETTING} names {candidate}, which must not be left out",
            evidence=[f"plugins.required names {plugin}, which brings it"],
            remedy=f"take {plugin!r} out of plugins.required, or the component out of {_SETTING}",
        )
