"""Marks by which classes and functions register themselves, and the lifecycles of components.

The marks are values beside the objects, so that a class of another library can be marked, too.
"""

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal, Protocol, TypeVar, overload, runtime_checkable
from weakref import WeakKeyDictionary

from arc_core.conditions import Condition


@dataclass(frozen=True, slots=True, kw_only=True)
class Lifecycle:
    """The lifecycle of a class that cannot declare it, since it is another library's.

        registry.provide(Engine, create_engine, lifecycle=Lifecycle(check_health=ping))

    Attributes:
        start_timeout_s: How long its start may take; None is 30 seconds.
        close_timeout_s: How long its close may take; None is 10 seconds.
        check_health: Gets the component, sync or async, and returns its `Health`, or None if it
            works; what it raises is an error of the component. None has the component say so
            itself, by `check_health`.
    """

    start_timeout_s: float | None = None
    close_timeout_s: float | None = None
    check_health: Callable[[Any], object] | None = None

    def __post_init__(self) -> None:
        for name in ("start_timeout_s", "close_timeout_s"):
            value = getattr(self, name)
            if value is not None and not (isinstance(value, int | float) and value > 0):
                raise ValueError(f"{name} is {value!r}: write seconds, more than 0")


@runtime_checkable
class WorksWhileOpen(Protocol):
    """A component with work of its own, which begins once every component has started.

    The application calls the method once, in a task of its own, and cancels that before any
    component closes. What it raises is logged, and the application goes on without the work.
    """

    @abstractmethod
    async def work_while_open(self) -> None:
        """Do what takes as long as the application is open, or only what all others must be for."""


C = TypeVar("C")

ScopeName = Literal["application", "run", "each"]
"""A `Scope` as users write it."""


class Scope(StrEnum):
    """The lifetime of a component, and with it who shares it."""

    APPLICATION = "application"
    """From the start of the application to its end, shared by all its runs."""

    RUN = "run"
    """One for each run, made when it is first asked for, closed after the end of the run."""

    EACH = "each"
    """A new one each time it is asked for, closed with the run or the application that asked."""


class Verb(StrEnum):
    """The purpose for which a component is registered."""

    OFFER = "offer"
    """To fill a slot or to take part in a contribution, whichever the interface declares."""

    DECORATE = "decorate"
    """To wrap each component of an interface."""

    HAND_OVER = "hand over"
    """To be handed to runs by their callers, so that no component of it is made."""


@dataclass(frozen=True, slots=True)
class Mark:
    """One thing that a class or function is for, with the options of the method of `Registry`.

    Without an interface it is a service of its own type, or the deps of runs.
    """

    interface: type | None
    options: Mapping[str, Any] = field(default_factory=dict)
    verb: Verb = Verb.OFFER


@dataclass(frozen=True, slots=True)
class Offered:
    """An instance with its marks, for `Application(register=[service(database)])`."""

    component: object
    marks: tuple[Mark, ...]


_MARKS: WeakKeyDictionary[Any, tuple[Mark, ...]] = WeakKeyDictionary()


def add_mark(component: object, mark: Mark) -> None:
    """Mark a class or function; the mark added last stands first, as decorators are read.

    One for the same interface takes the place of the one before, so that a class can be marked
    where it is registered, by one application after the other.
    """
    what = (mark.interface, mark.verb)
    others = (each for each in get_marks(component) if (each.interface, each.verb) != what)
    _MARKS[component] = (mark, *others)


def get_marks(component: object) -> tuple[Mark, ...]:
    """The marks of this very class or function, or of an instance that was marked."""
    if isinstance(component, Offered):
        return component.marks
    try:
        return _MARKS.get(component, ())
    except TypeError:  # it cannot be a key, so it was never marked
        return ()


@overload
def service(component: C, /) -> C: ...


@overload
def service(
    *,
    name: str | None = None,
    primary: bool = False,
    scope: ScopeName = "application",
    condition: Condition | None = None,
    lifecycle: Lifecycle | None = None,
) -> Callable[[C], C]: ...


def service(component: Any = None, /, **options: Any) -> Any:
    """Offer a class, a function or an instance as a component of its own type.

        @service
        def connect(settings: DatabaseSettings) -> Iterator[Database]:
            with Database(settings.url) as database:
                yield database

    It is injected wherever its type is asked for: in constructors, factories and tools. What a
    function returns says which type it makes; of a generator function or a context manager it is
    what is yielded, and what follows the `yield` closes it.

    Args:
        component: A class, a function, or an instance; left out when options are given.
        options: Those of `Registry.provide`.

    Returns:
        The class or function itself; for an instance a value to register.
    """
    if component is None:
        return lambda decorated: _mark(decorated, Mark(None, options))
    return _mark(component, Mark(None, options))


def decorates(
    interface: type,
    *,
    name: str | None = None,
    order: int = 100,
    condition: Condition | None = None,
) -> Callable[[C], C]:
    """Have a class wrap the component of an interface, for a contribution each of them.

        @decorates(ChatModel)
        class TracedChatModel:
            def __init__(self, inner: ChatModel, tracer: Tracer) -> None: ...

    It gets what it wraps as its one parameter of that type.

    Args:
        interface: Of a slot, of a contribution or of a service.
        name: How the report calls it; None derives it from the class.
        order: Lower is further out.
        condition: When it takes part; None is always.
    """
    options = {"name": name, "order": order, "condition": condition}
    return lambda component: _mark(component, Mark(interface, options, Verb.DECORATE))


def run_deps(cls: C) -> C:
    """Say of a class that callers hand values of it to runs, as `execute(…, deps=…)`.

        @run_deps
        @dataclass(frozen=True)
        class CurrentUser:
            name: str

    The same as `Application(deps=CurrentUser)`, for a module that `plugins.load` or a package
    names, so that `arc serve` and `arc worker` know it, too.
    """
    add_mark(cls, Mark(None, verb=Verb.HAND_OVER))
    return cls


def _mark(component: Any, mark: Mark) -> Any:
    if isinstance(component, type) or (callable(component) and hasattr(component, "__name__")):
        add_mark(component, mark)
        return component
    return Offered(component, (mark,))
