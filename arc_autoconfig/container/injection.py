"""Reads what constructors and functions ask for from the annotations of their parameters."""

import inspect
import typing
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import Enum
from typing import Annotated, Any, get_args, get_origin

from pydantic import BaseModel

from arc_autoconfig.containment import Contained
from arc_autoconfig.declare.candidates import Candidate
from arc_autoconfig.declare.component_fit import is_union
from arc_autoconfig.errors import InjectionError, describe_cause, locate_source
from arc_core.components.extension_points import (
    Contribution,
    Slot,
    accepted_in,
    can_be_service,
    declared_place,
    get_place,
)
from arc_core.components.injection import FromSettings, Lazy, Named, Registered
from arc_core.components.wiring_record import WiringRecord
from arc_core.interfaces.run_scope import RunContext, RunScopes
from arc_core.log import Logger
from arc_core.settings import AgentSettings, Section


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


_GIVEN: Mapping[Any, Given] = {
    Logger: Given.LOGGER,
    RunContext: Given.RUN_CONTEXT,
    RunScopes: Given.RUN_SCOPES,
    WiringRecord: Given.WIRING_RECORD,
}
_SEQUENCES = (list, tuple, Sequence, Collection, Iterable)
_NEVER_OFFERED = {"builtins", "collections.abc", "types", "typing"}


def read_needs(
    component: Callable[..., object],
    *,
    owner: str,
    services: Collection[Any] = (),
    wrapped: Any = None,
    deps: Callable[[Any], DepsOf | None] = lambda _annotation: None,
) -> tuple[Need, ...]:
    """The parameters that are to be filled, in their order; others keep their default."""
    needs: list[Need] = []
    for parameter, annotation in _parameters(component, owner):
        has_default = parameter.default is not parameter.empty
        is_wrapped = wrapped is not None and annotation == wrapped
        what: What | None = Given.WRAPPED if is_wrapped else deps(annotation)
        what = what or parse_annotation(annotation, services)
        group, _ = unwrap_optional(annotation)
        is_nothing = what is None or isinstance(what, FixedValue)
        if is_nothing and _is_group(group, services) and not has_default:
            name = f"{owner}, {parameter.name}"
            inner = read_needs(group, owner=name, services=services, deps=deps)
            what = Group(group, inner)
        if what is None and not has_default:
            kin = [each for each in services if _are_kin(each, annotation)]
            raise _not_injectable_error(component, owner, parameter, kin=kin)
        is_missed = what is not None and not (has_default and isinstance(what, SectionOf))
        if what is not None and parameter.kind is not parameter.POSITIONAL_ONLY:
            needs.append(Need(parameter.name, what, has_default))
        elif is_missed:
            raise _positional_only_error(component, owner, parameter)
    if wrapped is not None:
        _check_wraps_once(needs, component, owner=owner, wrapped=wrapped)
    return tuple(needs)


def _parameters(
    component: Callable[..., object], owner: str
) -> Iterable[tuple[inspect.Parameter, Any]]:
    annotations = _read_annotations(component, owner)
    for parameter in inspect.signature(component).parameters.values():
        if parameter.kind not in {parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD}:
            yield parameter, annotations.get(parameter.name)


def _read_annotations(component: Callable[..., object], owner: str) -> dict[str, Any]:
    function: Any = component
    if isinstance(component, type):
        function = component.__init__  # type: ignore[misc]
    elif not inspect.isroutine(component):
        function = type(component).__call__
    with Contained() as attempt:
        return typing.get_type_hints(function, include_extras=True)
    assert attempt.error is not None
    raise InjectionError(
        f"the annotations of {owner} cannot be read",
        evidence=[describe_cause(attempt.error), f"its place: {locate_source(component)}"],
        remedy="import the annotated classes where the component is defined, at run time too",
    ) from None


def parse_annotation(annotation: Any, services: Collection[Any] = ()) -> What | None:
    """Return what an annotation asks for; None for anything that Arc does not have."""
    asked, is_optional = unwrap_optional(annotation)
    what = _parse_one(asked, services, is_optional=is_optional)
    if what is None and is_optional and _is_offerable(asked):
        return FixedValue(None)
    return what


def _parse_one(annotation: Any, services: Collection[Any], *, is_optional: bool) -> What | None:
    if get_origin(annotation) is Annotated:
        return _parse_annotated(annotation, services, is_optional=is_optional)
    many = _parse_many(annotation, services) if get_origin(annotation) is not None else None
    if many is not None:
        return many
    offered = _find_service(annotation, services)
    place = declared_place(annotation) if offered is None else get_place(offered)
    if isinstance(place, Slot):
        return OneComponent(place, is_optional)
    given = next((each for kind, each in _GIVEN.items() if kind is annotation), None)
    if given is not None:
        return given
    return SectionOf(annotation, is_optional) if _is_section(annotation, services) else None


def _find_service(annotation: Any, services: Collection[Any]) -> Any:
    """The type of a service that is asked for; a generic one without arguments if it is alone."""
    if not can_be_service(annotation) or not isinstance(annotation, Hashable):
        return None
    if annotation in services:
        return annotation
    generic = [each for each in services if get_origin(each) is annotation]
    return generic[0] if len(generic) == 1 else None


