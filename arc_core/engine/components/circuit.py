"""Whether a model is worth asking, so that one that is down does not hold up every run.

Written here, since the libraries for it count a cancelled call as a success or as a failure, and it
is neither.
"""

import time
from collections import deque
from collections.abc import Callable
from enum import Enum, auto

from arc_core.error_codes import AgentErrorCode
from arc_core.log import get_logger
from arc_core.settings import CircuitSettings

__all__ = ["Circuit", "Passage"]

logger = get_logger("circuit")

_FAULTS_OF_THE_VENDOR = frozenset(
    {AgentErrorCode.UNAVAILABLE, AgentErrorCode.OVERLOADED, AgentErrorCode.TIMEOUT}
)


class Passage(Enum):
    """How a call is let through."""

    FREE = auto()
    TRIAL = auto()
    """It decides whether the circuit closes; there is one at a time."""

    REFUSED = auto()


class Circuit:
    """Opens after failures of the vendor's, and lets one call through now and then to try.

    Calls whose end says nothing of the vendor, such as cancelled ones, change nothing.

    Args:
        settings: How many failures in which time, and how long it stays open.
        model: What the log calls it.
        clock: Seconds; only their differences matter.

    Attributes:
        opened_at: When it has opened; None while it is closed.
    """

    def __init__(
        self,
        settings: CircuitSettings,
        *,
        model: str,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._window_s, self._open_s = settings.window_s, settings.open_s
        self._model, self._clock = model, clock
        self._failed_at: deque[float] = deque(maxlen=settings.failure_threshold)
        self.opened_at: float | None = None
        self._is_trying = False

    def enter(self) -> Passage:
        """Ask before a call; what is let through must `leave`."""
        if self.opened_at is None:
            return Passage.FREE
        if self._is_trying or self._clock() - self.opened_at < self._open_s:
            return Passage.REFUSED
        self._is_trying = True
        return Passage.TRIAL

    def leave(self, passage: Passage, *, failed_with: AgentErrorCode | None) -> None:
        """Tell how a call ended.

        Args:
            passage: What `enter` gave.
            failed_with: None for an answer; `CANCELLED` if its caller left.
        """
        if passage is Passage.TRIAL:
            self._is_trying = False
            if failed_with is None:
                self._close()
        if passage is not Passage.REFUSED and failed_with in _FAULTS_OF_THE_VENDOR:
            self._note_failure(passage)

    def _note_failure(self, passage: Passage) -> None:
        now = self._clock()
        if passage is Passage.TRIAL:
            self.opened_at = now
        elif self.opened_at is None:
            self._failed_at.append(now)
            is_full = len(self._failed_at) == self._failed_at.maxlen
            if is_full and now - self._failed_at[0] <= self._window_s:
                self.opened_at = now
                logger.warning("a model is not asked for a while", model=self._model)

    def _close(self) -> None:
        self.opened_at = None
        self._failed_at.clear()
        logger.info("a model answers again", model=self._model)
