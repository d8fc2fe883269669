"""Checks that a component is what an interface asks for, before anything is built."""

import inspect
from collections.abc import Iterable

from arc_autoconfig.declare.candidates import Reference
from arc_autoconfig.declare.interface_members import (
    find_near_miss,
    find_wrong_members,
    is_checkable,
    is_protocol,
    meant_among,
    missing_in,
)
from arc_core.components.extension_points import (
    Contribution,
    ExtensionPoint,
    accepted_in,
    declared_place,
    get_place,
)
from arc_core.text.names import with_article


def has_members(component: object, place: ExtensionPoint) -> bool:
    """Return True if a class, or that of an instance, has members of a place as attributes."""
    if not (isinstance(place, Contribution) and place.is_named_by_members):
        return False
    cls = component if isinstance(component, type) else type(component)
    if set(accepted_in(place)) & set(cls.__mro__):
        return False
    return any(_is_member(value, place) for base in cls.__mro__ for value in vars(base).values())


def get_members(component: object, place: ExtensionPoint) -> tuple[object, ...]:
    """The members that a component brings, bound to it, as written; else it is the only one."""
    if not has_members(component, place):
        return (component,)
    names = {
        name: None
        for cls in reversed(type(component).__mro__)
        for name, value in vars(cls).items()
        if _is_member(value, place)
    }
    found = (getattr(component, name) for name in names)
    return tuple(each for each in found if _is_member(each, place))


def _is_member(value: object, place: ExtensionPoint) -> bool:
    return place.interface in type(value).__mro__


def find_problem(component: object, interface: type) -> str | None:
    """Why a class or an instance is not what an interface asks for; None if it is."""
    cls = _get_class(component)
    if has_members(cls, get_place(interface)):
        return None
    interface = _meant(cls, interface)
    if not is_protocol(interface) and interface not in cls.__mro__:
        return f"{cls.__qualname__} does not inherit from {interface.__name__}"
    if not is_protocol(interface) and declared_place(interface) is None:
        return None
    missing, near = missing_in(component, interface), find_near_miss(cls, interface)
    complaints = [f"it lacks {', '.join(missing)}"] if missing else []
    complaints += [near] if near is not None else []
    complaints = complaints or list(find_wrong_members(component, interface))
    if complaints:
        named = with_article(interface.__name__)
        return f"{cls.__qualname__} is not {named}: {'; '.join(complaints)}"
    return None


def _meant(cls: type, interface: type) -> type:
    """The interface, or the variant of it that a class inherits from or looks like."""
    _, *variants = accepted_in(get_place(interface))
    is_meant = (each for each in variants if each in cls.__mro__ or not missing_in(cls, each))
    return next(is_meant, interface)


def is_of_kind(component: object, interfaces: tuple[type, ...]) -> bool:
    """Return True if a component is of one of the interfaces, checkable or not."""
    checkable = tuple(each for each in interfaces if is_checkable(each))
    others = (each for each in interfaces if each not in checkable)
    return isinstance(component, checkable) or any(
        not missing_in(component, each) for each in others
    )


def is_maker(component: object) -> bool:
    """Return True if a component is a function or method that makes the one that is meant."""
    return (
        inspect.isfunction(component) or inspect.ismethod(component) or inspect.isbuiltin(component)
    )


def kind_of_deferred(function: object) -> str | None:
    """Name the kind of a function whose call does not run its body; None for a plain one."""
    if inspect.iscoroutinefunction(function):
        return "an asynchronous function"
    if inspect.isasyncgenfunction(function):
        return "an asynchronous generator function"
    return "a generator function" if inspect.isgeneratorfunction(function) else None


def is_built(component: object, interface: type) -> bool:
    """Return True if a component is used as it is, and not called with its parameters injected."""
    if isinstance(component, type) or is_maker(component):
        return False
    return not callable(component) or find_problem(component, interface) is None


def is_instance(component: object, interface: type) -> bool:
    """Return True if a component is there already, and so can be put around no other one."""
    return not isinstance(component, str | Reference) and is_built(component, interface)


def find_offer_problem(component: object, interface: type, *, wraps: bool = False) -> str | None:
    """Why a component cannot be offered for an interface, as far as shows before it is built."""
    if wraps and is_instance(component, interface):
        return f"it is an instance, and cannot wrap {with_article(interface.__name__)}"
    is_judged = isinstance(component, type) or is_built(component, interface)
    return find_problem(component, interface) if is_judged else None


def fitting_places(
    component: object, places: Iterable[ExtensionPoint]
) -> tuple[ExtensionPoint, ...]:
    """The places a class or instance may take: those it inherits from, else all it looks like.

    Members that it brings, such as methods decorated with `@tool`, make it fit for their place,
    whatever else it inherits from.
    """
    places = tuple(places)
    return inherited_places(component, places) or meant_among(
        component, tuple(place for place in places if _looks_like(component, place))
    )


def inherited_places(
    component: object, places: Iterable[ExtensionPoint]
) -> tuple[ExtensionPoint, ...]:
    """The places that a class or instance says it is for: by its bases, or by its members."""
    mro = set(_get_class(component).__mro__)
    return tuple(
        place for place in places if has_members(component, place) or set(accepted_in(place)) & mro
    )


def _looks_like(component: object, place: ExtensionPoint) -> bool:
    """Return True if a component has all that an interface or one of its variants names."""
    interface, *variants = accepted_in(place)
    if any(not missing_in(_get_class(component), each) for each in variants):
        return True
    return is_protocol(interface) and not missing_in(component, interface)


def _get_class(component: object) -> type:
    return component if isinstance(component, type) else type(component)
