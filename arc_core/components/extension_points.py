"""Extension points: interfaces that can be wired, each as a slot or as a contribution.

    @slot("speech", group="acme.speech")
    class SpeechSynthesizer(Protocol): ...

Arc's own interfaces use the same decorators; there is no table of them. A class that says nothing
can be wired too: it is a service, a slot of its own type.
"""

import inspect
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import partial
from keyword import iskeyword
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin
from weakref import WeakKeyDictionary

from arc_core.error_base import ConfigurationError

T = TypeVar("T", bound=type)
F = TypeVar("F", bound=Callable[..., object])


_ADDED = "__arc_added_keywords__"


@dataclass(frozen=True, slots=True)
class _ExtensionPoint:
    """A place for components, a slot or a contribution; what is not said of it is off or None.

    Attributes:
        group: The entry points for it; a service has none.
        kept_by_wrappers: Names of attributes that a wrapper has from what it wraps, unless it says
            them itself.
        enabled_by: See `contribution`, as for `fails_closed` and `is_chosen_by_name`.
        is_named_by_members: Whether the members name themselves, so that two components may share
            a name, and keep the order in which they were registered instead of one by `order`.
        is_on_demand: See `on_demand`.
        resembles: An interface with the same methods, which a class means that only looks like
            both; None if there is none.
        choice: See `slot`, as for `instances`.
    """

    name: str
    interface: type
    group: str | None = None
    kept_by_wrappers: tuple[str, ...] = ()
    enabled_by: str | None = None
    fails_closed: bool = False
    is_named_by_members: bool = False
    is_chosen_by_name: bool = False
    is_on_demand: bool = False
    resembles: type | None = None
    choice: str | None = None
    instances: str | None = None

    @property
    def is_service(self) -> bool:
        """True if no class declared it."""
        return self.group is None

    @property
    def asked_as(self) -> Any:
        """The annotation by which its component is asked for."""
        return self.interface


@dataclass(frozen=True, slots=True)
class Slot(_ExtensionPoint):
    """A place that exactly one component fills, as `slot` declares it.

    A service has no `group`, its module and class as its `name`, and, if its class is generic, a
    `full_type` such as `Repository[User]`.
    """

    preference: str | None = None
    full_type: Any = None

    @property
    def asked_as(self) -> Any:
        """The annotation by which its component is asked for."""
        return self.interface if self.full_type is None else self.full_type


@dataclass(frozen=True, slots=True)
class Contribution(_ExtensionPoint):
    """A place where many components work together, in order, as `contribution` declares it."""

    listed_by: str | None = None


ExtensionPoint = Slot | Contribution

# Beside the classes: an attribute would count as a member of a protocol.
_DECLARED: WeakKeyDictionary[type, ExtensionPoint] = WeakKeyDictionary()
_VARIANTS: WeakKeyDictionary[type, tuple[type, ...]] = WeakKeyDictionary()


def slot(
    name: str,
    *,
    group: str,
    choice: str | None = None,
    preference: str | None = None,
    instances: str | None = None,
) -> Callable[[T], T]:
    """Declare an interface that exactly one component fills.

    Args:
        name: In the container, in `components.<slot>` and in the report.
        group: The entry points by which packages offer a component, such as `acme.speech`.
        choice: A setting that names the component besides `components.<slot>`, whatever its
            conditions but those on packages.
        preference: A setting that names, if it is set, the component among those whose conditions
            hold; a name that nothing installed has is an error.
        instances: A setting beside `choice` that is a table of sections. Each of them is one more
            component of the slot, had by the name of its entry and made as the settings would have
            it if what the entry says stood in the section of `choice`; see `Section.overlay`.

    Raises:
        ConfigurationError: The name or the group cannot be used, the class is declared already, or
            `instances` does not stand beside `choice`.
    """

    def declare(interface: T) -> T:
        declared = Slot(
            name, interface, group=group, choice=choice, preference=preference, instances=instances
        )
        _check_instances(declared)
        _declare(declared)
        return interface

    return declare


def contribution(
    name: str,
    *,
    group: str,
    enabled_by: str | None = None,
    listed_by: str | None = None,
    fails_closed: bool = False,
    is_named_by_members: bool = False,
    is_chosen_by_name: bool = False,
) -> Callable[[T], T]:
    """Declare an interface of which many components work together, in order.

    Args:
        name: In the container and in the report.
        group: The entry points by which packages bring a component, such as `acme.detectors`.
        enabled_by: The setting that, when false, leaves all of them out.
        listed_by: The setting that lists Arc's own components by name.
        fails_closed: Whether a component that cannot be loaded stops start-up.
        is_named_by_members: Whether a component may bring several members, which name themselves.
        is_chosen_by_name: Whether one of them is asked for by its name: of two namesakes the one in
            code wins over the one in settings, that over one of a package, and that over Arc's.

    Raises:
        ConfigurationError: The name or the group cannot be used, or the class is declared already.
    """

    def declare(interface: T) -> T:
        declared = Contribution(
            name,
            interface,
            group=group,
            enabled_by=enabled_by,
            listed_by=listed_by,
            fails_closed=fails_closed,
            is_named_by_members=is_named_by_members,
            is_chosen_by_name=is_chosen_by_name,
        )
        _declare(declared)
        return interface

    return declare


