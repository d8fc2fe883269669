"""The things that a parameter can ask for, and the plans by which components are made."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

from arc_autoconfig.declare.candidates import Candidate
from arc_core.components.extension_points import Contribution, Slot


class Given(Enum):
    """A need that says by itself what it is filled with."""

    LOGGER = "the component's own logger"
    RUN_CONTEXT = "the run that the component belongs to"
    RUN_SCOPES = "the `RunScopes`, for a component that runs agents itself"
    WIRING_RECORD = "the components of the application, for what records runs"
    WRAPPED = "the component that a wrapper is put around"


@dataclass(frozen=True, slots=True)
class OneComponent:
    """The component of a slot, or another offer by its name; None if optional and not there."""

    place: Slot
    is_optional: bool
    name: str | None = None


@dataclass(frozen=True, slots=True)
class DepsOf:
    """A value that the caller hands to the run, by its type or a base of it."""

    cls: type
    is_optional: bool
    otherwise: "What | None" = None


@dataclass(frozen=True, slots=True)
class LaterComponent:
    """A `Lazy` that builds the component of a slot when it is first asked for."""

    component: OneComponent


@dataclass(frozen=True, slots=True)
class ComponentsByName:
    """All components that could fill a slot, by their names."""

    place: Slot
    is_listed: bool = False


@dataclass(frozen=True, slots=True)
class Components:
    """All components of a contribution, in order.

    Attributes:
        collect: Makes a list or a tuple of them; or `Registered`, of the program's own alone.
        interfaces: Those asked for; components of variants are left out that are not.
    """

    place: Contribution
    collect: Callable[[tuple[object, ...]], object]
    interfaces: tuple[type, ...]


@dataclass(frozen=True, slots=True)
class SectionOf:
    """A section of the settings by its class, or all of them; None if optional and not there."""

    section: type
    is_optional: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """A dataclass of needs, such as `AgentComponents`."""

    cls: Callable[..., object]
    needs: tuple["Need", ...]


@dataclass(frozen=True, slots=True)
class FixedValue:
    """A value that is known: of the application, or None for what is not there nor needed."""

    value: object


@dataclass(frozen=True, slots=True)
class Need:
    """A parameter that is to be filled; with a default, it may stay as it is."""

    parameter: str
    what: "What"
    has_default: bool


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """The way one component is made, in each scope that it belongs to."""

    candidate: Candidate
    factory: Any
    needs: tuple[Need, ...] = ()
    wrappers: tuple["Plan", ...] = ()
    is_instance: bool = False
    is_function: bool = False


What = (
    OneComponent
    | FixedValue
    | Plan
    | DepsOf
    | LaterComponent
    | ComponentsByName
    | Components
    | SectionOf
    | Given
    | Group
)
"""All that a parameter can ask for; a plan is of a component that the run makes for itself."""
