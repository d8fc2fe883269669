"""The one way in which the engine calls a component that others wrote."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cache, reduce
from typing import TypeVar

from arc_core.engine.boundary.containment import (
    ComponentTimeoutError,
    ThrownAwayError,
    await_within,
)
from arc_core.engine.boundary.policies import POLICIES, Fails, Policy
from arc_core.errors import ConfigurationError
from arc_core.interfaces.agent_metrics import FaultSource
from arc_core.log import get_logger
from arc_core.settings import AgentSettings
from arc_core.timing.cancellation import leave_if_cancelled

__all__ = ["Boundary", "Failed", "is_said_beside", "peek_attribute", "read_attribute"]

T = TypeVar("T")


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

    Args:
        on_fault: Told of each failure that the policy counts.
        settings: Have the time-outs; None is the defaults.
    """

    def __init__(
        self,
        on_fault: Callable[[FaultSource], None] | None = None,
        *,
        settings: AgentSettings | None = None,
    ) -> None:
        self._on_fault = on_fault
        self._timeouts = _StandardTimeouts() if settings is None else _timeouts(settings)

    async def call(
        self,
        policy: Policy,
        component: object,
        work: Callable[[], Awaitable[T]],
        *,
        timeout_s: float | None = None,
    ) -> T | Failed:
        """Await what a component does.

        Args:
            policy: The row of the table.
            component: Named in the log.
            work: Calls the component.
            timeout_s: Instead of the time-out of the policy.
        """
        try:
            bound = self._timeouts[policy] if timeout_s is None else timeout_s
            result = await await_within(work, bound)
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


def _timeout(policy: Policy, settings: AgentSettings) -> float | None:
    if policy.timeout is None:
        return None
    seconds: float = reduce(getattr, policy.timeout.split("."), settings)  # type: ignore[assignment]
    return seconds or None


class _StandardTimeouts(dict[Policy, float | None]):
    """Those of the default settings, which are made when one is asked for: they take long."""

    def __missing__(self, policy: Policy) -> float | None:
        self.update(_standard_timeouts())
        return self[policy]


@cache
def _standard_timeouts() -> dict[Policy, float | None]:
    return _timeouts(AgentSettings())


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

    Args:
        component: Has both.
        name: Of the attribute.
        method: The name of the method.
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

    Args:
        component: Has it; a property may raise.
        name: Of the attribute.
        kind: What the component is, for the error.
        default: If there is none.
        remedy: What the attribute may be.

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
