"""Prompts far past the limit are kept out before any guard works on them."""

import pytest

from arc_core import Allowed, Guard, GuardRequest, Rejected, RejectionCategory
from arc_core.settings import GuardSettings
from arc_core.testing.conformance.guard import GuardConformance
from arc_plugins.guards.input_validation import InputValidationGuard
from arc_plugins.guards.rate_limit.guard import RateLimitGuard
from arc_plugins.guards.rate_limit.redis_guard import RedisRateLimitGuard
from arc_plugins.guards.raw_length import RawLengthGuard
from arc_plugins.guards.unicode_normalization.guard import UnicodeNormalizationGuard
from tests.arc_plugins.wired import wired


class TestConformance(GuardConformance):
    """It is a guard like any other."""

    def make_guard(self) -> Guard:
        return RawLengthGuard(settings=GuardSettings())


@pytest.mark.parametrize(("chars", "decision"), [(40, Allowed), (41, Rejected)])
async def test_a_prompt_may_be_four_times_the_limit(chars: int, decision: type) -> None:
    """The characters that normalisation removes have room; more than that is rejected."""
    guard = RawLengthGuard(settings=GuardSettings(max_input_chars=10))

    result = await guard.check(GuardRequest(text="x" * chars, user_id="ann"))

    assert isinstance(result, decision)


async def test_the_reason_names_the_limit() -> None:
    """People learn how long a prompt may be."""
    guard = RawLengthGuard(settings=GuardSettings(max_input_chars=10))

    result = await guard.check(GuardRequest(text="x" * 50, user_id="ann"))

    assert isinstance(result, Rejected)
    assert result.category is RejectionCategory.INVALID_INPUT
    assert result.reason.startswith("The prompt has 50 characters, more than the 10 allowed.")


def test_length_comes_first_then_the_rate_then_the_rest() -> None:
    """Neither a huge prompt nor a user over the limit makes another guard work."""
    orders = [
        RawLengthGuard.order,
        RateLimitGuard.order,
        UnicodeNormalizationGuard.order,
        InputValidationGuard.order,
    ]

    assert orders == sorted(orders)
    assert RedisRateLimitGuard.order == RateLimitGuard.order


def test_it_is_wired_unless_guards_are_off() -> None:
    """The limit holds without a setting."""
    assert "raw_length" in wired(Guard).winners
