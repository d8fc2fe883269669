"""Contributions that are left out: excluded by the settings, or replaced by others."""

from collections.abc import Iterable, Sequence

from arc_autoconfig.decide.conditions import ConditionFacts
from arc_autoconfig.decide.decisions import Loser
from arc_autoconfig.declare.candidates import Candidate, Source
from arc_autoconfig.errors import ComponentError, UnknownNameError
from arc_autoconfig.settings import PluginsSettings
from arc_core.components.extension_points import Contribution, ExtensionPoint

__all__ = ["check_excluded_places", "excluded_among", "replaced_among", "unmatched_among"]

_SETTING = "components.exclude"


def check_excluded_places(
    places: Iterable[ExtensionPoint], facts: ConditionFacts, *, left_out: Sequence[str] = ()
) -> None:
    """Check that what is left out is named after contributions that exist."""
    known = [place.name for place in places if isinstance(place, Contribution)]
    for each in facts.settings.components.exclude:
        name = each.partition(":")[0]
        if name not in known:
            raise UnknownNameError(setting=_SETTING, name=name, known=known, left_out=left_out)


def excluded_among(
    place: Contribution, offers: Sequence[Candidate], facts: ConditionFacts
) -> dict[Candidate, Loser]:
    """The components of a contribution that are left out, each as the loser that it is."""
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


def _check_not_required(candidate: Candidate, facts: ConditionFacts) -> None:
    if candidate.origin.is_named_by(facts.settings.plugins.required):
        plugin = candidate.origin.plugin
        raise ComponentError(
            f"{_SETTING} names {candidate}, which must not be left out",
            evidence=[f"plugins.required names {plugin}, which brings it"],
            remedy=f"take {plugin!r} out of plugins.required, or the component out of {_SETTING}",
        )


def unmatched_among(
    taking_part: Sequence[Candidate], *, offers: Sequence[Candidate], settings: PluginsSettings
) -> list[Loser]:
    """The contributions of plugins that replace one that does not exist, each with the reason.

    The package of the other one may be gone, or broken; that must not stop everything.
    """
    unmatched: list[Loser] = []
    for replacing in (each for each in taking_part if each.replaces is not None):
        known = sorted({each.name for each in offers if each is not replacing})
        if replacing.replaces in known:
            continue
        origin = replacing.origin
        is_plugin = origin.source is Source.PLUGIN and origin.distribution is not None
        if not is_plugin or settings.strict or origin.is_named_by(settings.required):
            setting, name = f"replaces of {replacing}", str(replacing.replaces)
            raise UnknownNameError(setting=setting, name=name, known=known)
        reason = (
            f"it replaces {replacing.replaces!r}, and none of the {replacing.place.name} is called "
            f"so; known names: {', '.join(known) or 'none'}"
        )
        unmatched.append(Loser(candidate=replacing, reason=reason))
    return unmatched


def replaced_among(taking_part: Sequence[Candidate], *, required: Sequence[str]) -> list[Loser]:
    """Return the contributions that are replaced, and by whom."""
    losers: list[Loser] = []
    for replacing in (each for each in taking_part if each.replaces is not None):
        for each in taking_part:
            if each is not replacing and each.name == replacing.replaces:
                _check(each, replacing, required)
                losers.append(Loser(candidate=each, reason=f"replaced by {replacing}"))
    return losers


def _check(replaced: Candidate, replacing: Candidate, required: Sequence[str]) -> None:
    origin = replaced.origin
    if origin.is_named_by(required):
        raise ComponentError(
            f"{replacing} replaces {replaced}, which must not be left out",
            evidence=[f"plugins.required names {origin.plugin}, which brings it"],
            remedy=f"take {origin.plugin!r} out of plugins.required, or remove `replaces`",
        )
    if replaced.replaces is not None:
        raise ComponentError(
            f"{replacing} replaces {replaced}, which replaces {replaced.replaces!r} itself",
            remedy="let one of them replace what is to be left out, and remove the other",
        )
