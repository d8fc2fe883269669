"""Keeps what a component does within the component: its exits, and the time it takes."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Generator
from types import CoroutineType, TracebackType
from typing import Any, TypeVar

from arc_core.runs.journal import RunSuspended
from arc_core.timing.cancellation import leave_if_cancelled
from arc_core.timing.loop_timeout import LoopTimeout

__all__ = [
    "ComponentFailedError",
    "ComponentTimeoutError",
    "ThrownAwayError",
    "await_within",
    "contain",
]

T = TypeVar("T")


class ComponentFailedError(Exception):
    """A component has failed in a way that must not reach the event loop; never leaves a run."""


class ComponentTimeoutError(ComponentFailedError):
    """A component has taken longer than its time-out."""


class ThrownAwayError(GeneratorExit):
    """The caller is a coroutine that is thrown away; not an exit of the component."""


class contain:  # noqa: N801 -- reads as the verb it is, as contextlib.suppress does
    """`with contain():` turns exits of a component into a `ComponentFailedError`.

    `SystemExit`, `GeneratorExit` and whatever else derives from `BaseException`, as panics of
    libraries in Rust do, would end the process or the task. Exceptions, cancellation, the
    `RunSuspended` of a journal and `KeyboardInterrupt` leave as they are.
    """

    __slots__ = ("_task",)

    def __enter__(self) -> None:
        self._task = asyncio.current_task()

    def __exit__(
        self,
        cls: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if (
            error is not None
            and not isinstance(error, Exception)
            and not _must_leave(error, self._task)
        ):
            raise ComponentFailedError(type(error).__name__) from error


def _must_leave(error: BaseException, task: "asyncio.Task[Any] | None") -> bool:
    """Return True if an exception ends the task itself, and so is not the component's.

    Args:
        error: What came out of the component.
        task: In which the component was called. A `GeneratorExit` that arrives when it does not run
            is that of a coroutine which is thrown away.
    """
    if isinstance(error, GeneratorExit) and not isinstance(error, ThrownAwayError):
        return not _is_running(task)
    return isinstance(error, _LEAVING)


_LEAVING = (asyncio.CancelledError, KeyboardInterrupt, RunSuspended, ThrownAwayError)


async def await_within(work: Callable[[], Awaitable[T]], timeout_s: float | None) -> T:
    """The result of a component, within a time-out.

    Most components answer without waiting for anything. No clock is started for these. A loop that
    is late costs no answer, see `LoopTimeout`.

    Raises:
        ComponentTimeoutError: The time is over, whatever the component made of its cancellation.
        asyncio.CancelledError: The caller was cancelled, whatever the component made of it.
        BaseException: What the component raises.
    """
    awaited = work()
    coroutine = awaited if type(awaited) is CoroutineType else _await(awaited)
    try:
        waited_for = coroutine.send(None)
    except StopIteration as end:
        leave_if_cancelled()
        value: T = end.value
        return value
    scope = LoopTimeout(timeout_s)
    try:
        async with scope:
            try:
                return await _Rest(coroutine, waited_for)
            finally:
                if scope.expired():
                    raise asyncio.CancelledError
                leave_if_cancelled()
    except TimeoutError as error:
        if scope.expired():
            raise ComponentTimeoutError(f"it did not end within {timeout_s:g} s") from error
        raise


async def _await(awaited: Awaitable[T]) -> T:
    return await awaited


class _Rest(Awaitable[T]):
    """The rest of a coroutine that waits for the first time."""

    __slots__ = ("_coroutine", "_waited_for")

    def __init__(self, coroutine: Coroutine[Any, Any, T], waited_for: object) -> None:
        self._coroutine, self._waited_for = coroutine, waited_for

    def __await__(self) -> Generator[Any, Any, T]:
        coroutine, waited_for = self._coroutine, self._waited_for
        while True:
            try:
                try:
                    sent = yield waited_for
                except GeneratorExit:
                    coroutine.close()
                    raise ThrownAwayError from None
                except BaseException as error:  # noqa: BLE001 -- thrown in for the coroutine
                    waited_for = coroutine.throw(error)
                else:
                    waited_for = coroutine.send(sent)
            except StopIteration as end:
                value: T = end.value
                return value


def _is_running(task: "asyncio.Task[Any] | None") -> bool:
    try:
        return task is not None and asyncio.current_task() is task
    except RuntimeError:  # no loop runs any more
        return False
