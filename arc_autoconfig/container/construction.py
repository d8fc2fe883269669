"""Calls a class or function that makes a component, and says whose it is if that fails."""

from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

from arc_autoconfig.containment import Contained
from arc_autoconfig.declare.candidates import Candidate
from arc_autoconfig.declare.component_fit import find_problem
from arc_autoconfig.errors import (
    ApplicationStateError,
    ComponentError,
    NotOpenError,
    cause_of,
    source_of,
)
from arc_core.components.extension_points import Contribution
from arc_core.errors import ConfigurationError

__all__ = [
    "blame_entry",
    "check_made",
    "check_maker",
    "check_name",
    "finish_at_once",
    "keep_marks",
    "make",
]

T = TypeVar("T")


def make(
    candidate: Candidate, component: Callable[..., object], arguments: Mapping[str, object]
) -> object:
    """Call what makes a component.

    Args:
        candidate: Who is made.
        component: The class or function.
        arguments: By the name of the parameter.

    Raises:
        ConfigurationError: It raised.
    """
    with Contained() as attempt:
        return component(**arguments)
    error = attempt.error
    assert error is not None
    if isinstance(error, ConfigurationError):
        raise error
    raise ComponentError(
        f"{candidate.owner} cannot be built",
        evidence=[cause_of(error), f"its place: {source_of(component)}"],
        remedy="correct what its constructor complains about, or choose another component",
    ) from error


def check_made(candidate: Candidate, component: object, made: object) -> None:
    """Check that what was made is what it was offered as.

    Raises:
        ComponentError: It is not.
    """
    interface = candidate.place.interface
    problem = find_problem(made, interface)
    if problem is not None:
        raise ComponentError(
            f"{candidate.owner} is of a wrong type",
            evidence=[problem, f"its place: {source_of(component)}"],
            remedy=f"write what {interface.__name__} demands, or register it for what it is",
        )


def check_name(candidate: Candidate, made: object) -> None:
    """Check that a component that is asked for by its name has the name it was offered under.

    Raises:
        ComponentError: It has another one.
    """
    place = candidate.place
    is_chosen = isinstance(place, Contribution) and place.is_chosen_by_name
    name = getattr(made, "name", candidate.name)
    if is_chosen and not candidate.is_wrapper and name != candidate.name:
        raise ComponentError(
            f"{candidate.owner} calls itself {name!r}",
            evidence=[f"its place: {candidate.reference}"],
            remedy=f"offer it under its own name: {name!r} as the name of the entry point, or "
            f"name={name!r} where it is registered",
        )


def keep_marks(candidate: Candidate, wrapper: object, *, wrapped: object) -> object:
    """Give a wrapper what must not be lost of what it wraps, such as that a person approves calls.

    Args:
        candidate: The wrapper, as it was offered.
        wrapper: Keeps what it says itself.
        wrapped: What it wraps.

    Returns:
        The wrapper.

    Raises:
        ComponentError: It cannot be given an attribute.
    """
    place = candidate.place
    for name in place.kept_by_wrappers if isinstance(place, Contribution) else ():
        if not _says(wrapped, name, place.interface) or _says(wrapper, name, place.interface):
            continue
        with Contained() as attempt:
            setattr(wrapper, name, getattr(wrapped, name))
        if attempt.error is not None:
            raise ComponentError(
                f"{candidate.owner} hides {name} of the {type(wrapped).__name__} that it wraps",
                evidence=[cause_of(attempt.error), f"its place: {candidate.reference}"],
                remedy=f"give it an attribute {name}, with the value of what it wraps",
            )
    return wrapper


def _says(component: object, name: str, interface: type) -> bool:
    """Tell whether a component has an attribute itself, not only its interface's default."""
    classes = (cls for cls in type(component).__mro__ if cls is not interface)
    if any(name in vars(cls) for cls in classes):
        return True
    if name in vars(interface):
        return name in getattr(component, "__dict__", {})
    with Contained():
        return hasattr(component, name)
    return True


def check_maker(candidate: Candidate) -> None:
    """Check that what is there already is not to be made once more, for an entry of the settings.

    Raises:
        ComponentError: It is.
    """
    entry = candidate.entry
    if entry is not None and entry.maker is not None:
        raise ComponentError(
            f"{entry.setting} cannot be made by {entry.maker}",
            evidence=[f"{entry.maker} is an instance, which cannot have settings of its own"],
            remedy=f"let {candidate.origin} offer a class, or choose another component",
        )


@contextmanager
def blame_entry(candidate: Candidate) -> Iterator[None]:
    """Say for which entry of the settings something could not be made or started.

    Raises:
        ComponentError: In the place of what the component complained of.
    """
    entry = candidate.entry
    try:
        yield
    except ApplicationStateError:
        raise
    except ConfigurationError as error:
        if entry is None:
            raise
        raise ComponentError(
            f"{entry.setting} cannot be used",
            evidence=[error.description, *error.evidence],
            remedy=f"in {entry.setting}: {error.remedy}",
        ) from error


def finish_at_once(work: Coroutine[Any, Any, T]) -> T:
    """Run what does not wait for anything, without an event loop.

    Raises:
        NotOpenError: It waits for something all the same.
    """
    try:
        work.send(None)
    except StopIteration as stop:
        result: T = stop.value
        return result
    work.close()
    raise NotOpenError(
        "a component was asked for that is being opened or has to be opened",
        evidence=["that takes an event loop, and a container's provider does not wait"],
        remedy="ask for it by a parameter of its type or of Lazy[…], or await context.get(…)",
    )
