"""The components of one run: made on first use, closed in reverse, all in one task.

One task, since what is opened around a `yield`, such as a task group, has to be left by the task
that entered it. What asks for a component waits for it, and may leave without disturbing others.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any

from arc_autoconfig.container.injection import DepsOf, Given, LaterComponent, Need, Plan
from arc_autoconfig.container.lifecycle import Built, OpenComponents, Opening, describe_failure
from arc_autoconfig.container.scope import ComponentScope
from arc_autoconfig.containment import Contained
from arc_autoconfig.declare.candidates import Candidate, Origin, Source
from arc_autoconfig.errors import ApplicationStateError, DependencyCycleError
from arc_core.components.extension_points import Slot
from arc_core.components.injection import Lazy, find_handed
from arc_core.components.registration import Scope
from arc_core.errors import DepsNotGivenError
from arc_core.interfaces.run_scope import RunContext, RunScope, RunScopes
from arc_core.settings import ConcurrencySettings
from arc_core.text.names import with_article

CONTEXT = Candidate(
    place=Slot("runs", RunScopes),
    name="context.get",
    component=None,
    origin=Origin(source=Source.CODE),
)
"""The asker in errors when a hook, guard or tool calls `context.get`."""


class ComponentRunScope(ComponentScope, RunScope):
    """The components of one run."""

    def __init__(
        self,
        context: RunContext,
        *,
        find: Callable[[Any], Awaitable[Need]],
        is_wired: Callable[[Any], bool],
        settings: ConcurrencySettings,
    ) -> None:
        self._context, self._find, self._asks_for_component = context, find, is_wired
        self._settings, self._opened = settings, OpenComponents()
        self._made: dict[Candidate, object] = {}
        self._path: list[Plan] = []
        self._asked: dict[Plan, asyncio.Future[object]] = {}
        self._waiting: deque[Plan] = deque()
        self._wake = asyncio.Event()
        self._deadline: asyncio.Timeout | None = None
        self._task: asyncio.Task[Sequence[str]] | None = None
        self._error: BaseException | None = None
        self._has_ended = False

    async def get(self, wanted: Any) -> Any:
        """The component of a type; see `RunScope`."""
        if (handed := self._find_deps(wanted)) and not self._asks_for_component(wanted):
            return handed[0]
        return await self.fill(await self._find(wanted), CONTEXT)

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

    def _find_deps(self, wanted: Any) -> list[object]:
        return list(find_handed(self._context.deps, wanted))

    async def fill(self, need: Need, owner: Candidate, wrapped: object = None) -> object:
        """Return the value of one parameter; see `ComponentScope`."""
        if isinstance(need.what, Plan):
            return await self._component(need.what)
        return await super().fill(need, owner, wrapped)

    async def _fill(self, need: Need, owner: Candidate) -> object:
        value: object = None
        match need.what:
            case LaterComponent(asked):
                value = Lazy(lambda: self.get(asked))
            case Given.RUN_CONTEXT:
                value = self._context
        return value

    async def _fill_deps(self, deps: DepsOf, need: Need, owner: Candidate) -> object:
        if handed := self._find_deps(deps.cls):
            return handed[0]
        if deps.otherwise is not None:
            return await self.fill(replace(need, what=deps.otherwise), owner)
        if deps.is_optional or (need.has_default and need.parameter):
            return None
        given = self._context.deps
        raise DepsNotGivenError(
            f"the run needs {with_article(deps.cls.__qualname__)} as its deps",
            evidence=[
                "it was given nothing"
                if given is None
                else f"it was given {with_article(type(given).__qualname__)}"
            ],
            remedy=f"call execute(…, deps={deps.cls.__name__}(…))",
        )

    async def _component(self, plan: Plan) -> object:
        if plan.candidate in self._made:
            return self._made[plan.candidate]
        if self._has_ended:
            raise self._after_run(plan)
        if self._task is not None and asyncio.current_task() is self._task:
            return await self._make_with_wrappers(plan)  # a factory asks for it
        is_each = plan.candidate.scope is Scope.EACH
        return await self._ask(replace(plan) if is_each else plan)

    async def _ask(self, plan: Plan) -> object:
        """Have the task of the scope make it; all that ask meanwhile get the same."""
        future = self._asked.get(plan)
        if future is None:
            future = self._asked[plan] = asyncio.get_running_loop().create_future()
            self._waiting.append(plan)
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
        not_closed = await self._opened.close_all(ending)
        self._made.clear()
        if cancellation is not None:
            raise cancellation
        return not_closed

    async def _answer(self, plan: Plan) -> None:
        future = self._asked.pop(plan)
        if self._has_ended:
            future.set_exception(self._after_run(plan))
        else:
            with Contained() as attempt:
                future.set_result(await self._make_in_time(plan))
            if attempt.error is not None:
                future.set_exception(attempt.error)
        future.exception()  # the caller may have left, and then nothing else looks at it

    async def _make_in_time(self, plan: Plan) -> object:
        timeout_s = self._settings.component_timeout_s
        self._deadline = asyncio.timeout(timeout_s)
        try:
            async with self._deadline:
                return await self._make_with_wrappers(plan)
        except TimeoutError as error:
            if self._has_ended:
                raise self._after_run(plan) from error
            problem = f"{plan.candidate.owner} could not be made for a run"
            cause = f"it took longer than {timeout_s:g} s"
            raise describe_failure(problem, cause=cause, source=plan.factory) from error
        finally:
            self._deadline = None

    def _after_run(self, plan: Plan) -> ApplicationStateError:
        run_id = self._context.run_id
        return ApplicationStateError(
            f"{plan.candidate.owner} was asked for after the end of the run {run_id}",
            evidence=["what lives as long as the run is closed"],
            remedy="ask for it while the run goes on",
        )

    async def _make_with_wrappers(self, plan: Plan) -> object:
        """The component in its wrappers; one for the run, whatever asks for it."""
        if plan.candidate in self._made:
            return self._made[plan.candidate]
        self._check_cycle(plan)
        self._path.append(plan)
        try:
            made = await self.make(plan)
            for wrapper in plan.wrappers:
                made = await self.make(wrapper, made)
        finally:
            self._path.pop()
        if plan.candidate.scope is not Scope.EACH:
            self._made[plan.candidate] = made
        return made

    async def _open(self, opening: Opening, plan: Plan) -> object:
        return await self._opened.open(
            opening, lambda opened: self._describe(opened, plan), source=plan.factory
        )

    async def _start(self, made: object, plan: Plan) -> None:
        if all(made is not each for each in self._made.values()):
            await self._opened.start(self._describe(made, plan))

    def _describe(self, made: object, plan: Plan) -> Built:
        close_timeout_s = self._settings.finalize_timeout_s
        return Built(made, plan.candidate.owner, None, close_timeout_s, is_of_run=True)

    def _check_cycle(self, plan: Plan) -> None:
        building = [each.candidate for each in self._path]
        if plan.candidate in building:
            path = [*building[building.index(plan.candidate) :], plan.candidate]
            raise DependencyCycleError(
                "components of a run need each other to be made",
                evidence=[" needs ".join(each.place.name for each in path)],
                remedy="let one of them ask for Lazy[…] of the other, or do without it",
            )
