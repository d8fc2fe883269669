"""Opens and starts the components of a scope, and closes them in reverse."""

import asyncio
import inspect
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Hashable, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, AsyncExitStack
from dataclasses import dataclass
from functools import partial
from typing import Any

from arc_autoconfig.containment import Contained
from arc_autoconfig.declare.component_fit import is_checkable
from arc_autoconfig.errors import ComponentError, describe_cause, locate_source
from arc_core.components.extension_points import declared_place
from arc_core.components.registration import Lifecycle, WorksWhileOpen
from arc_core.errors import ConfigurationError
from arc_core.log import get_logger


class YieldError(Exception):
    """A generator that makes a component does not yield exactly once."""


class Opening:
    """Something that a factory has returned in the place of a component."""

    def __init__(self, returned: Any, wanted: type | None = None) -> None:
        self._returned, self._wanted = returned, wanted
        self._manager: Any = None

    async def open(self) -> object:
        """Wait for the component, or run up to the `yield`."""
        returned = self._returned
        if self._wanted is not None and inspect.isawaitable(returned):
            returned = await returned
        is_component = self._wanted is not None and _is_component(returned, self._wanted)
        manager = None if is_component else _find_manager(returned)
        if manager is None:
            return returned
        self._manager = manager
        if isinstance(manager, AbstractAsyncContextManager):
            return await manager.__aenter__()
        return manager.__enter__()

    @property
    def is_managed(self) -> bool:
        """True if `close` has something to do, once it is open."""
        return self._manager is not None

    async def close(self, error: BaseException | None = None) -> None:
        """Run what follows the `yield`."""
        if self._manager is None:
            return
        details = (None, None, None) if error is None else (type(error), error, error.__traceback__)
        try:
            if isinstance(self._manager, AbstractAsyncContextManager):
                await self._manager.__aexit__(*details)
            else:
                self._manager.__exit__(*details)
        except BaseException as raised:
            if raised is error:
                return
            raise

    def discard(self) -> None:
        """Throw away a coroutine that is not awaited, so that Python does not warn of it."""
        if inspect.iscoroutine(self._returned):
            self._returned.close()


def find_opening(returned: object, wanted: type) -> Opening | None:
    """Return how to open what a factory has returned; None for a component of the wanted type."""
    is_opened = inspect.isawaitable(returned) or _find_manager(returned) is not None
    if _is_component(returned, wanted) or not is_opened:
        return None
    return Opening(returned, wanted)


def _find_manager(
    returned: Any,
) -> AbstractAsyncContextManager[object] | AbstractContextManager[object] | None:
    if isinstance(returned, AsyncGenerator | Generator):
        return _Yield(returned)
    if isinstance(returned, AbstractAsyncContextManager | AbstractContextManager):
        return returned
    return None


def _is_component(returned: object, wanted: type) -> bool:
    return is_checkable(wanted) and isinstance(returned, wanted)


_ENDED = object()
_Generator = Generator[object, None, object] | AsyncGenerator[object, None]


class _Yield(AbstractAsyncContextManager[object]):
    """A generator that yields a component, and closes it afterwards."""

    def __init__(self, generator: _Generator) -> None:
        self._generator = generator

    async def _resume(self, error: BaseException | None = None) -> object:
        """Return what is yielded next, or that there is nothing more."""
        generator = self._generator
        try:
            if isinstance(generator, Generator):
                return next(generator) if error is None else generator.throw(error)
            return await (anext(generator) if error is None else generator.athrow(error))
        except (StopIteration, StopAsyncIteration):
            return _ENDED

    async def __aenter__(self) -> object:
        made = await self._resume()
        if made is _ENDED:
            raise YieldError("it ended without a yield; yield the component once")
        return made

    async def __aexit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        if await self._resume(error) is _ENDED:
            return True
        if isinstance(self._generator, Generator):
            self._generator.close()
        else:
            await self._generator.aclose()
        raise YieldError("it went on to a second yield; yield the component once")


START_TIMEOUT_S = 30.0
"""The seconds that the start of one component may take."""