def on_demand(interface: T) -> T:
    """Have the components of a contribution imported and built only when they are asked for.

    Stands above `@contribution`. The start of an application does not ask; a server does.
    """
    return _amend(interface, is_on_demand=True)


def _amend(interface: T, **fields: Any) -> T:
    _DECLARED[interface] = replace(_DECLARED[interface], **fields)
    return interface


def resembles(other: type) -> Callable[[T], T]:
    """Say of a contribution that another interface has the same methods.

    Stands above `@contribution`. A class that inherits from neither means the other one, unless it
    has the fields that only this one has, or its methods are annotated with this one's types.
    """
    return partial(_amend, resembles=other)


def kept_by_wrappers(*names: str) -> Callable[[T], T]:
    """Say of a place which attributes must not be lost when a component is wrapped.

    Stands above `@slot` or `@contribution`. They are those that a component need not have, and by
    which others know it: one that a wrapper does not say itself, it gets from what it wraps.
    """
    return partial(_amend, kept_by_wrappers=names)


def variant_for(interface: type) -> Callable[[T], T]:
    """Declare an interface whose components may be contributed where another one's are."""

    def declare(variant: T) -> T:
        _VARIANTS[interface] = (*_VARIANTS.get(interface, ()), variant)
        return variant

    return declare


def accepted_in(place: ExtensionPoint) -> tuple[type, ...]:
    """The interfaces of which a component of a place may be: its own, and its variants."""
    return (place.interface, *_VARIANTS.get(place.interface, ()))


def declared_place(interface: object) -> ExtensionPoint | None:
    """The slot or contribution that a class declares; None for anything else."""
    return _DECLARED.get(interface) if isinstance(interface, type) else None


def get_place(interface: Any) -> ExtensionPoint:
    """The place that a class declares, else its slot as a service.

    `Repository[User]` is a service of its own, beside `Repository[Order]`.
    """
    origin = get_origin(interface)
    cls = interface if origin is None else origin
    slot = Slot(_full_name(interface), cls, full_type=None if origin is None else interface)
    return declared_place(cls) or slot


def can_be_service(kind: object) -> bool:
    """Return if a component can be offered as a type: a class, or a generic one with arguments."""
    origin = get_origin(kind)
    if origin is None:
        return isinstance(kind, type) and kind is not Any  # which Python 3.11 takes for a class
    return isinstance(origin, type) and origin is not UnionType


def _full_name(kind: Any) -> str:
    origin = get_origin(kind)
    cls = kind if origin is None else origin
    if not isinstance(cls, type):
        return repr(kind)
    arguments = ", ".join(map(_full_name, get_args(kind)))
    name = f"{cls.__module__}.{cls.__qualname__}"
    return name if origin is None else f"{name}[{arguments}]"


def keywords_added(*names: str) -> Callable[[F], F]:
    """Say of a method of an interface that components written before it had a keyword stay fit.

    Arc then gives the keyword only to those that take it.
    """

    def mark(method: F) -> F:
        vars(method)[_ADDED] = names
        return method

    return mark


def get_added_keywords(method: object) -> Collection[str]:
    """The keywords of a method of an interface that a component may lack."""
    names: Collection[str] = getattr(method, _ADDED, ())
    return names


def _check_instances(place: Slot) -> None:
    if place.instances is None:
        return
    section, choice = place.instances.rpartition(".")[0], place.choice or ""
    if not section or choice.rpartition(".")[0] != section:
        raise ConfigurationError(
            f"{place.name} cannot have its instances in {place.instances}",
            evidence=[f"its choice is {choice or 'none'}, in another section"],
            remedy="name a table that stands in the section of the setting named as choice",
        )


def _declare(place: ExtensionPoint) -> None:
    named = f"{place.interface.__module__}.{place.interface.__qualname__}"
    if not _is_name(place.name):
        raise ConfigurationError(
            f"{named} cannot be declared as {place.name!r}",
            evidence=["the container and variables use it, and it is not an identifier there"],
            remedy="use small letters, digits and single _ only, begin with a letter, "
            "and do not take a word of Python's own",
        )
    if place.group is None or not _is_group(place.group):
        raise ConfigurationError(
            f"{named} cannot be declared with the group {place.group!r}",
            evidence=["a group of entry points is made of names with dots between them"],
            remedy=f"write group='your_package.{place.name}'",
        )
    other = _DECLARED.get(place.interface)
    if other is not None:
        raise ConfigurationError(
            f"{named} is declared twice, as {other.name} and as {place.name}",
            remedy="remove one of its decorators @slot and @contribution",
        )
    _DECLARED[place.interface] = place


def _is_name(name: str) -> bool:
    is_plain = name.isidentifier() and name.isascii() and name == name.lower()
    return is_plain and not (name.startswith("_") or "__" in name or iskeyword(name))


def _is_group(group: str) -> bool:
    parts = group.replace("-", "_").split(".")
    return len(parts) > 1 and all(part.isidentifier() for part in parts)


def takes_parameter(function: Callable[..., object], name: str) -> bool:
    """Return if a function can be called with a keyword; not if it does not say what it takes."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return False
    return any(each.name == name or each.kind is each.VAR_KEYWORD for each in parameters)
