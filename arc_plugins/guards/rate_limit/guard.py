"""Counts prompts in this process: right for one process; several count for themselves each.

A window is moving: it holds what was let in during the last minute or hour, to the moment.

Costs a microsecond a prompt, and memory for what was let in during the longest period, of a bounded
number of users. Settings: `guard.rate_limit_per_minute`, `guard.rate_limit_per_hour`; 0 is off.
"""

import math
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass

from arc_core import (
    Allowed,
    Guard,
    GuardRequest,
    GuardResult,
    Rejected,
    RejectionCategory,
    identity_of,
)
from arc_plugins.guards.rate_limit.settings import RateLimitSettings

Bucket = tuple[str, str]
"""A tenant, empty for none, and its user: who shares one count."""

_SECONDS_PER_MINUTE = 60
_SECONDS_PER_HOUR = 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class RateWindow:
    """At most `limit` prompts in any `period_s` seconds; `period` names them for people."""

    limit: int
    period_s: int
    period: str


def active_windows(settings: RateLimitSettings) -> tuple[RateWindow, ...]:
    """The limits that are switched on, the shortest first."""
    windows = (
        RateWindow(
            limit=settings.rate_limit_per_minute, period_s=_SECONDS_PER_MINUTE, period="minute"
        ),
        RateWindow(limit=settings.rate_limit_per_hour, period_s=_SECONDS_PER_HOUR, period="hour"),
    )
    return tuple(window for window in windows if window.limit)


def get_bucket(request: GuardRequest) -> Bucket:
    """Return whose count it is; all users without an id share that of `anonymous`."""
    return (request.tenant_id or "").strip(), identity_of(request.user_id)


def rejection(window: RateWindow, *, wait_s: float) -> Rejected:
    """Tell the limit and when there is room again."""
    wait = max(1, math.ceil(wait_s))
    return Rejected(
        f"You have reached the limit of {window.limit} request{_s(window.limit)} "
        f"per {window.period}. Please try again in {wait} second{_s(wait)}.",
        RejectionCategory.RATE_LIMITED,
        retry_after_s=wait,
    )


def _s(number: int) -> str:
    return "" if number == 1 else "s"


_SHARED_COUNTS = 1_024


class RateLimitGuard(Guard):
    """Lets in what is within every limit of its tenant and user; what it rejects does not count.

    Args:
        settings: The limits.
        clock: Seconds; only their differences matter. If it jumps back, time stands still.
        max_buckets: Users with a count of their own. Of more at once, the newcomers share counts
            by chance, so that some are limited too early, and no user's count is forgotten.
    """

    order = -1

    def __init__(
        self,
        *,
        settings: RateLimitSettings,
        clock: Callable[[], float] = time.monotonic,
        max_buckets: int = 10_000,
    ) -> None:
        self._windows = active_windows(settings)
        self._most = max((window.limit for window in self._windows), default=0)
        self._longest_s = max((window.period_s for window in self._windows), default=0)
        self._clock, self._last_reading, self._now = clock, clock(), 0.0
        self._max_buckets = max_buckets
        self._admissions: OrderedDict[Bucket | int, deque[float]] = OrderedDict()

    async def check(self, request: GuardRequest) -> GuardResult:
        """Compare with the limits and count; nothing is awaited in between, so counts are exact."""
        if not self._windows:
            return Allowed()
        reading = self._clock()
        self._now += max(0.0, reading - self._last_reading)
        self._last_reading, now = reading, self._now
        self._forget_until(now - self._longest_s)
        bucket = self._count_for(get_bucket(request))
        times = self._admissions.get(bucket, ())
        for window in self._windows:
            if len(times) >= window.limit:
                wait_s = times[-window.limit] + window.period_s - now
                if wait_s > 0:
                    return rejection(window, wait_s=wait_s)
        self._admissions.setdefault(bucket, deque(maxlen=self._most)).append(now)
        self._admissions.move_to_end(bucket)
        return Allowed()

    def _forget_until(self, moment: float) -> None:
        """Drop those who were last let in before; they come first."""
        while self._admissions:
            bucket, times = next(iter(self._admissions.items()))
            if times[-1] > moment:
                return
            del self._admissions[bucket]

    def _count_for(self, bucket: Bucket) -> Bucket | int:
        """A user's own count; without room for another one, the number of a shared count.

        A shared count is kept to until it has run out, since it may hold the user's admissions.
        """
        if bucket in self._admissions:
            return bucket
        shared = hash(bucket) % _SHARED_COUNTS
        is_full = len(self._admissions) >= self._max_buckets
        return shared if is_full or shared in self._admissions else bucket
