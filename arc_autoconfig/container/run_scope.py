"""The components of one run: made on first use, closed in reverse, all in one task.

One task, since what is opened around a `yield`, such as a task group, has to be left by the task
that entered it. What asks for a component waits for it, and may leave without disturbing others.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any

from arc_autoconfig.container.construction import check_made, make
from arc_autoconfig.container.injection_errors import component_after_run, deps_not_given
from arc_autoconfig.container.resources import Opening, opening_of
from arc_autoconfig.container.run_closing import Closing
from arc_autoconfig.container.run_recipes import (
    Arguments,
    Fixed,
    FromRun,
    GroupOfRun,
    LaterOfRun,
    NamedOfRun,
    OneOfRun,
    Part,
    Recipe,
    TheContext,
    TheDeps,
    Wrapped,
)
from arc_autoconfig.containment import Contained
from arc_autoconfig.declare.candidates import Candidate
from arc_autoconfig.declare.component_fit import is_maker
from arc_autoconfig.errors import ComponentError, DependencyCycleError, cause_of, source_of
from arc_core.components.handed_values import find_handed
from arc_core.components.injection import Lazy
from arc_core.components.registration import Scope
from arc_core.errors import ConfigurationError
from arc_core.interfaces.run_scope import RunContext, RunScope

__all__ = ["ComponentRunScope"]


class ComponentRunScope(RunScope):
    """The components of one run.

    Args:
        context: What factories get as the `RunContext`.
        find: How what is asked for is made.
        is_wired: Whether a type is a component, which deps do not replace.
        make_timeout_s: How long making a component may take, with those that it needs.
        close_timeout_s: How long the close of one component may take.
    """

    def __init__(
        self,
        context: RunContext,
        *,
        find: Callable[[Any], Awaitable[Part]],
        is_wired: Callable[[Any], bool],
        make_timeout_s: float,
        close_timeout_s: float,
    ) -> None:
        self._context, self._find, self._is_wired = context, find, is_wired
        self._make_timeout_s = make_timeout_s
        self._closing = Closing(timeout_s=close_timeout_s)
        self._made: dict[Candidate, object] = {}
        self._path: list[Recipe] = []
        self._asked: dict[Recipe, asyncio.Future[object]] = {}
        self._waiting: deque[Recipe] = deque()
        self._wake = asyncio.Event()
        self._deadline: asyncio.Timeout | None = None
        self._task: asyncio.Task[Sequence[str]] | None = None
        self._error: BaseException | None = None
        self._has_ended = False

    async def get(self, wanted: Any) -> Any:
        """The component of a type; see `RunScope`."""
        if self._is_handed(wanted) and not self._is_wired(wanted):
            return self._find_handed(wanted)
        return await self._value(await self._find(wanted))

    async def close(self, error: BaseException | None) -> Sequence[str]:
        """Close what was made; see `RunScope`."""
        self._has_ended, self._error = True, error
        if self._task is None:
            return ()
        self._wake.set()
        if self._deadline is not None:  # a component is being made that is not needed any more
            self._deadline.reschedule(asyncio.get_running_loop().time())
        await asyncio.wait((self._task,))
        return self._task.result()

    def _is_handed(self, wanted: Any) -> bool:
        """Whether the run was handed deps of a type."""
        return any(True for _ in find_handed(self._context.deps, wanted))

    def _find_handed(self, wanted: Any) -> object:
        return next(find_handed(self._context.deps, wanted))

    async def _value(self, part: Part, wrapped: object = None) -> object:
        value: object
        match part:
            case Fixed(value):
                pass
            case OneOfRun(recipe):
                value = await self._component(recipe)
            case LaterOfRun(asked):
                value = Lazy(lambda: self.get(asked))
            case NamedOfRun(members):
                value = {name: await self._value(each) for name, each in members.items()}
            case TheContext():
                value = self._context
            case TheDeps():
                value = await self._deps(part)
            case Wrapped():
                value = wrapped
            case GroupOfRun(cls, arguments):
                value = cls(**await self._arguments(arguments))
        return value

    async def _deps(self, part: TheDeps) -> object:
        if self._is_handed(part.cls):
            return self._find_handed(part.cls)
        if part.otherwise is not None:
            return await self._value(part.otherwise)
        if part.is_optional:
            return None
        raise deps_not_given(part.cls, self._context.deps)

    async def _component(self, recipe: Recipe) -> object:
        if recipe.candidate in self._made:
            return self._made[recipe.candidate]
        if self._has_ended:
            raise component_after_run(recipe.owner, self._context.run_id)
        if self._task is not None and asyncio.current_task() is self._task:
            return await self._make(recipe)  # a factory asks for it
        is_each = recipe.candidate.scope is Scope.EACH
        return await self._ask(replace(recipe) if is_each else recipe)

    async def _ask(self, recipe: Recipe) -> object:
        """Have the task of the scope make it; all that ask meanwhile get the same."""
        future = self._asked.get(recipe)
        if future is None:
            future = self._asked[recipe] = asyncio.get_running_loop().create_future()
            self._waiting.append(recipe)
            self._wake.set()
        if self._task is None:
            name = f"arc-run-components-{self._context.run_id}"
            self._task = asyncio.create_task(self._work(), name=name)
        return await asyncio.shield(future)

    async def _work(self) -> Sequence[str]:
        """Make what is asked for until the end of the run, then close it."""
        cancellation: asyncio.CancelledError | None = None
        try:
            while not self._has_ended or self._waiting:
                if self._waiting:
                    await self._answer(self._waiting.popleft())
                else:
                    self._wake.clear()
                    await self._wake.wait()
        except asyncio.CancelledError as error:  # the event loop ends
            cancellation = error
        self._has_ended = True
        for future in self._asked.values():
            future.cancel()
        ending = self._error if cancellation is None else cancellation
        not_closed = await self._closing.close_all(ending)
        self._made.clear()
        if cancellation is not None:
            raise cancellation
        return not_closed

    async def _answer(self, recipe: Recipe) -> None:
        future = self._asked.pop(recipe)
        if self._has_ended:
            future.set_exception(component_after_run(recipe.owner, self._context.run_id))
        else:
            with Contained() as attempt:
                future.set_result(await self._make_in_time(recipe))
            if attempt.error is not None:
                future.set_exception(attempt.error)
        future.exception()  # the caller may have left, and then nothing else looks at it

    async def _make_in_time(self, recipe: Recipe) -> object:
        self._deadline = asyncio.timeout(self._make_timeout_s)
        try:
            async with self._deadline:
                return await self._make(recipe)
        except TimeoutError as error:
            if self._has_ended:
                raise component_after_run(recipe.owner, self._context.run_id) from error
            raise _making_error(
                recipe, f"it took longer than {self._make_timeout_s:g} s"
            ) from error
        finally:
            self._deadline = None

    async def _make(self, recipe: Recipe) -> object:
        """The component in its wrappers; one for the run, whatever asks for it."""
        if recipe.candidate in self._made:
            return self._made[recipe.candidate]
        if recipe.candidate in (each.candidate for each in self._path):
            raise self._circle(recipe)
        self._path.append(recipe)
        try:
            made = await self._call(recipe)
            for wrapper in recipe.wrappers:
                made = await self._call(wrapper, made)
        finally:
            self._path.pop()
        if recipe.candidate.scope is not Scope.EACH:
            self._made[recipe.candidate] = made
        return made

    async def _call(self, recipe: Recipe, wrapped: object = None) -> object:
        factory, interface = recipe.factory, recipe.candidate.place.interface
        arguments = await self._arguments(recipe.arguments, wrapped)
        made = make(recipe.candidate, factory, arguments)
        opening = opening_of(made, interface) if is_maker(factory) else None
        if opening is not None:
            made = await self._open(opening, recipe)
        check_made(recipe.candidate, factory, made)
        is_own = all(made is not each for each in (*arguments.values(), *self._made.values()))
        if is_own and (opening is None or not opening.is_managed):
            await self._start(made, recipe)
        return made

    async def _arguments(self, arguments: Arguments, wrapped: object = None) -> dict[str, object]:
        of_run: dict[str, FromRun] = dict(arguments.of_run)
        values = {
            name: await self._value(part, wrapped)
            for name, part in of_run.items()
            if not self._keeps_default(part)
        }
        return {**arguments.fixed, **values}

    def _keeps_default(self, part: Part) -> bool:
        if not isinstance(part, TheDeps) or not part.has_default or part.otherwise is not None:
            return False
        return not self._is_handed(part.cls)

    async def _open(self, opening: Opening, recipe: Recipe) -> object:
        with Contained() as attempt:
            opened = await opening.open()
            if opening.is_managed:
                self._closing.add(opening.close, owner=recipe.owner)
            return opened
        raise _failure_of(recipe, attempt.error)

    async def _start(self, made: object, recipe: Recipe) -> None:
        with Contained() as attempt:
            await self._closing.start(made, owner=recipe.owner)
        if attempt.error is not None:
            raise _failure_of(recipe, attempt.error)

    def _depth_of(self, recipe: Recipe) -> int:
        return [each.candidate for each in self._path].index(recipe.candidate)

    def _circle(self, recipe: Recipe) -> DependencyCycleError:
        path = [each.candidate.place.name for each in self._path[self._depth_of(recipe) :]]
        return DependencyCycleError(
            "components of a run need each other to be made",
            evidence=[" needs ".join([*path, recipe.candidate.place.name])],
            remedy="let one of them ask for Lazy[…] of the other, or do without it",
        )


def _failure_of(recipe: Recipe, error: BaseException | None) -> BaseException:
    assert error is not None
    if isinstance(error, ConfigurationError):
        return error
    failed = _making_error(recipe, cause_of(error))
    failed.__cause__ = error
    return failed


def _making_error(recipe: Recipe, cause: str) -> ComponentError:
    return ComponentError(
        f"{recipe.owner} could not be made for a run",
        evidence=[cause, f"its place: {source_of(recipe.factory)}"],
        remedy="correct what it complains about, or choose another component",
    )
