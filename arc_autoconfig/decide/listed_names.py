"""Checks of the settings that name slots, components and contributions."""

from collections.abc import Iterable, Sequence

from arc_autoconfig.decide.conditions import ConditionFacts, setting_at
from arc_autoconfig.declare.candidates import Candidate
from arc_autoconfig.errors import SettingsError, UnknownNameError
from arc_autoconfig.settings import ComponentsSettings
from arc_core.components.extension_points import Contribution
from arc_core.conditions import AllOf, AnyOf, Condition, Not, OnSetting

__all__ = ["check_components", "check_listed_names"]


def check_components(
    components: ComponentsSettings, slots: Sequence[str], *, left_out: Sequence[str] = ()
) -> None:
    """Check that `components` names slots that exist, and what is left out in full."""
    for name in components.chosen:
        if name not in slots:
            raise UnknownNameError(setting="components", name=name, known=slots, left_out=left_out)
    for name in components.exclude:
        if ":" not in name:
            raise SettingsError(
                f"components.exclude names {name!r}, and not where it works",
                remedy=f"write it with its contribution before it, as in guards:{name}",
            )


def check_listed_names(
    place: Contribution, offers: Iterable[Candidate], facts: ConditionFacts
) -> None:
    """Check the names in the setting that lists contributions, if there is one.

    Known are the candidates whose conditions ask about that setting.
    """
    setting = place.listed_by
    if setting is None:
        return
    known = [each.name for each in offers if _asks_about_setting(each.condition, setting)]
    for name in setting_at(facts.settings, setting) or ():
        if name not in known:
            raise UnknownNameError(setting=setting, name=name, known=known)


def _asks_about_setting(condition: Condition | None, path: str) -> bool:
    match condition:
        case AllOf(parts) | AnyOf(parts):
            return any(_asks_about_setting(part, path) for part in parts)
        case Not(part):
            return _asks_about_setting(part, path)
        case OnSetting():
            return condition.path == path
    return False
