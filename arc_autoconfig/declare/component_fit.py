"""Checks that a component is what an interface asks for, before anything is built."""

import inspect
import types
import typing
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from typing import Any, get_args, get_origin

from arc_autoconfig.containment import Contained
from arc_autoconfig.declare.candidates import Reference
from arc_autoconfig.errors import describe_cause
from arc_core.components.extension_points import (
    ExtensionPoint,
    accepted_in,
    declared_place,
    get_added_keywords,
    get_place,
)
from arc_core.components.text_lists import is_text
from arc_core.text.names import with_article

_LISTS = (Collection, Iterable, Sequence)


def is_protocol(interface: type) -> bool:
    """Return True if a class may stand for an interface without inheriting from it."""
    return bool(getattr(interface, "_is_protocol", False))


def is_checkable(interface: type) -> bool:
    """Return True if `isinstance` can tell, as of a protocol that is checkable at run time."""
    return not is_protocol(interface) or bool(getattr(interface, "_is_runtime_protocol", False))


@cache
def get_methods(interface: type) -> tuple[str, ...]:
    """The public methods, in the order in which the interface defines them."""
    members = vars(interface).items()
    return tuple(name for name, value in members if inspect.isfunction(value) and name[0] != "_")


@cache
def get_fields(interface: type) -> dict[str, Any]:
    """The public fields, and their types."""
    names = [name for name in inspect.get_annotations(interface) if name[0] != "_"]
    hints = typing.get_type_hints(interface) if names else {}
    return {name: hints[name] for name in names}


def is_optional(interface: type, method: str) -> bool:
    """Return True if a class may leave a method as it inherits it."""
    return not getattr(vars(interface)[method], "__isabstractmethod__", False)


def is_union(hint: Any) -> bool:
    """Return True for `A | B`, and for the `Union` of older code."""
    return get_origin(hint) in {typing.Union, types.UnionType}


def has_type(value: object, hint: Any) -> bool:
    """Return True if a value is of an annotated type, as far as that shows without looking inside.

    True and False are not numbers, and a text is not a list; what cannot be judged passes.
    """
    origin = get_origin(hint)
    if is_union(hint):
        return any(has_type(value, each) for each in get_args(hint))
    expected = origin or hint
    if expected is Any or not isinstance(expected, type):
        return True
    if isinstance(value, bool):
        return expected in {bool, object}
    if is_text(value) and expected in _LISTS:
        return False
    return isinstance(value, int | float if expected is float else expected)


_ABSENT = object()


def missing_in(component: object, interface: type) -> list[str]:
    """The methods of an interface that a class or instance lacks, and the fields of an instance."""
    cls = _get_class(component)
    missing = [name for name in get_methods(interface) if not _has_method(cls, name, interface)]
    if isinstance(component, type):
        return missing
    names = [*missing, *get_fields(interface)]
    return [name for name in names if _read_value(component, name) is _ABSENT]


def find_wrong_members(component: object, interface: type) -> Iterator[str]:
    """Say what is wrong with the members that a class or an instance has."""
    cls = _get_class(component)
    for name in get_methods(interface):
        problem = _find_method_problem(
            inspect.getattr_static(cls, name, None), vars(interface)[name]
        )
        if problem is not None:
            yield f"{name} {problem}"
    for name, hint in get_fields(interface).items():
        with Contained() as attempt:
            value = _static_value(cls, name) if cls is component else getattr(component, name)
            if value is not _ABSENT and not has_type(value, hint):
                kind, wanted = type(value).__qualname__, inspect.formatannotation(hint)
                yield f"{name} is of the type {kind}, not {wanted}"
        if attempt.error is not None:
            yield f"{name} cannot be read: {describe_cause(attempt.error)}"


def _has_method(cls: type, name: str, interface: type) -> bool:
    """Return True if a method is there, and not only declared by the interface."""
    found = inspect.getattr_static(cls, name, None)
    if found is vars(interface)[name]:
        return is_optional(interface, name)
    return found is not None and not getattr(found, "__isabstractmethod__", False)


def _read_value(component: object, name: str) -> object:
    """An attribute of an instance; what fails when it is read counts as there."""
    with Contained() as attempt:
        found: object = getattr(component, name, _ABSENT)
        if inspect.ismethod(found) and getattr(found, "__isabstractmethod__", False):
            return _ABSENT
        return found
    return attempt.error


def _static_value(cls: type, name: str) -> object:
    """The value that a class gives a field; absent if a property or an instance gives it."""
    value = inspect.getattr_static(cls, name, _ABSENT)
    return _ABSENT if hasattr(type(value), "__get__") else value


