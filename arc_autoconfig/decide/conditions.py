"""Judges conditions from settings, environment, packages and other decisions."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from arc_autoconfig.installed import fits_requirement, get_installed_version, get_required_package
from arc_autoconfig.settings.keys import split_key
from arc_autoconfig.settings.model import ArcSettings
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


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionFacts:
    """All that decisions depend on besides the candidates."""

    settings: ArcSettings
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)
    version_of: Callable[[str], str | None] = field(
        default_factory=lambda: cache(get_installed_version)
    )

    def unset(self) -> "ConditionFacts":
        """The same without anything that was set: no settings, no variables."""
        return replace(self, settings=self.settings.unset(), environment={})


AboutOthers = OnMissing | OnComponent | OnWinner
"""A condition that asks about the other candidates."""

Answer = Callable[[AboutOthers], bool]
"""Tells if such a condition holds."""


def unmet(condition: Condition | None, facts: ConditionFacts, answer: Answer) -> list[Condition]:
    """The parts of a condition that do not hold; empty if it holds."""
    return [part for part in _split(condition) if not _holds(part, facts, answer)]


def missing_packages(condition: Condition | None, facts: ConditionFacts) -> tuple[OnPackage, ...]:
    """The packages that a condition demands and that are not installed."""
    packages = (part for part in _split(condition) if isinstance(part, OnPackage))
    return tuple(part for part in packages if not _is_installed(part.requirement, facts))


def asks_about(condition: Condition | None, interface: type) -> bool:
    """Return True if a condition depends on who provides or contributes an interface."""
    leaves = list_leaves(condition)
    return any(isinstance(each, AboutOthers) and each.interface == interface for each in leaves)


def list_leaves(condition: Condition | None) -> Iterator[Condition]:
    """The conditions that another is composed of."""
    match condition:
        case AllOf(parts) | AnyOf(parts):
            for part in parts:
                yield from list_leaves(part)
        case Not(part):
            yield from list_leaves(part)
        case Condition():
            yield condition


def _split(condition: Condition | None) -> Iterator[Condition]:
    """The conditions that must all hold; one that is not composed with `&` is its only part."""
    if isinstance(condition, AllOf):
        for part in condition.parts:
            yield from _split(part)
    elif condition is not None:
        yield condition


def _holds(condition: Condition, facts: ConditionFacts, answer: Answer) -> bool:
    held = False
    match condition:
        case AllOf(parts):
            held = all(_holds(part, facts, answer) for part in parts)
        case AnyOf(parts):
            held = any(_holds(part, facts, answer) for part in parts)
        case Not(part):
            held = not _holds(part, facts, answer)
        case OnMissing() | OnComponent() | OnWinner():
            held = answer(condition)
        case _:
            held = _is_fact(condition, facts)
    return held


def _is_fact(condition: Condition, facts: ConditionFacts) -> bool:
    """Return True if a condition holds that does not depend on other candidates."""
    held = False
    match condition:
        case OnSetting(path, values):
            held = _has_value(setting_at(facts.settings, path), values)
        case OnEnv(variable):
            held = bool(facts.environment.get(variable, "").strip())
        case OnProfile(name):
            held = name in facts.settings.active_profiles
        case OnPackage(requirement):
            held = _is_installed(requirement, facts)
    return held


def setting_at(settings: ArcSettings, key: str) -> Any:
    """The value of a setting by its dotted key, or None; a list if it has a `*` for all names."""
    return _value_at(settings, split_key(key))


def _value_at(value: Any, parts: Sequence[str]) -> Any:
    for place, part in enumerate(parts):
        if value is None:
            break
        if part == "*":
            return [_value_at(each, parts[place + 1 :]) for each in value.values()]
        value = value.get(part) if isinstance(value, Mapping) else getattr(value, part, None)
    return value


def _has_value(value: Any, wanted: tuple[object, ...]) -> bool:
    if not wanted:
        return any(value) if isinstance(value, list) else bool(value)
    if isinstance(value, tuple | list):
        return any(each in value for each in wanted)
    return value in wanted


def _is_installed(text: str, facts: ConditionFacts) -> bool:
    found = facts.version_of(get_required_package(text))
    return found is not None and fits_requirement(text, found)
