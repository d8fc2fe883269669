"""Checks, when a component is registered, that its condition can be judged at all."""

import sys
from enum import Enum
from functools import lru_cache
from pathlib import Path

from arc_autoconfig.installed import EntryPointLine, entry_point_lines, parse_requirement
from arc_autoconfig.settings import ArcSettings
from arc_autoconfig.settings.keys import split_key, unknown_part
from arc_autoconfig.settings.model import known_settings
from arc_autoconfig.settings.plugin_sections import named_in_metadata
from arc_core.components.extension_points import Slot, can_be_service, get_place
from arc_core.conditions import (
    AllOf,
    AnyOf,
    Condition,
    Not,
    OnComponent,
    OnEnv,
    OnMissing,
    OnPackage,
    OnProfile,
    OnSetting,
    OnWinner,
)

_KNOWN = {
    AllOf, AnyOf, Not, OnComponent, OnEnv, OnMissing, OnPackage, OnProfile, OnSetting, OnWinner,
}  # fmt: skip
_PLAIN = (str, int, float, Enum, Path, type(None))


def find_condition_problem(condition: Condition | None) -> str | None:
    """Why a condition can never be judged, in words for people; None if it can."""
    if condition is None:
        return None
    if type(condition) not in _KNOWN:
        return f"{condition!r} is not a condition: compose those of arc_core.conditions"
    problem = None
    match condition:
        case OnEnv(text) | OnPackage(text) | OnProfile(text) | OnSetting(text) if not _is_text(
            text
        ):
            problem = f"{text!r} is not a text"
        case AllOf(parts) | AnyOf(parts):
            problem = next(filter(None, map(find_condition_problem, parts)), None)
        case Not(part):
            problem = find_condition_problem(part)
        case OnSetting(path, values):
            problem = _find_setting_problem(path) or _find_values_problem(path, values)
        case OnPackage(text):
            problem = _find_requirement_problem(text)
        case OnMissing() | OnComponent() | OnWinner():
            problem = _find_interface_problem(condition)
    return problem


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _find_setting_problem(path: str) -> str | None:
    lines = entry_point_lines()
    imported = tuple(module in sys.modules for module in _section_modules(lines))
    unknown = unknown_part(_known_settings(lines, imported), split_key(path))
    if unknown is None:
        return None
    return f"there is no setting {path}" + (f", write {unknown[1]}" if unknown[1] else "")


@lru_cache(maxsize=2)
def _section_modules(lines: tuple[EntryPointLine, ...]) -> tuple[str, ...]:
    return tuple(line.value.partition(":")[0] for line in named_in_metadata(lines))


@lru_cache(maxsize=2)
def _known_settings(
    lines: tuple[EntryPointLine, ...], imported: tuple[bool, ...]
) -> type[ArcSettings]:
    """Made once for all conditions, until a package is installed or a section imported."""
    del lines, imported
    return known_settings()


def _find_values_problem(path: str, values: tuple[object, ...]) -> str | None:
    """Anything but a plain value would run foreign code when it is compared."""
    foreign = [each for each in values if not isinstance(each, _PLAIN)]
    if not foreign:
        return None
    kind = type(foreign[0]).__qualname__
    return f"{path} is compared with a {kind}, and settings are texts, numbers and the like"


def _find_requirement_problem(text: str) -> str | None:
    try:
        parse_requirement(text)
    except ValueError:
        return f"{text!r} is not a requirement: write it as in pyproject.toml, for example redis>=5"
    return None


def _find_interface_problem(condition: OnMissing | OnComponent | OnWinner) -> str | None:
    interface: object = condition.interface  # said by a plugin: it may be anything
    place = get_place(interface) if can_be_service(interface) else None
    if place is None or (isinstance(condition, OnWinner) and not isinstance(place, Slot)):
        return f"{condition.interface!r} is not an interface that this condition can ask about"
    return None
