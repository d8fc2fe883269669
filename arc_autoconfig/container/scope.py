"""One way to make components, for every scope: the application, and below it each run.

A scope executes plans. It fills the parameters of a factory, calls it, opens what it has returned,
checks that this is what was offered, and starts it. The scope of the application and that of a run
differ in what they have to fill parameters with, and in who does the work.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from arc_autoconfig.container.construction import check_made, make
from arc_autoconfig.container.needs import (
    AbsentComponent,
    DepsOf,
    FixedValue,
    Group,
    Need,
    Plan,
    WrappedComponent,
)
from arc_autoconfig.container.resources import Opening, find_opening
from arc_autoconfig.declare.candidates import Candidate
from arc_core.components.injection import Lazy

__all__ = ["ComponentScope"]


class ComponentScope(ABC):
    """Makes components by their plans."""

    async def arguments(
        self, needs: Sequence[Need], owner: Candidate, wrapped: object = None
    ) -> dict[str, Any]:
        """Return arguments by the names of the parameters; one that keeps its default is left out.

        Args:
            needs: The parameters.
            owner: Whose they are.
            wrapped: The component that it wraps, if it is a wrapper.

        Raises:
            ConfigurationError: Something that is needed cannot be had.
        """
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
            case WrappedComponent():
                value = wrapped
            case Group(cls, needs):
                value = cls(**await self.arguments(needs, owner, wrapped))
            case AbsentComponent(is_later):
                value = Lazy(_give_none) if is_later else None
            case DepsOf() as deps:
                value = await self._fill_deps(deps, need, owner)
            case _:
                value = await self._fill(need, owner)
        return value

    async def make(self, plan: Plan, wrapped: object = None) -> object:
        """Make one component, and have it opened, started and closed.

        Args:
            plan: How it is made.
            wrapped: The component that it wraps, if it is a wrapper.

        Raises:
            ConfigurationError: It cannot be made, or is not what it was offered as.
        """
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


async def _give_none() -> None:
    return None
