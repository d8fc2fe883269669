"""What an interface consists of: its methods, its fields and their types."""

import inspect
import types
import typing
from collections.abc import Collection, Iterable, Sequence
from functools import cache
from typing import Any, get_args, get_origin

from arc_core.components.text_lists import is_text

__all__ = ["fields_of", "has_type", "is_checkable", "is_optional", "is_protocol", "methods_of"]

_LISTS = (Collection, Iterable, Sequence)


def is_protocol(interface: type) -> bool:
    """Whether a class may stand for an interface without inheriting from it."""
    return bool(getattr(interface, "_is_protocol", False))


def is_checkable(interface: type) -> bool:
    """Whether `isinstance` can tell; of a protocol it can if that is checkable at run time."""
    return not is_protocol(interface) or bool(getattr(interface, "_is_runtime_protocol", False))


@cache
def methods_of(interface: type) -> tuple[str, ...]:
    """The public methods, in the order in which the interface defines them."""
    members = vars(interface).items()
    return tuple(name for name, value in members if inspect.isfunction(value) and name[0] != "_")


@cache
def fields_of(interface: type) -> dict[str, Any]:
    """The public fields, and their types."""
    names = [name for name in inspect.get_annotations(interface) if name[0] != "_"]
    hints = typing.get_type_hints(interface) if names else {}
    return {name: hints[name] for name in names}


def is_optional(interface: type, method: str) -> bool:
    """Whether a class may leave a method as it inherits it."""
    return not getattr(vars(interface)[method], "__isabstractmethod__", False)


def has_type(value: object, hint: Any) -> bool:
    """Whether a value is of an annotated type, as far as that shows without looking inside.

    True and False are not numbers, and a text is not a list; what cannot be judged passes.
    """
    origin = get_origin(hint)
    if origin in {typing.Union, types.UnionType}:
        return any(has_type(value, each) for each in get_args(hint))
    expected = origin or hint
    if expected is Any or not isinstance(expected, type):
        return True
    if isinstance(value, bool):
        return expected in {bool, object}
    if is_text(value) and expected in _LISTS:
        return False
    return isinstance(value, int | float if expected is float else expected)
