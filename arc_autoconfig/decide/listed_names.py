"""Settings that list contributions by name, as `tools.builtin` does: each name must exist."""

from collections.abc import Iterable

from arc_autoconfig.decide.conditions import Facts, setting_at
from arc_autoconfig.declare.candidates import Candidate
from arc_autoconfig.errors import UnknownNameError
from arc_core.components.extension_points import Contribution
from arc_core.conditions import AllOf, AnyOf, Condition, Not, OnSetting

__all__ = ["check_listed_names"]


def check_listed_names(place: Contribution, offers: Iterable[Candidate], facts: Facts) -> None:
    """Check the names in the setting that lists contributions, if there is one.

    Known are the candidates whose conditions ask about that setting.

    Raises:
        UnknownNameError: A name that no candidate has.
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
