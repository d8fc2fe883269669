"""Interfaces with the same methods: which of them a class means that inherits from neither."""

import inspect
import typing
from collections.abc import Sequence

from arc_autoconfig.containment import Contained
from arc_autoconfig.declare.interface_members import fields_of, methods_of
from arc_core.components.extension_points import Contribution, Place

__all__ = ["meant_among"]

_ABSENT = object()


def meant_among(component: object, places: Sequence[Place]) -> tuple[Place, ...]:
    """Of the places that a class or instance looks like, those that it can mean."""
    interfaces = {place.interface for place in places}
    dropped: set[type] = set()
    for place in places:
        other = place.resembles if isinstance(place, Contribution) else None
        if other in interfaces and other is not None:
            dropped.add(other if _means(component, place.interface, other) else place.interface)
    return tuple(place for place in places if place.interface not in dropped)


def _means(component: object, interface: type, other: type) -> bool:
    """Whether a component has what only this one of two interfaces has."""
    own = fields_of(interface).keys() - fields_of(other).keys()
    if own and all(inspect.getattr_static(component, name, _ABSENT) is not _ABSENT for name in own):
        return True
    cls = component if isinstance(component, type) else type(component)
    return bool(
        (_types_in(interface, interface) - _types_in(other, other)) & _types_in(cls, interface)
    )


def _types_in(cls: type, interface: type) -> set[object]:
    """The types that the methods of an interface, as a class has them, are annotated with."""
    found: set[object] = set()
    for name in methods_of(interface):
        with Contained():  # annotations may name what cannot be imported here
            hints = typing.get_type_hints(inspect.getattr_static(cls, name))
            found |= {hint for hint in hints.values() if isinstance(hint, type)}
    return found
