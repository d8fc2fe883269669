"""One way to make components, for every scope: the application, and below it each run.

A scope executes plans. It fills the parameters of a factory, calls it, opens what it has returned,
checks that this is what was offered, and starts it. The scope of the application and that of a run
differ in what they have to fill parameters with, and in who does the work.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar

from arc_autoconfig.container.injection import DepsOf, FixedValue, Given, Group, Need, Plan
from arc_autoconfig.container.lifecycle import Opening, find_opening
from arc_autoconfig.containment import Contained
from arc_autoconfig.declare.candidates import Candidate
from arc_autoconfig.declare.component_fit import find_problem, is_built
from arc_autoconfig.errors import (
    ApplicationStateError,
    ComponentError,
    NotOpenError,
    describe_cause,
    locate_source,
)
from arc_core.components.extension_points import Contribution, ExtensionPoint
from arc_core.errors import ConfigurationError
from arc_core.text.names import with_article

T = TypeVar("T")


def make(
    candidate: Candidate, component: Callable[..., object], arguments: Mapping[str, object]
) -> object:
    """Call what makes a component."""
    with Contained(passing=(ConfigurationError,)) as attempt:
        return component(**arguments)
    error = attempt.error
    assert error is not None
    raise ComponentError(
        f"{candidate.owner} cannot be built",
        evidence=[describe_cause(error), f"its place: {locate_source(component)}"],
        remedy="correct what its constructor complains about, or choose another component",
    ) from error


def check_made(candidate: Candidate, component: object, made: object) -> None:
    """Check that what was made is what it was offered as."""
    interface = candidate.place.interface
    problem = find_problem(made, interface)
    if problem is not None:
        raise ComponentError(
            f"{candidate.owner} is of a wrong type",
            evidence=[problem, f"its place: {locate_source(component)}"],
            remedy=f"write what {interface.__name__} demands, or register it for what it is",
        )


def check_name(candidate: Candidate, made: object) -> None:
    """Check that a component that is asked for by its name has the name it was offered under."""
    place = candidate.place
    name = getattr(made, "name", candidate.name)
    if place.is_chosen_by_name and not candidate.is_wrapper and name != candidate.name:
        raise ComponentError(
            f"{candidate.owner} calls itself {name!r}",
            evidence=[f"its place: {candidate.reference}"],
            remedy=f"offer it under its own name: {name!r} as the name of the entry point, or "
            f"name={name!r} where it is registered",
        )


def keep_marks(candidate: Candidate, wrapper: object, *, wrapped: object) -> object:
    """Return a wrapper with the marks of what it wraps, such as that a person approves calls."""
    place = candidate.place
    for name in place.kept_by_wrappers:
        if not _says(wrapped, name, place.interface) or _says(wrapper, name, place.interface):
            continue
        with Contained() as attempt:
            setattr(wrapper, name, getattr(wrapped, name))
        if attempt.error is not None:
            raise ComponentError(
                f"{candidate.owner} hides {name} of the {type(wrapped).__name__} that it wraps",
                evidence=[describe_cause(attempt.error), f"its place: {candidate.reference}"],
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
    """Check that an instance is not to be made once more, for an entry of the settings."""
    entry = candidate.entry
    if entry is not None and entry.maker is not None:
        raise ComponentError(
            f"{entry.setting} cannot be made by {entry.maker}",
            evidence=[f"{entry.maker} is an instance, which cannot have settings of its own"],
            remedy=f"let {candidate.origin} offer a class, or choose another component",
        )


def check_override(place: ExtensionPoint, override: object) -> None:
    """Check an override of a place."""
    is_contribution = isinstance(place, Contribution)
    if is_contribution and not isinstance(override, tuple | list):
        raise _problem_error(place, f"{type(override).__qualname__} is neither list nor tuple")
    several: Any = override if is_contribution else [override]
    for each in several:
        makes = callable(each) and not is_built(each, place.interface)
        name = getattr(each, "__name__", type(each).__name__)
        if makes:
            wanted = f"providers.Singleton({name})"
            wanted = f"providers.List({wanted})" if is_contribution else wanted
            raise ComponentError(
                f"the override of {place.name} is of a wrong type",
                evidence=[f"{name} makes a component, and is none itself"],
                remedy=f"write container.{place.name}.override({wanted}), "
                "with `from dependency_injector import providers`",
            )
        problem = find_problem(each, place.interface)
        if problem is not None:
            raise _problem_error(place, problem)


def _problem_error(place: ExtensionPoint, problem: str) -> ComponentError:
    return ComponentError(
        f"the override of {place.name} is of a wrong type",
        evidence=[problem],
        remedy=f"put {with_article(place.interface.__name__)} there, for guards, hooks, tools, "
        "filters a list",
    )


@contextmanager
def blame_entry(candidate: Candidate) -> Iterator[None]:
    """Say for which entry of the settings something could not be made or started."""
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
    """Run what does not wait for anything, without an event loop."""
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


class Builder(Protocol):
    """Builds what was decided, for the container; see `application_scope`."""

    def component(self, name: str) -> Any:
        """Return what the provider of this name gives."""

    def reason_against_override(self, name: str) -> str | None:
        """Return why an override would have no effect; None if it would have one."""

    def check_override(self, name: str, override: object) -> None:
        """Refuse a component that cannot stand in the place of this provider's."""


class ComponentScope(ABC):
    """Makes components by their plans."""

    async def arguments(
        self, needs: Sequence[Need], owner: Candidate, wrapped: object = None
    ) -> dict[str, Any]:
        """Return arguments by the names of parameters, without those that keep their default."""
        arguments: dict[str, Any] = {}
        for need in needs:
            what = need.what
            if isinstance(what, FixedValue):
                value = what.value
            else:
                value = await self.fill(need, owner, wrapped)
            if value is not None or not need.has_default:
                arguments[need.parameter] = value
        return arguments

    async def fill(self, need: Need, owner: Candidate, wrapped: object = None) -> object:
        """Return the value of one parameter; see `arguments`."""
        value: object
        match need.what:
            case FixedValue(value):
                pass
            case Given.WRAPPED:
                value = wrapped
            case Group(cls, needs):
                value = cls(**await self.arguments(needs, owner, wrapped))
            case DepsOf() as deps:
                value = await self._fill_deps(deps, need, owner)
            case _:
                value = await self._fill(need, owner)
        return value

    async def make(self, plan: Plan, wrapped: object = None) -> object:
        """Make one component, and have it opened, started and closed."""
        arguments = await self.arguments(plan.needs, plan.candidate, wrapped)
        made = make(plan.candidate, plan.factory, arguments)
        interface = plan.candidate.place.interface
        opening = find_opening(made, interface) if plan.is_function else None
        if opening is not None:
            made = await self._open(opening, plan)
        check_made(plan.candidate, plan.factory, made)
        is_handed_on = any(made is each for each in arguments.values())
        if not is_handed_on and (opening is None or not opening.is_managed):
            await self._start(made, plan)
        return made

    @abstractmethod
    async def _fill(self, need: Need, owner: Candidate) -> object:
        """Return what only this kind of scope has."""

    @abstractmethod
    async def _fill_deps(self, deps: DepsOf, need: Need, owner: Candidate) -> object:
        """Return what was handed to the run, or what stands for it."""

    @abstractmethod
    async def _open(self, opening: Opening, plan: Plan) -> object:
        """Open what a factory has returned, and have it closed with the scope."""

    @abstractmethod
    async def _start(self, made: object, plan: Plan) -> None:
        """Have a component started, and closed with the scope."""
