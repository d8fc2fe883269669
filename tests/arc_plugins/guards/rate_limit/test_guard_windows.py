"""Limits, whose they are, and what people are told."""

import pytest

from arc_core import GuardRequest, RejectionCategory
from arc_plugins.guards.rate_limit.guard import RateWindow, active_windows, get_bucket, rejection
from arc_plugins.guards.rate_limit.settings import RateLimitSettings


def test_a_limit_of_zero_is_off() -> None:
    """Only limits that are set become windows."""
    assert active_windows(RateLimitSettings()) == ()
    assert [each.period for each in active_windows(RateLimitSettings(rate_limit_per_hour=5))] == [
        "hour"
    ]


@pytest.mark.parametrize("user_id", ["", " ", "anonymous"])
@pytest.mark.parametrize("tenant_id", [None, "", " "])
def test_users_without_an_id_are_one_and_the_same(user_id: str, tenant_id: str | None) -> None:
    """No user and a blank one share a count, whatever way they say it."""
    request = GuardRequest(text="", user_id=user_id, tenant_id=tenant_id)

    assert get_bucket(request) == ("", "anonymous")


@pytest.mark.parametrize(
    ("limit", "wait_s", "text"),
    [
        (20, 11.2, "limit of 20 requests per minute. Please try again in 12 seconds."),
        (1, 0.001, "limit of 1 request per minute. Please try again in 1 second."),
    ],
)
def test_people_learn_the_limit_and_the_wait(limit: int, wait_s: float, text: str) -> None:
    """A rejection says how many are allowed, and when there is room again."""
    window = RateWindow(limit=limit, period_s=60, period="minute")

    rejected = rejection(window, wait_s=wait_s)

    assert rejected.reason == f"You have reached the {text}"
    assert rejected.category is RejectionCategory.RATE_LIMITED
