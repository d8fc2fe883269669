"""When a failed model call is tried again."""

import asyncio
from collections.abc import Awaitable, Callable

from arc_core.engine.model_calls.failure import Failure
from arc_core.settings import RetrySettings
from arc_core.timing.backoff import Backoff

__all__ = ["RetryPolicy"]


class RetryPolicy:
    """Exponential delays with jitter, and the vendor's own wish where it has one.

    Args:
        settings: Attempts and delays.
        sleep: Waits for seconds; the run's deadline cancels it.
    """

    def __init__(
        self,
        settings: RetrySettings,
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._settings = settings
        self._sleep = sleep
        self._backoff = Backoff(
            first_delay_s=settings.initial_delay_s,
            max_delay_s=settings.max_delay_s,
            multiplier=settings.multiplier,
        )

    def allows(self, failure: Failure, *, attempt: int) -> bool:
        """Whether another attempt follows attempt number `attempt` (from 1)."""
        return failure.retryable and attempt < self._settings.max_attempts

    def is_in_vain(
        self, failure: Failure, *, attempt: int, lasted_s: float, left_s: float | None
    ) -> bool:
        """Whether another attempt will hardly succeed, so that another model is the better choice.

        Args:
            failure: How the last one ended.
            attempt: Its number.
            lasted_s: How long it took; another one that fails would take as long.
            left_s: Until the run's deadline; None without one.
        """
        asked_s, delay_s = failure.retry_after_s, self.delay_s(failure, attempt=attempt)
        if asked_s is not None and asked_s > self._settings.max_delay_s:
            return True
        return left_s is not None and delay_s + lasted_s >= left_s

    async def wait(self, failure: Failure, *, attempt: int) -> None:
        """Sleep between attempt number `attempt` and the next one."""
        await self._sleep(self.delay_s(failure, attempt=attempt))

    def delay_s(self, failure: Failure, *, attempt: int) -> float:
        """Seconds to wait after attempt number `attempt`; never more than `max_delay_s`."""
        settings = self._settings
        if failure.retry_after_s is not None:
            return min(max(failure.retry_after_s, 0), settings.max_delay_s)
        return self._backoff.delay_s(attempt)
