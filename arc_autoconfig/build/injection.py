"""What a constructor or function asks for, read from the annotations of its parameters."""

import inspect
import types
import typing
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Annotated, Any, get_args, get_origin

from pydantic import BaseModel

from arc_autoconfig.containment import Contained
from arc_autoconfig.errors import InjectionError, cause_of, source_of
from arc_core.injection_marks import FromSettings, Lazy, Named, Registered
from arc_core.interfaces.run_scope import RunContext
from arc_core.interfaces.run_scopes import RunScopes
from arc_core.log import Logger
from arc_core.places import Contribution, Slot, accepted_in, declared_place, place_of
from arc_core.settings import AgentSettings, Section

__all__ = [
    "Components",
    "ComponentsByName",
    "DepsOf",
    "Group",
    "LaterComponent",
    "LoggerOf",
    "Need",
    "OneComponent",
    "RegisteredComponents",
    "RunContextOf",
    "RunScopesOf",
    "SectionOf",
    "WrappedComponent",
    "needs_of",
    "parse_annotation",
]


@dataclass(frozen=True, slots=True)
class OneComponent:
    """The component of a slot, or, by name, another one that is offered for it.

    None if there is none and `is_optional`.
    """

    place: Slot
    is_optional: bool
    name: str | None = None


@dataclass(frozen=True, slots=True)
class DepsOf:
    """What the caller hands to the run, by its type or a base of it.

    Attributes:
        cls: The type that is asked for.
        is_optional: Whether None will do.
        otherwise: The component for runs that are handed nothing of this type.
    """

    cls: type
    is_optional: bool
    otherwise: "What | None" = None


@dataclass(frozen=True, slots=True)
class LaterComponent:
    """A `Lazy` that builds the component of a slot when it is first asked for."""

    component: OneComponent


@dataclass(frozen=True, slots=True)
class ComponentsByName:
    """All components that could fill a slot, by their names.

    Attributes:
        is_listed: Whether those alone are asked for that the settings list.
    """

    place: Slot
    is_listed: bool = False


@dataclass(frozen=True, slots=True)
class Components:
    """All components of a contribution, in order, as a list or a tuple.

    Attributes:
        interfaces: Those asked for; components of variants are left out that are not.
    """

    place: Contribution
    as_list: bool
    interfaces: tuple[type, ...]


@dataclass(frozen=True, slots=True)
class RegisteredComponents:
    """The components of a contribution that the program registers itself."""

    place: Contribution


@dataclass(frozen=True, slots=True)
class WrappedComponent:
    """What a wrapper wraps."""


@dataclass(frozen=True, slots=True)
class SectionOf:
    """A section of the settings, or all of them; a pydantic model or a dataclass."""

    section: type


@dataclass(frozen=True, slots=True)
class LoggerOf:
    """The component's own logger."""


@dataclass(frozen=True, slots=True)
class RunContextOf:
    """The run that the component belongs to."""


@dataclass(frozen=True, slots=True)
class RunScopesOf:
    """Where the components of runs come from, for what runs agents."""


@dataclass(frozen=True, slots=True)
class Group:
    """A dataclass of needs, such as `AgentComponents`."""

    cls: Callable[..., object]
    needs: tuple["Need", ...]


What = (
    OneComponent
    | DepsOf
    | LaterComponent
    | ComponentsByName
    | Components
    | RegisteredComponents
    | WrappedComponent
    | SectionOf
    | LoggerOf
    | RunContextOf
    | RunScopesOf
    | Group
)


@dataclass(frozen=True, slots=True)
class Need:
    """One parameter that is to be filled.

    Attributes:
        parameter: Its name.
        what: What it is filled with.
        has_default: Whether it may stay as it is if a slot is empty.
    """

    parameter: str
    what: What
    has_default: bool


_SPECIAL: Mapping[Any, type[LoggerOf | RunContextOf | RunScopesOf]] = {
    Logger: LoggerOf,
    RunContext: RunContextOf,
    RunScopes: RunScopesOf,
}
_SEQUENCES = (list, tuple, Sequence, Collection, Iterable)


def needs_of(
    component: Callable[..., object],
    *,
    owner: str,
    services: Collection[type] = (),
    wrapped: type | None = None,
    deps: Callable[[Any], DepsOf | None] = lambda _annotation: None,
) -> tuple[Need, ...]:
    """The parameters of a class or function that are to be filled, in their order.

    A parameter with a default that asks for nothing that Arc has keeps its default.

    Args:
        component: What is to be called.
        owner: How an error calls it.
        services: The types that are offered as services.
        wrapped: The interface that it wraps; None if it wraps nothing.
        deps: Tells the annotations that ask for what is handed to a run.

    Raises:
        InjectionError: A parameter without default asks for nothing that Arc has, or a wrapper does
            not ask exactly once for what it wraps.
    """
    needs: list[Need] = []
    for parameter, annotation in _parameters(component, owner):
        has_default = parameter.default is not parameter.empty
        what: What | None = WrappedComponent() if annotation is wrapped else deps(annotation)
        what = what or parse_annotation(annotation, services)
        if what is None and _is_group(annotation, services) and not has_default:
            name = f"{owner}, {parameter.name}"
            inner = needs_of(annotation, owner=name, services=services, deps=deps)
            what = Group(annotation, inner)
        if what is not None and parameter.kind is not parameter.POSITIONAL_ONLY:
            needs.append(Need(parameter.name, what, has_default))
        elif not has_default:
            raise _not_injectable_error(component, owner, parameter)
    if wrapped is not None:
        _check_wraps_once(needs, component, owner=owner, wrapped=wrapped)
    return tuple(needs)


