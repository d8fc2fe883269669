"""The circuit breaker of a model, so that one that is down does not hold up every run.

Written here, since the libraries for it count a cancelled call as a success or as a failure, and it
is neither.
"""

import time
from collections import deque
from collections.abc import Callable
from enum import Enum, auto

from arc_core.error_base import AgentErrorCode
from arc_core.log import get_logger
from arc_core.settings import CircuitSettings

logger = get_logger("circuit")

_FAULTS_OF_THE_VENDOR = frozenset(
    {AgentErrorCode.UNAVAILABLE, AgentErrorCode.OVERLOADED, AgentErrorCode.TIMEOUT}
)
_STEPS = 100


class Permit(Enum):
    """The ways in which a call is let through."""

    FREE = auto()
    TRIAL = auto()
    """It decides whether the circuit closes; there is one at a time."""

    REFUSED = auto()


class ModelCircuit:
    """Opens after failures of the vendor's, and lets one call through now and then to try.

    It opens when enough calls of a window have failed, and they are at least half of its calls.
    Calls that were left before their end, such as cancelled ones, change nothing.

    Args:
        clock: Seconds; only their differences matter.

    Attributes:
        opened_at: When it has opened; None while it is closed.
    """

    def __init__(
        self, settings: CircuitSettings, *, model: str, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._threshold, self._open_s = settings.failure_threshold, settings.open_s
        self._model, self._clock = model, clock
        self._window = _Window(settings.window_s)
        self.opened_at: float | None = None
        self._is_trying = False

    @property
    def size(self) -> int:
        """The number of moments in its window."""
        return self._window.size

    def enter(self) -> Permit:
        """Ask before a call; what is let through must `leave`."""
        if self.opened_at is None:
            return Permit.FREE
        if self._is_trying or self._clock() - self.opened_at < self._open_s:
            return Permit.REFUSED
        self._is_trying = True
        return Permit.TRIAL

    def leave(self, permit: Permit, *, failed_with: AgentErrorCode | None) -> None:
        """Tell how a call has failed; None for an answer, `CANCELLED` if its caller left."""
        if permit is Permit.FREE:
            is_counted = failed_with is not AgentErrorCode.CANCELLED
            if self.opened_at is None and self._threshold and is_counted:
                self._count(has_failed=failed_with in _FAULTS_OF_THE_VENDOR)
        elif permit is Permit.TRIAL:
            self._is_trying = False
            if failed_with is None:
                self._close()
            elif failed_with in _FAULTS_OF_THE_VENDOR:
                self.opened_at = self._clock()

    def _count(self, *, has_failed: bool) -> None:
        now, window = self._clock(), self._window
        window.add(now, has_failed=has_failed)
        if has_failed and window.failures >= self._threshold:
            window.forget(now)
            if window.failures >= max(self._threshold, window.calls / 2):
                self.opened_at = now
                logger.warning("a model is not asked for a while", model=self._model)

    def _close(self) -> None:
        self.opened_at = None
        self._window.clear()
        logger.info("a model answers again", model=self._model)


class _Window:
    """Counts the calls of the last seconds, together those that end at nearly the same time."""

    def __init__(self, seconds: float) -> None:
        self._seconds, self._step_s = seconds, seconds / _STEPS
        self._counts: deque[list[float]] = deque()  # of each: when it began, calls, failures
        self.calls = self.failures = 0

    @property
    def size(self) -> int:
        return len(self._counts)

    def add(self, now: float, *, has_failed: bool) -> None:
        """Count a call."""
        counts = self._counts
        if not counts or now - counts[-1][0] >= self._step_s:
            self.forget(now)
            counts.append([now, 0, 0])
        last = counts[-1]
        last[1] += 1
        self.calls += 1
        if has_failed:
            last[2] += 1
            self.failures += 1

    def forget(self, now: float) -> None:
        """Leave out what ended before the window."""
        counts = self._counts
        while counts and now - counts[0][0] > self._seconds:
            _, calls, failures = counts.popleft()
            self.calls -= int(calls)
            self.failures -= int(failures)

    def clear(self) -> None:
        """Begin anew."""
        self._counts.clear()
        self.calls = self.failures = 0