CLOSE_TIMEOUT_S = 10.0
"""The seconds that the close of one component may take."""

logger = get_logger("lifecycle")

_Method = Callable[..., object]


@dataclass(frozen=True, slots=True)
class Built:
    """A component that is in use."""

    component: object
    owner: str
    start_timeout_s: float | None = START_TIMEOUT_S
    close_timeout_s: float = CLOSE_TIMEOUT_S
    is_of_run: bool = False

    @classmethod
    def with_times(cls, component: object, owner: str, lifecycle: Lifecycle | None) -> "Built":
        """Return a component with the times that are declared for it, by its offer or itself."""
        start_s, close_s = (
            getattr(lifecycle, name, None) or _declared_time(component, name, owner)
            for name in ("start_timeout_s", "close_timeout_s")
        )
        return cls(component, owner, start_s or START_TIMEOUT_S, close_s or CLOSE_TIMEOUT_S)


def _declared_time(component: object, name: str, owner: str) -> float | None:
    value: object = getattr(type(component), name, None)
    if value is None or isinstance(value, property):
        return None
    if isinstance(value, int | float) and value > 0:
        return value
    raise ComponentError(
        f"{owner} declares {name} = {value!r}",
        evidence=[f"its place: {locate_source(component)}"],
        remedy="write seconds, more than 0",
    )


class OpenComponents:
    """The components of a scope that have to be closed."""

    def __init__(self) -> None:
        self._closings: list[tuple[Built, Callable[[BaseException | None], Awaitable[object]]]] = []

    def add(self, built: Built, close: Callable[[BaseException | None], Awaitable[object]]) -> None:
        """Have a component closed; `close` gets the error with which the scope ended, if any."""
        self._closings.append((built, close))

    async def start(self, built: Built) -> None:
        """Start a component that wants it, and have it closed.

        A component may have `async start()` and `async aclose()`, either or both, or be an
        asynchronous context manager. Synchronous ones are called on the event loop, which they hold
        meanwhile. A `start` that needs an argument belongs to the component's interface, and is
        others' to call.
        """
        component = built.component
        begin, end = _find_method(component, "start"), _find_method(component, "aclose")
        if begin is not None and _needs_argument(begin):
            begin = None
        is_manager = isinstance(component, AbstractAsyncContextManager)
        is_plain_manager = built.is_of_run and isinstance(component, AbstractContextManager)
        if begin is None and (is_manager or is_plain_manager):
            opening = Opening(component)
            await _attempt(opening.open, built, failure="did not start", source=component)
            self.add(built, opening.close)
            return
        if begin is not None:
            await _attempt(partial(_call, begin), built, failure="did not start", source=component)
        if end is not None:
            self.add(built, lambda _error: _call(end))

    async def open(
        self, opening: Opening, built: Callable[[object], Built], *, source: object
    ) -> object:
        """Open what a factory has returned in the place of a component, and have it closed."""
        failure = "could not be opened"
        opened = await _attempt(opening.open, built(None), failure=failure, source=source)
        if opening.is_managed:
            self.add(built(opened), opening.close)
        return opened

    async def close_all(self, error: BaseException | None = None) -> tuple[str, ...]:
        """Close everything, last opened first, and return the owners of what failed to close."""
        failed: list[str] = []
        cancellation: asyncio.CancelledError | None = None
        while self._closings:
            built, close = self._closings.pop()
            try:
                if not await _close(built, close(error), error):
                    failed.append(built.owner)
            except asyncio.CancelledError as raised:
                cancellation = raised
        if cancellation is not None:
            raise cancellation
        return tuple(failed)


