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
from arc_core.engine.boundary.policies import POLICIES, Policy
from arc_core.interfaces.agent_metrics import FaultSource
from arc_core.log import get_logger
from arc_core.settings import AgentSettings
from arc_core.timing.cancellation import leave_if_cancelled

__all__ = ["Boundary", "Failed"]

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
        """Whether it took longer than its time-out."""
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
