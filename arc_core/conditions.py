"""Conditions of candidates in the wiring; declared here, decided by `arc_autoconfig`.

Conditions are values: they compose with `&`, `|` and `~`. The condition report prints them as
sentences, and several parts as a list: `any of: …; …`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import chain, product

from arc_core.text.names import with_article


class Condition:
    """Something that holds or does not, once the settings and the other candidates are known."""

    __slots__ = ()

    def __and__(self, other: "Condition") -> "AllOf":
        return AllOf((self, other))

    def __or__(self, other: "Condition") -> "AnyOf":
        return AnyOf((self, other))

    def __invert__(self) -> "Not":
        return Not(self)

    def __bool__(self) -> bool:
        raise TypeError("a condition is decided later: combine with &, | and ~, compare with None")

    def negate(self) -> str:
        """Return the sentence that says that it does not hold."""
        return str(self).replace(" is ", " is not ", 1)


@dataclass(frozen=True, slots=True)
class OnSetting(Condition):
    """A setting has one of these values, or, without values, is set to something truthy.

    A setting that is a list has a value when it contains it. A `*` in the path stands for every
    name of a table, as in `llm.models.*.host`: one of them is enough.
    """

    path: str
    values: tuple[object, ...] = ()

    def __str__(self) -> str:
        values = (value.value if isinstance(value, Enum) else value for value in self.values)
        wanted = " or ".join(map(repr, values))
        return f"setting {self.path} is {wanted or 'set'}"

    def negate(self) -> str:
        """Return the sentence that says that it does not hold."""
        several = "neither" if len(self.values) > 1 else "not"
        return str(self).replace(" is ", f" is {several} ", 1).replace(" or ", " nor ")


@dataclass(frozen=True, slots=True)
class OnPackage(Condition):
    """A distribution is installed; judged by its metadata, nothing is imported.

    `install` names what a person installs to get it, if that is something else.
    """

    requirement: str
    install: str | None = None

    def __str__(self) -> str:
        hint = f' (pip install "{self.install}")' if self.install else ""
        return f"package {self.requirement} is installed{hint}"

    def negate(self) -> str:
        """Return the sentence that says that it does not hold, without how to install it."""
        return f"package {self.requirement} is not installed"


@dataclass(frozen=True, slots=True)
class OnEnv(Condition):
    """An environment variable is set and not blank; its value is never shown."""

    variable: str

    def __str__(self) -> str:
        return f"environment variable {self.variable} is set"


@dataclass(frozen=True, slots=True)
class OnProfile(Condition):
    """A profile is active: `ARC_PROFILE` names it."""

    name: str

    def __str__(self) -> str:
        return f"profile {self.name} is active"


@dataclass(frozen=True, slots=True)
class OnMissing(Condition):
    """No other candidate provides or contributes this interface, but for Arc's defaults.

    A default is what Arc uses when nothing is set; what a setting or a key of a vendor brings is
    none.
    """

    interface: type

    def __str__(self) -> str:
        return f"no {self.interface.__name__} is there besides Arc's default"

    def negate(self) -> str:
        """Return the sentence that says that it does not hold."""
        return str(OnComponent(self.interface))


@dataclass(frozen=True, slots=True)
class OnComponent(Condition):
    """A candidate provides or contributes this interface; Arc's defaults do not count."""

    interface: type

    def __str__(self) -> str:
        return f"{with_article(self.interface.__name__)} is there besides Arc's default"

    def negate(self) -> str:
        """Return the sentence that says that it does not hold."""
        return str(OnMissing(self.interface))


@dataclass(frozen=True, slots=True)
class OnWinner(Condition):
    """A slot is filled by the component of this name."""

    interface: type
    name: str

    def __str__(self) -> str:
        return f"the {self.interface.__name__} is {self.name}"


@dataclass(frozen=True, slots=True)
class AllOf(Condition):
    """All of the parts hold."""

    parts: Sequence[Condition]

    def __str__(self) -> str:
        parts = list(_flatten(self))
        single = [str(part) for part in parts if not _is_list(part)]
        lists = [str(part) for part in parts if _is_list(part)]
        return ", and ".join([" and ".join(single), *lists] if single else lists)

    def negate(self) -> str:
        """Return the sentence that says that it does not hold."""
        if any(map(_is_list, _flatten(self))):
            return f"any of: {_list(AnyOf([Not(self)]))}"
        return f"not all of: {_list(self)}"


@dataclass(frozen=True, slots=True)
class AnyOf(Condition):
    """At least one of the parts holds."""

    parts: Sequence[Condition]

    def __str__(self) -> str:
        return f"any of: {_list(self)}"

    def negate(self) -> str:
        """Return the sentence that says that it does not hold."""
        return f"none of: {_list(self)}"


@dataclass(frozen=True, slots=True)
class Not(Condition):
    """The part does not hold."""

    part: Condition

    def __str__(self) -> str:
        return self.part.negate()

    def negate(self) -> str:
        """Return the sentence of the part itself."""
        return str(self.part)


def _flatten(condition: "AllOf | AnyOf") -> Iterator[Condition]:
    """The parts, with those of parts of the same kind in their place."""
    for part in condition.parts:
        if isinstance(part, type(condition)):
            yield from _flatten(part)
        else:
            yield part


def _list(condition: "AllOf | AnyOf") -> str:
    if isinstance(condition, AllOf):
        return "; ".join(map(str, _flatten(condition)))
    return "; ".join(" and ".join(map(str, each)) for each in _alternatives(condition))


def _alternatives(condition: Condition) -> list[tuple[Condition, ...]]:
    """Return the conditions of which one must hold, each as parts that hold together.

    What is nested is multiplied out, since a list within a list could not be read.
    """
    found: list[tuple[Condition, ...]] = [(condition,)]
    match condition:
        case AnyOf(parts):
            found = [each for part in parts for each in _alternatives(part)]
        case AllOf(parts):
            combined = product(*map(_alternatives, parts))
            found = [tuple(chain.from_iterable(each)) for each in combined]
        case Not(AnyOf(parts)):
            found = _alternatives(AllOf([Not(part) for part in parts]))
        case Not(AllOf(parts)):
            found = _alternatives(AnyOf([Not(part) for part in parts]))
        case Not(Not(part)):
            found = _alternatives(part)
    return found


def _is_list(condition: Condition) -> bool:
    inner = condition.part if isinstance(condition, Not) else condition
    return isinstance(inner, AnyOf) or (isinstance(inner, AllOf) and inner is not condition)


def on_setting(path: str, *values: object) -> OnSetting:
    """The setting at a dotted path is or contains one of `values`; without values, it is truthy."""
    return OnSetting(path, values)


def on_package(requirement: str, *, install: str | None = None) -> OnPackage:
    """A distribution is installed in a fitting version, as in `redis>=5`.

    `install` tells people what brings it, as in `arc-agents[redis]`.
    """
    return OnPackage(requirement, install)


def on_env(variable: str) -> OnEnv:
    """An environment variable is set and not blank."""
    return OnEnv(variable)


def on_profile(name: str) -> OnProfile:
    """The profile is active: the variable `ARC_PROFILE` names it."""
    return OnProfile(name)


def on_missing(interface: type) -> OnMissing:
    """No other candidate for the interface takes part; Arc's defaults do not count."""
    return OnMissing(interface)


def on_component(interface: type) -> OnComponent:
    """Some candidate for the interface takes part; Arc's defaults do not count."""
    return OnComponent(interface)


def on_winner(interface: type, name: str) -> OnWinner:
    """The slot of the interface is filled by the component of this name."""
    return OnWinner(interface, name)