def _is_offerable(annotation: Any) -> bool:
    """Tell whether a component of an annotation could be registered; texts cannot."""
    origin, members = get_origin(annotation), get_args(annotation)
    if origin is Annotated or origin is Lazy:
        return _is_offerable(unwrap_optional(members[0])[0])
    if origin is Mapping or origin is dict:
        return members[0] is str and _is_offerable(members[1])
    cls = origin or annotation
    return isinstance(cls, type) and cls.__module__ not in _NEVER_OFFERED


def _parse_annotated(
    annotation: Any, services: Collection[Any], *, is_optional: bool
) -> What | None:
    asked, *marks = get_args(annotation)
    what = parse_annotation(asked, services)
    named = next((each for each in marks if isinstance(each, Named)), None)
    if isinstance(what, OneComponent):
        is_optional = is_optional or what.is_optional
        return replace(what, is_optional=is_optional, name=named.name if named else what.name)
    if isinstance(what, ComponentsByName):
        return replace(what, is_listed=any(isinstance(each, FromSettings) for each in marks))
    return what


def _parse_many(annotation: Any, services: Collection[Any]) -> What | None:
    origin, members = get_origin(annotation), get_args(annotation)
    if origin is Lazy:
        return _later(parse_annotation(members[0], services))
    if origin is Mapping or origin is dict:
        what = parse_annotation(members[1], services) if members[0] is str else None
        return ComponentsByName(what.place) if isinstance(what, OneComponent) else None
    asked = get_args(members[0]) if is_union(members[0]) else members[:1]
    place = declared_place(asked[0]) if asked else None
    if not isinstance(place, Contribution) or not set(asked) <= set(accepted_in(place)):
        return None
    if origin is Registered:
        return Components(place, Registered, (place.interface,))
    collect = list if origin is list else tuple
    return Components(place, collect, asked) if origin in _SEQUENCES else None


def _later(what: What | None) -> What | None:
    if isinstance(what, FixedValue):
        return FixedValue(Lazy(_give_none))
    return LaterComponent(what) if isinstance(what, OneComponent) else None


async def _give_none() -> None:
    return None


def _is_section(annotation: Any, services: Collection[Any]) -> bool:
    if is_dataclass(annotation):
        return not _is_group(annotation, services)
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)


def _is_group(annotation: Any, services: Collection[Any]) -> bool:
    """Return True if a dataclass holds components; one that holds values only is a section."""
    if not (isinstance(annotation, type) and is_dataclass(annotation)):
        return False
    hints = typing.get_type_hints(annotation, include_extras=True)
    fields_ = [hints[each.name] for each in fields(annotation) if each.init]
    return any(_asks_for_component(each, services) or _is_group(each, services) for each in fields_)


def _asks_for_component(annotation: Any, services: Collection[Any]) -> bool:
    what = parse_annotation(annotation, services)
    is_plain = isinstance(what, SectionOf) and not issubclass(what.section, Section | AgentSettings)
    return what is not None and not is_plain


def unwrap_optional(annotation: Any) -> tuple[Any, bool]:
    """The annotation without `| None`, and whether None was allowed."""
    if is_union(annotation):
        others = [each for each in get_args(annotation) if each is not type(None)]
        if len(others) == 1:
            return others[0], True
    return annotation, False


def _check_wraps_once(
    needs: Sequence[Need], component: object, *, owner: str, wrapped: Any
) -> None:
    inner = [each.parameter for each in needs if each.what is Given.WRAPPED]
    if len(inner) != 1:
        name = wrapped.__name__
        found = f"{', '.join(inner)} are of the type {name}" if inner else "none has that type"
        raise InjectionError(
            f"{owner} wraps a {name}, and must have exactly one parameter of the type {name}",
            evidence=[found, f"its place: {locate_source(component)}"],
            remedy=f"annotate one parameter with {name}: it gets what is wrapped",
        )


def _are_kin(offered: Any, asked: Any) -> bool:
    """Tell whether two types are one generic class with other arguments, or without any."""
    asked, _ = unwrap_optional(asked)
    kind = get_origin(asked) or asked
    return kind is not None and (get_origin(offered) or offered) is kind


def _positional_only_error(
    component: object, owner: str, parameter: inspect.Parameter
) -> InjectionError:
    return InjectionError(
        f"{owner} has a parameter that is positional-only: {parameter}",
        evidence=[f"its place: {locate_source(component)}", "Arc fills parameters by their names"],
        remedy="remove the `/` from the signature, or offer a function that makes the component",
    )


def _not_injectable_error(
    component: object, owner: str, parameter: inspect.Parameter, *, kin: Sequence[Any]
) -> InjectionError:
    annotation = parameter.annotation
    is_class = can_be_service(annotation) and annotation.__module__ != "builtins"
    name = _short_name(annotation) if is_class else "Database"
    offered = ", ".join(map(_short_name, kin))
    return InjectionError(
        f"{owner} has a parameter that cannot be filled: {parameter}",
        evidence=[
            f"its place: {locate_source(component)}",
            *([f"there is {offered}, which is another type"] if kin else []),
            "Arc fills in interfaces, list[Guard] and the like, services, settings, and Logger",
        ],
        remedy="annotate it with one of these, give it a default, or offer what it needs as a "
        f"service: register=[service({name})], or registry.provide({name}, …) in a plugin",
    )


def _short_name(kind: Any) -> str:
    arguments = ", ".join(map(_short_name, get_args(kind)))
    name: str = getattr(kind, "__name__", None) or repr(kind)
    return f"{name}[{arguments}]" if arguments else name
