"""Delays between attempts."""

import random

from hypothesis import given
from hypothesis import strategies as st

from arc_core.timing.backoff import Backoff


def test_delays_grow_up_to_the_longest() -> None:
    """Without jitter: the first delay, multiplied each time, never above the longest."""
    backoff = Backoff(first_delay_s=1, max_delay_s=5, jitter=lambda low, high: 0)

    delays = [backoff.delay_s(attempt) for attempt in range(1, 6)]

    assert delays == [1, 2, 4, 5, 5]


def test_jitter_is_a_quarter_either_way() -> None:
    """The draw is asked for between -25 and +25 per cent."""
    asked: list[tuple[float, float]] = []

    def greatest(low: float, high: float) -> float:
        asked.append((low, high))
        return high

    delay = Backoff(first_delay_s=1, max_delay_s=10, jitter=greatest).delay_s(2)

    assert asked == [(-0.25, 0.25)]
    assert delay == 2.5


def test_no_jitter_makes_a_delay_longer_than_the_longest() -> None:
    """The longest delay is not stretched."""
    backoff = Backoff(first_delay_s=1, max_delay_s=4, jitter=lambda low, high: high)

    assert backoff.delay_s(3) == 4


def test_delays_are_spread_by_default() -> None:
    """Two clients seldom come back at the same moment."""
    backoff = Backoff(first_delay_s=1, max_delay_s=10)

    assert len({backoff.delay_s(1) for _ in range(20)}) > 1


@given(
    first=st.floats(0, 100),
    multiplier=st.floats(1, 100),
    longest=st.floats(0, 100),
    attempt=st.integers(1, 500),
    seed=st.integers(),
)
def test_a_delay_is_within_its_bounds(
    *, first: float, multiplier: float, longest: float, attempt: int, seed: int
) -> None:
    """No attempt, however late, waits longer than the longest delay or a negative time."""
    backoff = Backoff(
        first_delay_s=first,
        max_delay_s=longest,
        multiplier=multiplier,
        jitter=random.Random(seed).uniform,
    )

    assert 0 <= backoff.delay_s(attempt) <= longest