def _find_method_problem(found: object, declared: Callable[..., object]) -> str | None:
    if isinstance(found, staticmethod | classmethod):
        found = found.__func__
    if not inspect.isfunction(found):
        is_hidden = found is None or callable(found) or hasattr(type(found), "__get__")
        return None if is_hidden else f"is of the type {type(found).__qualname__}, not a method"
    if not inspect.iscoroutinefunction(declared):
        is_async = inspect.iscoroutinefunction(found)
        return "is an asynchronous function, and Arc calls it without `await`" if is_async else None
    if inspect.isgeneratorfunction(found) or inspect.isasyncgenfunction(found):
        return "contains `yield`, and Arc awaits one answer of it"
    if not inspect.iscoroutinefunction(found) and _is_never_awaitable(found):
        return "is not an asynchronous function: write `async def`"
    unknown = _keywords_not_taken(found, declared)
    return f"takes no parameter `{unknown[0]}`, which Arc gives it by name" if unknown else None


def _keywords_not_taken(found: types.FunctionType, declared: Callable[..., object]) -> list[str]:
    """The keyword-only parameters of an interface's method that another has none for."""
    wanted, taken = inspect.unwrap(declared).__code__, found.__code__
    if taken.co_flags & inspect.CO_VARKEYWORDS:
        return []
    names = {
        *taken.co_varnames[: taken.co_argcount + taken.co_kwonlyargcount],
        *get_added_keywords(declared),
    }
    keywords = wanted.co_varnames[wanted.co_argcount :][: wanted.co_kwonlyargcount]
    return [name for name in keywords if name not in names]


def _is_never_awaitable(function: Callable[..., object]) -> bool:
    """Return True if a plain function says that it returns nothing that can be awaited."""
    if hasattr(function, "__wrapped__"):
        return False
    with Contained():
        returned: Any = typing.get_type_hints(function).get("return", Any)
        members = get_args(returned) if is_union(returned) else (returned,)
        return all(
            isinstance(cls := get_origin(each) or each, type)
            and cls is not object
            and not issubclass(cls, Awaitable)
            for each in members
        )
    return False


_CLOSENESS = 0.8
"""The likeness from which one name is taken for a misspelling of another."""


def find_near_miss(cls: type, interface: type) -> str | None:
    """Say what in a class is nearly a member of its interface; None if nothing is.

    What resembles a method that must be there is a near miss only if that method is missing. What
    resembles one that may be left out, as those of a hook may, always is: nothing else would tell.
    """
    methods = {
        _fold(name): name
        for name in get_methods(interface)
        if is_optional(interface, name)
        or inspect.getattr_static(cls, name, None) in {None, vars(interface)[name]}
    }
    own = _own_classes(cls, interface)
    fields = {
        _fold(name): name
        for name in get_fields(interface)
        if not any(name in vars(each) or name in inspect.get_annotations(each) for each in own)
    }
    for name, value in _additions(own, interface):
        meant = _closest(name, methods if callable(value) else fields)
        is_fit = callable(value) or (meant and has_type(value, get_fields(interface)[meant]))
        if meant is not None and is_fit:
            return f"it has {name}, which Arc never uses: write {meant}"
    return None


def _own_classes(cls: type, interface: type) -> list[type]:
    """A class and its bases, without interfaces."""
    others = {object, interface}
    return [
        base
        for base in cls.__mro__
        if base not in others and not vars(base).get("_is_protocol", False)
    ]


def _additions(own: Iterable[type], interface: type) -> Iterator[tuple[str, Any]]:
    """Public members that an interface does not have."""
    known = {*get_methods(interface), *get_fields(interface)}
    for each in own:
        for name, value in vars(each).items():
            if name[0] != "_" and name not in known:
                yield name, value


def _closest(name: str, known: Mapping[str, str]) -> str | None:
    close = get_close_matches(_fold(name), known, n=1, cutoff=_CLOSENESS)
    return known[close[0]] if close else None


def _fold(name: str) -> str:
    return name.lower().replace("_", "")


def meant_among(component: object, places: Sequence[ExtensionPoint]) -> tuple[ExtensionPoint, ...]:
    """Of the places that a class or instance looks like, those that it can mean."""
    interfaces = {place.interface for place in places}
    dropped: set[type] = set()
    for place in places:
        other = place.resembles
        if other in interfaces and other is not None:
            dropped.add(other if _means(component, place.interface, other) else place.interface)
    return tuple(place for place in places if place.interface not in dropped)


def _means(component: object, interface: type, other: type) -> bool:
    """Return True if a component has what only this one of two interfaces has."""
    own = get_fields(interface).keys() - get_fields(other).keys()
    if own and all(inspect.getattr_static(component, name, _ABSENT) is not _ABSENT for name in own):
        return True
    cls = _get_class(component)
    return bool(
        (_types_in(interface, interface) - _types_in(other, other)) & _types_in(cls, interface)
    )


def _types_in(cls: type, interface: type) -> set[object]:
    """The types that the methods of an interface, as a class has them, are annotated with."""
    found: set[object] = set()
    for name in get_methods(interface):
        with Contained():  # annotations may name what cannot be imported here
            hints = typing.get_type_hints(inspect.getattr_static(cls, name))
            found |= {hint for hint in hints.values() if isinstance(hint, type)}
    return found


def has_members(component: object, place: ExtensionPoint) -> bool:
    """Return True if a class, or that of an instance, has members of a place as attributes."""
    if not place.is_named_by_members:
        return False
    cls = _get_class(component)
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
