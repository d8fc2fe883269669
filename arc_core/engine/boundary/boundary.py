"""The one way in which the engine calls a component that others wrote."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Generator
from dataclasses import dataclass, replace
from functools import cache, partial, reduce
from types import CoroutineType
from typing import Any, Protocol, TypeVar

from arc_core.engine.boundary import policies
from arc_core.engine.boundary.policies import POLICIES, Fails, Policy
from arc_core.errors import AgentErrorCode, ConfigurationError
from arc_core.interfaces.agent_metrics import (
    AgentMetrics,
    CompactionRecord,
    CountsCompactions,
    CountsKeptRuns,
    FaultSource,
)
from arc_core.interfaces.error_message_resolver import ErrorMessageResolver
from arc_core.interfaces.guards.guard import GuardResult, Rejected
from arc_core.log import get_logger
from arc_core.runs.journal import RunSuspended
from arc_core.runs.summaries import KeptRunCounts
from arc_core.settings import AgentSettings
from arc_core.timing.cancellation import leave_if_cancelled
from arc_core.timing.loop_timeout import LoopTimeout

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

    def __exit__(self, cls: object, error: BaseException | None, traceback: object) -> None:
        if (
            error is not None
            and not isinstance(error, Exception)
            and not _must_leave(error, self._task)
        ):
            raise ComponentFailedError(type(error).__name__) from error


def _must_leave(error: BaseException, task: "asyncio.Task[Any] | None") -> bool:
    """Return True if an exception ends the task itself, and so is not the component's.

    A `GeneratorExit` while the task does not run is that of a coroutine which is thrown away.
    """
    if isinstance(error, GeneratorExit) and not isinstance(error, ThrownAwayError):
        return not _is_running(task)
    return isinstance(error, _LEAVING)


_LEAVING = (asyncio.CancelledError, KeyboardInterrupt, RunSuspended, ThrownAwayError)


async def _finish_within(
    coroutine: Coroutine[Any, Any, T], waited_for: object, timeout_s: float | None
) -> T:
    """Return the result of a component that waits for the first time, within a time-out.

    A loop that is late costs no answer, see `LoopTimeout`.

    Raises:
        ComponentTimeoutError: The time is over, whatever the component made of its cancellation.
        asyncio.CancelledError: The caller was cancelled, whatever the component made of it.
        BaseException: What the component raises.
    """
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


class _Request(Protocol):
    @property
    def text(self) -> str: ...


RequestT = TypeVar("RequestT", bound=_Request, contravariant=True)


class _Guard(Protocol[RequestT]):
    async def check(self, request: RequestT) -> GuardResult: ...


@dataclass(frozen=True, slots=True)
class Failed:
    """A component has failed; the caller goes on with what the policy says.

    Attributes:
        error: What it raised; a `TypeError` if it returned something else than it should.
    """

    error: BaseException

    @property
    def timed_out(self) -> bool:
        """True if it took longer than its time-out."""
        return isinstance(self.error, ComponentTimeoutError)


class Boundary:
    """Calls components by their policies: bounds, checks, logs and counts.

    Cancellation and `KeyboardInterrupt` always leave; nothing else does but what the policy lets
    out.
    """

    def __init__(
        self,
        on_fault: Callable[[FaultSource], None] | None = None,
        *,
        settings: AgentSettings | None = None,
    ) -> None:
        self._on_fault = on_fault
        self._timeouts = None if settings is None else _timeouts(settings)

    async def call(
        self,
        policy: Policy,
        component: object,
        work: Callable[[], Awaitable[T]],
        *,
        timeout_s: float | None = None,
    ) -> T | Failed:
        """Await what a component does.

        Most components answer without waiting for anything. No clock is started for these.
        """
        try:
            awaited = work()
            coroutine = awaited if type(awaited) is CoroutineType else _await(awaited)
            try:
                waited_for = coroutine.send(None)
            except StopIteration as end:
                task = asyncio.current_task()
                if task is not None and task.cancelling():
                    leave_if_cancelled()
                result: T = end.value
            else:
                if timeout_s is None:
                    timeout_s = (self._timeouts or _standard_timeouts())[policy]
                result = await _finish_within(coroutine, waited_for, timeout_s)
        except policy.lets_out:
            leave_if_cancelled()
            raise
        except (asyncio.CancelledError, KeyboardInterrupt, ThrownAwayError):
            raise
        except BaseException as error:  # noqa: BLE001 -- the policy says what it means
            leave_if_cancelled()
            return self.report(policy, component, error)
        if isinstance(result, policy.returns):
            return result
        return self._report_type(policy, component, result)

    def call_now(
        self, policy: Policy, component: object, work: Callable[..., T], *values: object
    ) -> T | Failed:
        """Call a component that is not async.

        It waits for nothing in which it could be cancelled: a `CancelledError`, as the result of a
        cancelled future is, is a failure like others.
        """
        try:
            result = work(*values)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 -- the policy says what it means
            return self.report(policy, component, error)
        if isinstance(result, policy.returns):
            return result
        return self._report_type(policy, component, result)

    async def ask_guard(
        self, policy: Policy, guard: _Guard[RequestT], request: RequestT
    ) -> str | Rejected | Failed:
        """Return the text as a guard leaves it, its rejection, or its failure."""
        result = await self.call(policy, guard, partial(guard.check, request))
        if isinstance(result, Failed):
            return result
        if isinstance(result, Rejected):
            reason: object = result.reason
            return result if isinstance(reason, str) else replace(result, reason="")
        text: object = result.text
        if text is None:
            return request.text
        if isinstance(text, str):
            return text
        problem = f"Allowed.text is of the type {type(text).__name__}"
        return self.report(policy, guard, TypeError(problem))

    def report(self, policy: Policy, component: object, error: BaseException) -> Failed:
        """Log and count that a component has failed."""
        if policy.event is not None:
            log = get_logger(policy.logger)
            log.error(policy.event, component=type(component).__name__, exc_info=error)
        self.count(policy)
        return Failed(error)

    def count(self, policy: Policy) -> None:
        """Count a failure, also one that a component itself tells of by what it returns."""
        if policy.fault is not None and self._on_fault is not None:
            self._on_fault(policy.fault)

    def _report_type(self, policy: Policy, component: object, result: object) -> Failed:
        expected = " or ".join(cls.__name__ for cls in policy.returns if cls is not type(None))
        problem = f"returned {type(result).__name__} instead of {expected}"
        return self.report(policy, component, TypeError(problem))


def _timeouts(settings: AgentSettings) -> dict[Policy, float | None]:
    return {policy: _timeout(policy, settings) for policy in POLICIES}


@cache
def _standard_timeouts() -> dict[Policy, float | None]:
    """The time-outs of the default settings, which take long to make."""
    return _timeouts(AgentSettings())


def _timeout(policy: Policy, settings: AgentSettings) -> float | None:
    if policy.timeout is None:
        return None
    seconds: float = reduce(getattr, policy.timeout.split("."), settings)  # type: ignore[assignment]
    return seconds or None


# Not in the table, which says what a failure means for a run: there is none yet.
_READING = Policy(
    calls=(), fails=Fails.CLOSED, stands_in="no engine is built", logger="engine", event=None
)


_PEEKING = Policy(
    calls=(), fails=Fails.CLOSED, stands_in="", logger="engine", event="an attribute cannot be read"
)
_BOUNDARY = Boundary()


def is_said_beside(component: object, name: str, *, method: str) -> bool:
    """Return True if an attribute of a component belongs to the code of one of its methods.

    It does if the class that has the method, or a subclass of that, defines the attribute, and if
    it was set on the instance; not if it is older than the method, or if neither is in a class.
    """
    try:
        own = object.__getattribute__(component, "__dict__")
    except AttributeError:  # all its attributes have slots
        own = {}
    if method in own:
        return False
    if name in own:
        return True
    for cls in type(component).__mro__:
        if name in vars(cls):
            return True
        if method in vars(cls):
            return False
    return False


def peek_attribute(component: object, name: str, default: object) -> object:
    """An attribute of a component during a run; `Failed` if it raises, which is logged."""
    return _BOUNDARY.call_now(_PEEKING, component, getattr, component, name, default)


def read_attribute(
    component: object, name: str, *, kind: str, default: object, remedy: str
) -> object:
    """An attribute of a component that others wrote, whatever it is.

    Raises:
        ConfigurationError: It raises. What it says stays out of the error, since it may quote
            anything.
    """
    value = _BOUNDARY.call_now(_READING, component, lambda: getattr(component, name, default))
    if not isinstance(value, Failed):
        return value
    raise ConfigurationError(
        f"the {kind} {type(component).__name__} cannot tell its {name}",
        evidence=[f"it raises {type(value.error).__name__}"],
        remedy=remedy,
    )


def _has_own(metrics: AgentMetrics, name: str) -> bool:
    method = peek_attribute(metrics, name, None)
    return getattr(method, "__func__", None) is not getattr(AgentMetrics, name)


class SafeMetrics(AgentMetrics, CountsCompactions, CountsKeptRuns):
    """Passes measurements on that the metrics component takes; what it raises is logged.

    Attributes:
        takes_runs: Whether it has a method of its own for runs; for others no record is made.
        takes_model_calls: The same for calls of models.
    """

    def __init__(self, metrics: AgentMetrics) -> None:
        self._metrics = metrics
        self.takes_runs = _has_own(metrics, "record_run")
        self.takes_model_calls = _has_own(metrics, "record_model_call")
        self._record = partial(Boundary().call_now, policies.AGENT_METRICS, metrics)
        for name in vars(AgentMetrics):
            if name.startswith("record_"):
                setattr(self, name, partial(self._record, getattr(metrics, name)))

    def record_compaction(self, record: CompactionRecord) -> None:
        """Pass on, to metrics that count them."""
        if isinstance(self._metrics, CountsCompactions):
            self._record(self._metrics.record_compaction, record)

    def record_kept_runs(self, counts: KeptRunCounts) -> None:
        """Pass on, to metrics that count them."""
        if isinstance(self._metrics, CountsKeptRuns):
            self._record(self._metrics.record_kept_runs, counts)


def get_error_text(resolver: ErrorMessageResolver, boundary: Boundary, code: AgentErrorCode) -> str:
    """The text of a code for people, as the resolver has it; fails open."""
    text = boundary.call_now(policies.ERROR_MESSAGE_RESOLVER, resolver, resolver.resolve, code)
    return code.value if isinstance(text, Failed) else text
