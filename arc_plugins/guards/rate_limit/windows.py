"""The limits, whom they count for, and what the person is told who has reached one.

A window is moving: it holds what was let in during the last minute or hour, to the moment.
"""

import math
from dataclasses import dataclass

from arc_core import GuardRequest, Rejected, RejectionCategory, identity_of
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
