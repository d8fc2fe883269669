"""What a service is a component of: the class itself, or what a function says it returns."""

import collections.abc
import contextlib
import inspect
import typing
from typing import Any, get_args, get_origin

from arc_autoconfig.containment import Contained
from arc_autoconfig.errors import ComponentError, cause_of, source_of
from arc_core.components.extension_points import can_be_service

__all__ = ["product_of"]

_YIELDING = (
    collections.abc.AsyncGenerator,
    collections.abc.AsyncIterable,
    collections.abc.AsyncIterator,
    collections.abc.Generator,
    collections.abc.Iterable,
    collections.abc.Iterator,
    contextlib.AbstractAsyncContextManager,
    contextlib.AbstractContextManager,
)


def product_of(component: object) -> Any:
    """The type of the service that a class, a function or an instance is offered as.

    Of a function it is the annotation of what it returns; of a generator function and of a context
    manager the annotation of what is yielded. It is a class, or a generic one with its arguments.

    Raises:
        ComponentError: A function does not say what it makes.
    """
    if isinstance(component, type):
        return component
    if not inspect.isroutine(component):
        made_as = getattr(component, "__orig_class__", None)
        return made_as if get_origin(made_as) is type(component) else type(component)
    returned = _annotation_of(component)
    if get_origin(returned) in _YIELDING:
        returned = get_args(returned)[0]
    if get_args(returned) and getattr(returned, "__parameters__", ()):
        raise _unknown_product(component, f"its return annotation {returned!r} has open parameters")
    if can_be_service(returned) and returned not in {object, type(None)}:
        return returned
    raise _unknown_product(component, f"its return annotation is {returned!r}, not a class")


def _annotation_of(function: Any) -> Any:
    with Contained() as attempt:
        hints = typing.get_type_hints(inspect.unwrap(function))
        if "return" in hints:
            return hints["return"]
        raise _unknown_product(function, "it has no return annotation")
    assert attempt.error is not None
    if isinstance(attempt.error, ComponentError):
        raise attempt.error
    raise _unknown_product(function, cause_of(attempt.error)) from None


def _unknown_product(function: Any, evidence: str) -> ComponentError:
    name = getattr(function, "__qualname__", repr(function))
    return ComponentError(
        f"it is not known of which type {name} makes a service",
        evidence=[evidence, f"its place: {source_of(function)}"],
        remedy=f"annotate what it returns, as in `def {name}(…) -> Database`",
    )
