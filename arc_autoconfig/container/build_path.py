"""Has components built one after the other, and notices those that need each other.

One task at a time has its turn to build. While it waits for the code of a component, which opens or
starts it, it lends its turn, since that code, and the tasks that it makes, may ask for components.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from arc_autoconfig.container.overrides import ContainerOverrides
from arc_autoconfig.decide.wiring import Wiring
from arc_autoconfig.declare.candidates import Candidate, get_name
from arc_autoconfig.errors import DependencyCycleError, locate_source


@dataclass(eq=False, slots=True)
class _Turn:
    """The right of one task to build components.

    Attributes:
        outer: The lock that is held for it; None if nothing can be waited for.
        lock: Is held by it, except while the code of a component has it on loan.
        steps: The places and wrappers that it is building, each of which needs the next.
    """

    path: "BuildPath"
    task: asyncio.Task[Any] | None
    outer: asyncio.Lock | None = None
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    steps: list[str | Candidate] = field(default_factory=list)
    is_lent: bool = False
    is_over: bool = False


@dataclass(eq=False, slots=True)
class _Loan:
    """A turn that is lent to the code of a component and to the tasks that it makes."""

    turn: _Turn
    steps: tuple[str | Candidate, ...]
    is_over: bool = False


_HELD: ContextVar[tuple[_Turn | _Loan, ...]] = ContextVar("arc_building", default=())


class BuildPath:
    """From the component that was asked for to the one that is being built."""

    def __init__(self, wiring: Wiring, overrides: ContainerOverrides) -> None:
        self._wiring, self._overrides = wiring, overrides
        self._lock = asyncio.Lock()
        self._built: dict[str, asyncio.Event] = {}

    @property
    def names(self) -> list[str]:
        """Of the places, each of which needs the next."""
        return [each for each in self._find_steps() if isinstance(each, str)]

    def _find_steps(self) -> list[str | Candidate]:
        loans = [each for each in self._find_held() if isinstance(each, _Loan) and not each.is_over]
        lent = [step for loan in loans for step in loan.steps]
        turn = self._find_own_turn()
        return lent if turn is None else [*lent, *turn.steps]

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait until nothing else is being built, and let nothing else be built meanwhile."""
        async with self._begin(await self._acquire()):
            yield

    @asynccontextmanager
    async def lend(self) -> AsyncIterator[None]:
        """Let a component's code and the tasks it makes build, until none of them is building."""
        turn = self._find_own_turn()
        assert turn is not None, "components are made while something is being built"
        loan = _Loan(turn, tuple(turn.steps))
        token = _HELD.set((*_HELD.get(), loan))
        turn.is_lent = True
        turn.lock.release()
        is_left = False
        try:
            yield
        except (asyncio.CancelledError, GeneratorExit):
            is_left = True  # nothing more is built in this turn
            raise
        finally:
            _HELD.reset(token)
            loan.is_over = True
            if not is_left:
                await turn.lock.acquire()
                turn.is_lent = False

    @asynccontextmanager
    async def enter(self, name: str) -> AsyncIterator[None]:
        """Notice a component that needs itself; wait for one that another task is building."""
        if name in self.names:
            raise self._cycle(name)
        turn = self._find_own_turn()
        if turn is None:
            async with self._begin(None), self.enter(name):
                yield
            return
        while (built := self._built.get(name)) is not None:
            await self._wait_for(built, turn)
        self._built[name] = asyncio.Event()
        turn.steps.append(name)
        try:
            yield
        finally:
            turn.steps.pop()
            self._built.pop(name).set()

    @contextmanager
    def enter_wrapper(self, wrapper: Candidate) -> Iterator[None]:
        """Have a wrapper named that needs, by way of others, what it wraps."""
        turn = self._find_own_turn()
        assert turn is not None, "a wrapper is made while its place is being built"
        turn.steps.append(wrapper)
        try:
            yield
        finally:
            turn.steps.pop()

    @asynccontextmanager
    async def _begin(self, outer: asyncio.Lock | None) -> AsyncIterator[None]:
        turn = _Turn(self, _current_task(), outer)
        await turn.lock.acquire()
        token = _HELD.set((*_HELD.get(), turn))
        try:
            yield
        finally:
            _HELD.reset(token)
            turn.is_over = True
            if not turn.is_lent:
                turn.lock.release()
            if turn.outer is not None:
                turn.outer.release()

    def _find_held(self) -> list[_Turn | _Loan]:
        """Return the turns and loans of this task, inherited ones included, the latest last."""
        turns = (each if isinstance(each, _Turn) else each.turn for each in _HELD.get())
        return [each for each, turn in zip(_HELD.get(), turns, strict=True) if turn.path is self]

    def _find_own_turn(self) -> _Turn | None:
        """The turn of this very task, while it is not lent."""
        held = self._find_held()
        last = held[-1] if held else None
        return last if isinstance(last, _Turn) and last.task is _current_task() else None

    async def _acquire(self, own: _Turn | None = None) -> asyncio.Lock:
        """The lock of the turn within which this task may have its own, once it is free."""
        while True:
            turns = [
                each for each in self._find_held() if isinstance(each, _Turn) and each is not own
            ]
            within = next((each for each in reversed(turns) if not each.is_over), None)
            lock = self._lock if within is None else within.lock
            await lock.acquire()
            if within is None or not within.is_over:
                return lock
            lock.release()

    async def _wait_for(self, built: asyncio.Event, turn: _Turn) -> None:
        """Let the other task go on until it has built what is needed here."""
        if turn.outer is not None:
            outer, turn.outer = turn.outer, None
            outer.release()
            await built.wait()
            turn.outer = await self._acquire(turn)
        else:
            await built.wait()

    def _cycle(self, name: str) -> DependencyCycleError:
        steps = self._find_steps()
        cycle = [*steps[steps.index(name) :], name]
        drawn = "".join(
            f" needs {each}" if isinstance(each, str) else f" (wrapped by {each.name})"
            for each in cycle
        )
        return DependencyCycleError(
            "components need each other to be built",
            evidence=[drawn.removeprefix(" needs "), *self._members(cycle[1:])],
            remedy="let one of them ask for Lazy[…] of the other, or do without it",
        )

    def _members(self, steps: Sequence[str | Candidate]) -> Iterator[str]:
        overrides = self._overrides.current()
        for step in steps:
            if not isinstance(step, str):
                yield self._member(step)
            elif step in overrides:
                override = overrides[step]
                name, place = get_name(override), locate_source(override)
                yield f"{step}: {name} (container override), {place}"
            elif step in self._wiring.decisions:
                yield from map(self._member, self._wiring.decisions[step].winners)

    def _member(self, candidate: Candidate) -> str:
        return f"{candidate.owner}, {locate_source(self._wiring.get_component(candidate))}"


def _current_task() -> asyncio.Task[Any] | None:
    try:
        return asyncio.current_task()
    except RuntimeError:  # no event loop is running
        return None
