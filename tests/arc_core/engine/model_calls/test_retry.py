"""When and after how long a model call is tried again."""

import pytest

from arc_core import AgentErrorCode
from arc_core.engine.model_calls.retry import Failure, RetryPolicy
from arc_core.settings import RetrySettings

PASSING = Failure(AgentErrorCode.UNAVAILABLE, retryable=True)
LASTING = Failure(AgentErrorCode.AUTHENTICATION)


def asked_to_wait(seconds: float) -> Failure:
    """A failure whose vendor named a time."""
    return Failure(AgentErrorCode.RATE_LIMITED, retryable=True, retry_after_s=seconds)


@pytest.mark.parametrize(("max_attempts", "attempts"), [(0, 1), (1, 1), (2, 2), (5, 5)])
def test_there_are_so_many_attempts(max_attempts: int, attempts: int) -> None:
    """`max_attempts` counts the first one, and 0 is one attempt."""
    policy = RetryPolicy(RetrySettings(max_attempts=max_attempts))

    allowed = [attempt for attempt in range(1, 9) if policy.allows(PASSING, attempt=attempt)]

    assert allowed == list(range(1, attempts))


def test_an_answer_that_is_not_valid_is_retried_once() -> None:
    """If its error says that it may be: a model that writes nonsense twice goes on to do so."""
    invalid = Failure(AgentErrorCode.INVALID_RESPONSE, retryable=True)
    policy = RetryPolicy(RetrySettings(max_attempts=5))

    assert [policy.allows(invalid, attempt=number) for number in (1, 2)] == [True, False]


def test_what_will_not_pass_leads_to_no_retry() -> None:
    """Wrong credentials stay wrong."""
    assert not RetryPolicy(RetrySettings()).allows(LASTING, attempt=1)


def test_backoff_grows_up_to_the_cap() -> None:
    """The initial delay, multiplied each time, give or take a quarter, never above the cap."""
    policy = RetryPolicy(RetrySettings(initial_delay_s=1, multiplier=3, max_delay_s=8))

    first, second, third, last = (policy.delay_s(PASSING, attempt=n) for n in (1, 2, 3, 9))

    assert 0.75 <= first <= 1.25
    assert 2.25 <= second <= 3.75
    assert 6 <= third <= 8
    assert 6 <= last <= 8


@pytest.mark.parametrize(("wish", "delay"), [(0, 0), (3, 3), (99, 10), (-1, 0)])
def test_the_vendor_is_heard_up_to_the_cap(wish: float, delay: float) -> None:
    """`Retry-After` counts instead of the own delay, without jitter, up to `max_delay_s`."""
    policy = RetryPolicy(RetrySettings())

    assert policy.delay_s(asked_to_wait(wish), attempt=1) == delay


async def test_a_retry_waits_for_the_backoff() -> None:
    """The injected sleep gets the seconds."""
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    await RetryPolicy(RetrySettings(), sleep=sleep).wait(asked_to_wait(7), attempt=1)

    assert slept == [7]