def _parameters(
    component: Callable[..., object], owner: str
) -> Iterable[tuple[inspect.Parameter, Any]]:
    annotations = _annotations_of(component, owner)
    for parameter in inspect.signature(component).parameters.values():
        if parameter.kind not in {parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD}:
            yield parameter, annotations.get(parameter.name)


def _annotations_of(component: Callable[..., object], owner: str) -> dict[str, Any]:
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
        evidence=[cause_of(attempt.error), f"its place: {source_of(component)}"],
        remedy="import the annotated classes where the component is defined, at run time too",
    ) from None


def parse_annotation(annotation: Any, services: Collection[type] = ()) -> What | None:
    """What an annotation asks for; None for anything that Arc does not have."""
    annotation, is_optional = _unwrap_optional(annotation)
    if get_origin(annotation) is Annotated:
        return _parse_annotated(annotation, services, is_optional=is_optional)
    if get_origin(annotation) is not None:
        return _parse_many(annotation, services)
    place = declared_place(annotation)
    if isinstance(place, Slot) or (isinstance(annotation, type) and annotation in services):
        return OneComponent(_slot_of(annotation), is_optional)
    if (special := _SPECIAL.get(annotation)) is not None:
        return special()
    return SectionOf(annotation) if _is_section(annotation, services) else None


def _slot_of(interface: type) -> Slot:
    place = place_of(interface)
    assert isinstance(place, Slot)
    return place


def _parse_annotated(
    annotation: Any, services: Collection[type], *, is_optional: bool
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


def _parse_many(annotation: Any, services: Collection[type]) -> What | None:
    origin, members = get_origin(annotation), get_args(annotation)
    if origin is Lazy:
        what = parse_annotation(members[0], services)
        return LaterComponent(what) if isinstance(what, OneComponent) else None
    if origin is Mapping or origin is dict:
        what = parse_annotation(members[1], services) if members[0] is str else None
        return ComponentsByName(what.place) if isinstance(what, OneComponent) else None
    asked = get_args(members[0]) if _is_union(members[0]) else members[:1]
    place = declared_place(asked[0]) if asked else None
    if not isinstance(place, Contribution) or not set(asked) <= set(accepted_in(place)):
        return None
    if origin is Registered:
        return RegisteredComponents(place)
    return Components(place, origin is list, asked) if origin in _SEQUENCES else None


def _is_section(annotation: Any, services: Collection[type]) -> bool:
    if is_dataclass(annotation):
        return not _is_group(annotation, services)
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)


def _is_group(annotation: Any, services: Collection[type]) -> bool:
    """Whether a dataclass holds components; one that holds values only is a section."""
    if not (isinstance(annotation, type) and is_dataclass(annotation)):
        return False
    hints = typing.get_type_hints(annotation, include_extras=True)
    fields_ = [hints[each.name] for each in fields(annotation) if each.init]
    return any(_is_wired(each, services) or _is_group(each, services) for each in fields_)


def _is_wired(annotation: Any, services: Collection[type]) -> bool:
    what = parse_annotation(annotation, services)
    is_plain = isinstance(what, SectionOf) and not issubclass(what.section, Section | AgentSettings)
    return what is not None and not is_plain


def _unwrap_optional(annotation: Any) -> tuple[Any, bool]:
    """The annotation without `| None`, and whether None was allowed."""
    if _is_union(annotation):
        others = [each for each in get_args(annotation) if each is not type(None)]
        if len(others) == 1:
            return others[0], True
    return annotation, False


def _is_union(annotation: Any) -> bool:
    return get_origin(annotation) in {typing.Union, types.UnionType}


def _check_wraps_once(
    needs: Sequence[Need], component: object, *, owner: str, wrapped: type
) -> None:
    inner = [each.parameter for each in needs if isinstance(each.what, WrappedComponent)]
    if len(inner) != 1:
        name = wrapped.__name__
        found = f"{', '.join(inner)} are of the type {name}" if inner else "none has that type"
        raise InjectionError(
            f"{owner} wraps a {name}, and must have exactly one parameter of the type {name}",
            evidence=[found, f"its place: {source_of(component)}"],
            remedy=f"annotate one parameter with {name}: it gets what is wrapped",
        )


def _not_injectable_error(
    component: object, owner: str, parameter: inspect.Parameter
) -> InjectionError:
    annotation = parameter.annotation
    is_class = isinstance(annotation, type) and annotation.__module__ != "builtins"
    name = annotation.__name__ if is_class else "Database"
    return InjectionError(
        f"{owner} has a parameter that cannot be filled: {parameter}",
        evidence=[
            f"its place: {source_of(component)}",
            "Arc fills in interfaces, list[Guard] and the like, services, settings, and Logger",
        ],
        remedy="annotate it with one of these, give it a default, or offer what it needs as a "
        f"service: register=[service({name})], or registry.provide({name}, …) in a plugin",
    )
