"""Whether conditions make sense, and whether they hold.

They are judged from settings, environment, installed packages and the other decisions.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Protocol

from arc_autoconfig.settings import ArcSettings
from arc_autoconfig.settings.keys import path_of, unknown_part
from arc_autoconfig.slots import Slot, place_of
from arc_core.conditions import (
    AllOf,
    AnyOf,
    Condition,
    Not,
    OnComponent,
    OnEnv,
    OnMissing,
    OnPackage,
    OnSetting,
    OnWinner,
)

__all__ = ["Facts", "Others", "asks_about", "flaw_in", "missing_packages", "setting_at", "unmet"]


_KNOWN = {AllOf, AnyOf, Not, OnComponent, OnEnv, OnMissing, OnPackage, OnSetting, OnWinner}
_PLAIN = (str, int, float, Enum, Path, type(None))


def _installed_version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """All that decisions depend on besides the candidates.

    Attributes:
        settings: The application's.
        environment: Variables of the process.
        version_of: The version of an installed distribution, None where it is not installed.
    """

    settings: ArcSettings
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)
    version_of: Callable[[str], str | None] = _installed_version

    def unset(self) -> "Facts":
        """The same without anything that anybody has set: no settings, no variables."""
        return replace(self, settings=ArcSettings(_isolated=True), environment={})


class Others(Protocol):
    """What a condition may ask about the other candidates."""

    def is_there(self, interface: type) -> bool:
        """Whether anybody else, but for Arc's defaults, provides or contributes an interface."""
        ...

    def winner_of(self, interface: type) -> str | None:
        """The name of the component that fills a slot."""
        ...


def flaw_in(condition: Condition | None) -> str | None:
    """Why a condition can never be judged, in words for people; None if it can."""
    if condition is None:
        return None
    if type(condition) not in _KNOWN:
        return f"{condition!r} is not a condition: compose those of arc_core.conditions"
    flaw = None
    match condition:
        case OnEnv(text) | OnPackage(text) | OnSetting(text) if not _is_text(text):
            flaw = f"{text!r} is not a text"
        case AllOf(parts) | AnyOf(parts):
            flaw = next(filter(None, map(flaw_in, parts)), None)
        case Not(part):
            flaw = flaw_in(part)
        case OnSetting(path, values):
            flaw = _flaw_in_setting(path) or _flaw_in_values(path, values)
        case OnPackage(text):
            flaw = _flaw_in_requirement(text)
        case OnMissing() | OnComponent() | OnWinner():
            flaw = _flaw_in_interface(condition)
    return flaw


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _flaw_in_setting(path: str) -> str | None:
    unknown = unknown_part(ArcSettings, path_of(path))
    if unknown is None:
        return None
    return f"there is no setting {path}" + (f", write {unknown[1]}" if unknown[1] else "")


def _flaw_in_values(path: str, values: tuple[object, ...]) -> str | None:
    """Anything but a plain value would run foreign code when it is compared."""
    foreign = [each for each in values if not isinstance(each, _PLAIN)]
    if not foreign:
        return None
    kind = type(foreign[0]).__qualname__
    return f"{path} is compared with a {kind}, and settings are texts, numbers and the like"


def _flaw_in_requirement(text: str) -> str | None:
    try:
        _requirement(text)
    except ValueError:
        return f"{text!r} is no requirement: write it as in pyproject.toml, for example redis>=5"
    return None


def _flaw_in_interface(condition: OnMissing | OnComponent | OnWinner) -> str | None:
    place = place_of(condition.interface)
    if place is None or (isinstance(condition, OnWinner) and not isinstance(place, Slot)):
        return f"{condition.interface!r} is no interface that this condition can ask about"
    return None


def unmet(condition: Condition | None, facts: Facts, others: Others) -> tuple[Condition, ...]:
    """The parts of a condition that do not hold; empty if it holds."""
    return tuple(part for part in _parts_of(condition) if not _holds(part, facts, others))


def missing_packages(condition: Condition | None, facts: Facts) -> tuple[OnPackage, ...]:
    """The packages that a condition demands and that are not installed."""
    packages = (part for part in _parts_of(condition) if isinstance(part, OnPackage))
    return tuple(part for part in packages if not _is_installed(part.requirement, facts))


def asks_about(condition: Condition | None, interface: type) -> bool:
    """Whether a condition depends on who provides or contributes an interface."""
    match condition:
        case AllOf(parts) | AnyOf(parts):
            return any(asks_about(part, interface) for part in parts)
        case Not(part):
            return asks_about(part, interface)
        case OnMissing() | OnComponent() | OnWinner():
            return condition.interface is interface
    return False


def _parts_of(condition: Condition | None) -> Iterator[Condition]:
    """The conditions that must all hold; one that is not composed with `&` is its only part."""
    if isinstance(condition, AllOf):
        for part in condition.parts:
            yield from _parts_of(part)
    elif condition is not None:
        yield condition


def _holds(condition: Condition, facts: Facts, others: Others) -> bool:
    held = False
    match condition:
        case AllOf(parts):
            held = all(_holds(part, facts, others) for part in parts)
        case AnyOf(parts):
            held = any(_holds(part, facts, others) for part in parts)
        case Not(part):
            held = not _holds(part, facts, others)
        case OnMissing(interface):
            held = not others.is_there(interface)
        case OnComponent(interface):
            held = others.is_there(interface)
        case OnWinner(interface, name):
            held = others.winner_of(interface) == name
        case OnSetting(path, values):
            held = _has_value(setting_at(facts.settings, path), values)
        case OnEnv(variable):
            held = bool(facts.environment.get(variable, "").strip())
        case OnPackage(requirement):
            held = _is_installed(requirement, facts)
    return held


def setting_at(settings: ArcSettings, key: str) -> Any:
    """The value of an existing setting by its dotted key; None where a table has no such name."""
    value: Any = settings
    for part in path_of(key):
        value = value.get(part) if isinstance(value, Mapping) else getattr(value, part)
        if value is None:
            break
    return value


def _has_value(value: Any, wanted: tuple[object, ...]) -> bool:
    if not wanted:
        return bool(value)
    if isinstance(value, tuple | list):
        return any(each in value for each in wanted)
    return value in wanted


def _is_installed(text: str, facts: Facts) -> bool:
    requirement = _requirement(text)
    found = facts.version_of(requirement.name)
    return found is not None and bool(requirement.specifier.contains(found, prereleases=True))


def _requirement(text: str) -> Any:
    from packaging.requirements import Requirement  # noqa: PLC0415 -- slow, and rarely needed

    return Requirement(text)
