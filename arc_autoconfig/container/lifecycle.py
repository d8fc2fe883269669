"""Starts components in the order in which they were built, and closes them in reverse."""

import asyncio
import inspect
from collections.abc import Callable, Hashable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass
from functools import partial

from arc_autoconfig.container.resources import Opening
from arc_autoconfig.containment import Contained
from arc_autoconfig.errors import ComponentError, cause_of, source_of
from arc_core.components.extension_points import declared_place
from arc_core.components.lifecycle import Lifecycle, WorksWhileOpen
from arc_core.errors import ConfigurationError
from arc_core.log import get_logger

__all__ = [
    "CLOSE_TIMEOUT_S",
    "START_TIMEOUT_S",
    "Built",
    "LiveComponents",
    "begin_work",
    "method_of",
    "open_resource",
    "start",
]

START_TIMEOUT_S = 30.0
"""How long the start of one component may take."""

CLOSE_TIMEOUT_S = 10.0
"""How long the close of one component may take."""

logger = get_logger("lifecycle")

_Method = Callable[..., object]


@dataclass(frozen=True, slots=True)
class Built:
    """A component that is in use.

    Attributes:
        component: The instance.
        owner: Whose it is, in words for people.
        start_timeout_s: How long its start may take.
        close_timeout_s: How long its close may take.
    """

    component: object
    owner: str
    start_timeout_s: float = START_TIMEOUT_S
    close_timeout_s: float = CLOSE_TIMEOUT_S

    @classmethod
    def of(cls, component: object, owner: str, lifecycle: Lifecycle | None) -> "Built":
        """Return a component with the times that are declared for it, by its offer or itself."""
        times = {
            name: getattr(lifecycle, name, None) or _declared_time(component, name, owner)
            for name in ("start_timeout_s", "close_timeout_s")
        }
        return cls(component, owner, **{name: s for name, s in times.items() if s is not None})


def _declared_time(component: object, name: str, owner: str) -> float | None:
    value: object = getattr(type(component), name, None)
    if value is None or isinstance(value, property):
        return None
    if isinstance(value, int | float) and value > 0:
        return value
    raise ComponentError(
        f"{owner} declares {name} = {value!r}",
        evidence=[f"its place: {source_of(component)}"],
        remedy="write seconds, more than 0",
    )


class LiveComponents:
    """The components that are in use, each of which is started once.

    Attributes:
        built: Each component after those it was made with.
        instances: What classes and functions have made.
        stack: Closes what was started; None before the application starts.
    """

    def __init__(self) -> None:
        self.built: list[Built] = []
        self.instances: dict[Hashable, object] = {}
        self.stack: AsyncExitStack | None = None
        self._recorded: set[int] = set()
        self._started = 0

    def record(self, made: object, owner: str, lifecycle: Lifecycle | None = None) -> None:
        """Note a component, which is started with the next `start_pending`."""
        if made is not None and id(made) not in self._recorded:
            self._recorded.add(id(made))
            self.built.append(Built.of(made, owner, lifecycle))

    async def start_pending(self, lend: Callable[[], AbstractAsyncContextManager[None]]) -> None:
        """Start what is not started yet, if the application is starting or has started.

        Args:
            lend: Is entered while a component starts, since it may ask for others.

        Raises:
            ConfigurationError: A component did not start. It is made and started anew when it is
                asked for again.
        """
        while self.stack is not None and self._started < len(self.built):
            built = self.built[self._started]
            self._started += 1
            try:
                async with lend():
                    await start(built, self.stack)
            except ConfigurationError:
                self._forget(built)
                raise

    def _forget(self, built: Built) -> None:
        component = built.component
        self.built[:] = [each for each in self.built if each is not built]
        self._started -= 1
        self._recorded.discard(id(component))
        kept = {key: each for key, each in self.instances.items() if each is not component}
        self.instances = kept


