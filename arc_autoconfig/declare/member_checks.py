"""Whether a component has the members of an interface, each of the kind that Arc can use."""

import inspect
import types
import typing
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, get_args, get_origin

from arc_autoconfig.containment import Contained
from arc_autoconfig.declare.interface_members import fields_of, has_type, is_optional, methods_of
from arc_autoconfig.errors import cause_of
from arc_core.components.extension_points import added_keywords_of

__all__ = ["missing_in", "wrong_members_of"]

_ABSENT = object()


def missing_in(component: object, interface: type) -> list[str]:
    """The methods of an interface that a class or instance lacks, and the fields of an instance."""
    is_class = isinstance(component, type)
    cls = component if isinstance(component, type) else type(component)
    missing = [name for name in methods_of(interface) if not _has_method(cls, name, interface)]
    if is_class:
        return missing
    names = [*missing, *fields_of(interface)]
    return [name for name in names if _value_of(component, name) is _ABSENT]


def wrong_members_of(component: object, interface: type) -> Iterator[str]:
    """What is wrong with the members that a class or an instance has, in words for people."""
    cls = component if isinstance(component, type) else type(component)
    for name in methods_of(interface):
        flaw = _flaw_in_method(inspect.getattr_static(cls, name, None), vars(interface)[name])
        if flaw is not None:
            yield f"{name} {flaw}"
    for name, hint in fields_of(interface).items():
        with Contained() as attempt:
            value = _static_value(cls, name) if cls is component else getattr(component, name)
            if value is not _ABSENT and not has_type(value, hint):
                kind, wanted = type(value).__qualname__, inspect.formatannotation(hint)
                yield f"{name} is of the type {kind}, not {wanted}"
        if attempt.error is not None:
            yield f"{name} cannot be read: {cause_of(attempt.error)}"


def _has_method(cls: type, name: str, interface: type) -> bool:
    """Whether a method is there, and not only declared by the interface."""
    found = inspect.getattr_static(cls, name, None)
    if found is vars(interface)[name]:
        return is_optional(interface, name)
    return found is not None and not getattr(found, "__isabstractmethod__", False)


def _value_of(component: object, name: str) -> object:
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


def _flaw_in_method(found: object, declared: Callable[..., object]) -> str | None:
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
        *added_keywords_of(declared),
    }
    keywords = wanted.co_varnames[wanted.co_argcount :][: wanted.co_kwonlyargcount]
    return [name for name in keywords if name not in names]


def _is_never_awaitable(function: Callable[..., object]) -> bool:
    """Whether a plain function says of itself that it returns nothing that can be awaited."""
    if hasattr(function, "__wrapped__"):
        return False
    with Contained():
        returned: Any = typing.get_type_hints(function).get("return", Any)
        is_union = get_origin(returned) in {typing.Union, types.UnionType}
        members = get_args(returned) if is_union else (returned,)
        return all(
            isinstance(cls := get_origin(each) or each, type)
            and cls is not object
            and not issubclass(cls, Awaitable)
            for each in members
        )
    return False