class LiveComponents:
    """The components of an application that are in use, each of which is started once."""

    def __init__(self) -> None:
        self.instances: dict[Hashable, object] = {}
        self.opened: OpenComponents | None = None
        self._built: dict[int, Built] = {}
        self._pending: deque[Built] = deque()

    @property
    def built(self) -> Sequence[Built]:
        """Everything in use, each component after those it was made with."""
        return tuple(self._built.values())

    def record(self, made: object, owner: str, lifecycle: Lifecycle | None = None) -> None:
        """Note a component, which is started with the next `start_pending`."""
        if made is not None and id(made) not in self._built:
            built = self._built[id(made)] = Built.with_times(made, owner, lifecycle)
            self._pending.append(built)

    async def start_pending(self, lend: Callable[[], AbstractAsyncContextManager[None]]) -> None:
        """Start what is not started yet, if the application is starting or has started."""
        while self.opened is not None and self._pending:
            built = self._pending.popleft()
            try:
                async with lend():
                    await self.opened.start(built)
            except ConfigurationError:  # another start makes it anew
                del self._built[id(built.component)]
                kept = self.instances.items()
                self.instances = {key: each for key, each in kept if each is not built.component}
                raise


async def start(built: Built, stack: AsyncExitStack) -> None:
    """Start one component that wants it, and have a stack close it."""
    opened = OpenComponents()
    stack.push_async_callback(opened.close_all)
    await opened.start(built)


def begin_work(built: Sequence[Built], stack: AsyncExitStack) -> None:
    """Have components work that want to, now that all of them have started."""
    for each in built:
        if isinstance(each.component, WorksWhileOpen):
            name = f"arc-work-of-{each.owner}"
            task = asyncio.create_task(_work(each.component, each), name=name)
            stack.push_async_callback(_stop, task, each)


async def _work(component: WorksWhileOpen, built: Built) -> None:
    with Contained() as attempt:
        await component.work_while_open()
    if attempt.error is not None:
        message = f"{built.owner} failed while the application was open"
        logger.error(message, component=built.owner, exc_info=attempt.error)


async def _stop(task: asyncio.Task[None], built: Built) -> None:
    task.cancel()
    _, unfinished = await asyncio.wait((task,), timeout=built.close_timeout_s)
    if unfinished:
        logger.error("a component does not end its work", component=built.owner)


async def _attempt(
    work: Callable[[], Awaitable[object]], built: Built, *, failure: str, source: object
) -> object:
    """Wait for the code of a component, within the time that its start may take."""
    deadline = asyncio.timeout(built.start_timeout_s)
    with Contained(passing=(ConfigurationError,)) as attempt:
        async with deadline:
            return await work()
    error = attempt.error
    assert error is not None
    is_late = deadline.expired()
    cause = f"it took longer than {built.start_timeout_s:g} s" if is_late else describe_cause(error)
    failure = "could not be made for a run" if built.is_of_run else failure
    raise describe_failure(f"{built.owner} {failure}", cause=cause, source=source) from error


def describe_failure(problem: str, *, cause: str, source: object) -> ComponentError:
    """Return the error of a component whose code has failed, or took too long."""
    return ComponentError(
        problem,
        evidence=[cause, f"its place: {locate_source(source)}"],
        remedy="correct what it complains about, or choose another component",
    )


async def _close(built: Built, close: Awaitable[object], error: BaseException | None) -> bool:
    """Close a component; returns False if it failed, which must not keep others from closing."""
    with Contained() as attempt:
        async with asyncio.timeout(built.close_timeout_s):
            await close
    is_passed_on = isinstance(attempt.error, asyncio.CancelledError) and isinstance(
        error, asyncio.CancelledError
    )
    if attempt.error is None or is_passed_on:
        return True
    place = locate_source(built.component)
    message = f"{built.owner} did not close, which may leak what it holds ({place})"
    logger.error(message, component=built.owner, exc_info=attempt.error)
    return False


async def _call(method: _Method) -> object:
    returned = method()
    return await returned if inspect.isawaitable(returned) else returned


def _needs_argument(method: _Method) -> bool:
    try:
        parameters = inspect.signature(method).parameters.values()
    except (TypeError, ValueError):  # a function written in C may not tell
        return False
    collects = {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}
    return any(each.default is each.empty and each.kind not in collects for each in parameters)


def _find_method(component: object, name: str) -> _Method | None:
    """Return a method of the life cycle; a tool of that name, for example, is others' to call."""
    method = getattr(component, name, None)
    is_component = any(map(declared_place, type(method).__mro__))
    return method if callable(method) and not is_component else None
