"""Settings that name components, and contributions that are excluded or replaced."""

from collections.abc import Iterable, Sequence

from arc_autoconfig.decide.conditions import ConditionFacts, list_leaves, setting_at
from arc_autoconfig.declare.candidates import Candidate, Source
from arc_autoconfig.errors import ComponentError, SettingsError, UnknownNameError
from arc_autoconfig.settings import PluginsSettings
from arc_core.components.extension_points import Contribution, ExtensionPoint, Slot
from arc_core.conditions import OnSetting

_SETTING = "components.exclude"


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


def excluded_among(
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


def unmatched_among(
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


def replaced_among(
    taking_part: Sequence[Candidate], *, required: Sequence[str]
) -> dict[Candidate, str]:
    """Return the contributions that are replaced, and by whom."""
    reasons: dict[Candidate, str] = {}
    for replacing in (each for each in taking_part if each.replaces is not None):
        for each in taking_part:
            if each is not replacing and each.name == replacing.replaces:
                _check(each, replacing, required)
                reasons.setdefault(each, f"replaced by {replacing}")
    return reasons


def _check(replaced: Candidate, replacing: Candidate, required: Sequence[str]) -> None:
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
