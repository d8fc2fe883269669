"""Components that bring several members of a contribution: a class with methods for tools."""

from arc_core.components.extension_points import Contribution, Place, accepted_in

__all__ = ["has_members", "members_of"]


def has_members(component: object, place: Place) -> bool:
    """Whether a class, or the class of an instance, has attributes that are members of a place."""
    if not (isinstance(place, Contribution) and place.is_named_by_members):
        return False
    cls = component if isinstance(component, type) else type(component)
    if set(accepted_in(place)) & set(cls.__mro__):
        return False
    return any(_is_member(value, place) for base in cls.__mro__ for value in vars(base).values())


def members_of(component: object, place: Place) -> tuple[object, ...]:
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


def _is_member(value: object, place: Place) -> bool:
    return place.interface in type(value).__mro__
