"""How a component of a run is made, worked out once for all runs."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from arc_autoconfig.container.construction import owner_of
from arc_autoconfig.declare.candidates import Candidate

__all__ = [
    "Arguments",
    "Fixed",
    "FromRun",
    "GroupOfRun",
    "LaterOfRun",
    "NamedOfRun",
    "OneOfRun",
    "Part",
    "Recipe",
    "TheContext",
    "TheDeps",
    "Wrapped",
    "deps_needed_by",
]


@dataclass(frozen=True, slots=True)
class Fixed:
    """The same for every run."""

    value: object


@dataclass(frozen=True, slots=True)
class OneOfRun:
    """A component of the run."""

    recipe: "Recipe"


@dataclass(frozen=True, slots=True)
class LaterOfRun:
    """A `Lazy` of a component of the run.

    Attributes:
        asked: What the run is asked for, on first use.
    """

    asked: Any


@dataclass(frozen=True, slots=True)
class NamedOfRun:
    """Components of a slot by their names, at least one of which is of the run."""

    members: Mapping[str, "Part"]


@dataclass(frozen=True, slots=True)
class TheContext:
    """The `RunContext`."""


@dataclass(frozen=True, slots=True)
class TheDeps:
    """What the caller hands to the run.

    Attributes:
        cls: Its type, or a base of it.
        is_optional: Whether None will do.
        has_default: Whether the parameter may be left out.
        otherwise: What is given to runs that are handed nothing of this type.
    """

    cls: type
    is_optional: bool
    has_default: bool = False
    otherwise: "Part | None" = None

    @property
    def is_needed(self) -> bool:
        """Whether no run can do without it."""
        return not self.is_optional and not self.has_default and self.otherwise is None


@dataclass(frozen=True, slots=True)
class Wrapped:
    """The component that a wrapper is put around."""


@dataclass(frozen=True, slots=True)
class GroupOfRun:
    """A dataclass, some of whose fields are of the run."""

    cls: Callable[..., object]
    arguments: "Arguments"


FromRun = OneOfRun | LaterOfRun | NamedOfRun | TheContext | TheDeps | Wrapped | GroupOfRun
Part = Fixed | FromRun


@dataclass(frozen=True, slots=True)
class Arguments:
    """What a factory is called with.

    Attributes:
        fixed: The same for every run, by the name of the parameter.
        of_run: What each run fills in.
    """

    fixed: Mapping[str, object]
    of_run: Mapping[str, FromRun]


@dataclass(frozen=True, slots=True, eq=False)
class Recipe:
    """How one component is made in each run.

    Attributes:
        candidate: Whose it is.
        factory: The class or function.
        arguments: What the factory is called with.
        wrappers: What wraps the component, the innermost first.
    """

    candidate: Candidate
    factory: Callable[..., object]
    arguments: Arguments
    wrappers: tuple["Recipe", ...] = ()

    @property
    def owner(self) -> str:
        """Whose the component is, in words for people."""
        return owner_of(self.candidate)


def deps_needed_by(part: Part) -> Iterator[type]:
    """The types of which a run must be handed a value, for a parameter to be filled."""
    match part:
        case TheDeps() if part.is_needed:
            yield part.cls
        case OneOfRun(recipe):
            for each in (recipe, *recipe.wrappers):
                yield from _needed_in(each.arguments)
        case NamedOfRun(members):
            for member in members.values():
                yield from deps_needed_by(member)
        case GroupOfRun(_, arguments):
            yield from _needed_in(arguments)


def _needed_in(arguments: Arguments) -> Iterator[type]:
    for part in arguments.of_run.values():
        yield from deps_needed_by(part)