async def start(built: Built, stack: AsyncExitStack) -> None:
    """Start a component that wants it, and have the stack close it.

    A component may have `async start()` and `async aclose()`, either or both, or be an asynchronous
    context manager. Synchronous ones are called on the event loop, which they hold meanwhile. A
    `start` that needs an argument belongs to the component's interface, and is others' to call.

    Args:
        built: The component.
        stack: Closes what was started, last first. What fails to close or takes too long is logged.

    Raises:
        ComponentError: It raised, or took too long.
        ConfigurationError: It says itself what is wrong.
    """
    find = partial(method_of, built.component)
    begin = find("start")
    if begin is not None and _needs_argument(begin):
        begin = None
    is_manager = begin is None and find("__aenter__") is not None
    if is_manager:
        begin = find("__aenter__")
    if begin is not None:
        await _begin(begin, built, timeout_s=built.start_timeout_s)
    leave = find("__aexit__") if is_manager else None
    close = partial(leave, None, None, None) if leave is not None else find("aclose")
    if close is not None:
        stack.push_async_callback(_end, close, built, timeout_s=built.close_timeout_s)


async def open_resource(
    opening: Opening, owner: str, stack: AsyncExitStack, *, lifecycle: Lifecycle | None = None
) -> object:
    """Open what a factory has returned in the place of a component.

    Args:
        opening: What has to be opened.
        owner: Whose it is, in words for people.
        stack: Closes it. What fails to close or takes too long is logged.
        lifecycle: How long that may take.

    Returns:
        The component.

    Raises:
        ComponentError: It raised, or took too long.
        ConfigurationError: It says itself what is wrong.
    """
    start_timeout_s = getattr(lifecycle, "start_timeout_s", None) or START_TIMEOUT_S
    deadline = asyncio.timeout(start_timeout_s)
    with Contained() as attempt:
        async with deadline:
            opened = await opening.open()
        built = Built.of(opened, owner, lifecycle)
        stack.push_async_callback(_end, opening.close, built, timeout_s=built.close_timeout_s)
        return opened
    error = attempt.error
    assert error is not None
    if isinstance(error, ConfigurationError):
        raise error
    cause = f"it took longer than {start_timeout_s:g} s" if deadline.expired() else cause_of(error)
    raise ComponentError(
        f"{owner} could not be opened",
        evidence=[cause],
        remedy="correct what it complains about, or choose another component",
    ) from error


def begin_work(built: Sequence[Built], stack: AsyncExitStack) -> None:
    """Have components work that want to, now that all of them have started.

    Args:
        built: All components.
        stack: Cancels the work, and waits for its end.
    """
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


async def _begin(begin: _Method, built: Built, *, timeout_s: float) -> None:
    deadline = asyncio.timeout(timeout_s)
    with Contained() as attempt:
        async with deadline:
            await _call(begin)
    error = attempt.error
    if error is None:
        return
    if isinstance(error, ConfigurationError):
        raise error
    cause = f"it took longer than {timeout_s:g} s" if deadline.expired() else cause_of(error)
    raise ComponentError(
        f"{built.owner} did not start",
        evidence=[cause, f"its place: {source_of(built.component)}"],
        remedy="correct what it complains about, or choose another component",
    ) from error


async def _end(close: _Method, built: Built, *, timeout_s: float) -> None:
    """Close a component; one that fails must not keep the others from closing."""
    with Contained() as attempt:
        async with asyncio.timeout(timeout_s):
            await _call(close)
    if attempt.error is not None:
        place = source_of(built.component)
        message = f"{built.owner} did not close, which may leak what it holds ({place})"
        logger.error(message, component=built.owner, exc_info=attempt.error)


async def _call(method: _Method) -> None:
    returned = method()
    if inspect.isawaitable(returned):
        await returned


def _needs_argument(method: _Method) -> bool:
    try:
        parameters = inspect.signature(method).parameters.values()
    except (TypeError, ValueError):  # a function written in C may not tell
        return False
    collects = {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}
    return any(each.default is each.empty and each.kind not in collects for each in parameters)


def method_of(component: object, name: str) -> _Method | None:
    """A method of the life cycle; a component of that name, such as a tool, is others' to call."""
    method = getattr(component, name, None)
    is_component = any(map(declared_place, type(method).__mro__))
    return method if callable(method) and not is_component else None
