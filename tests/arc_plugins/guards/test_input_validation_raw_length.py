"""Prompts far past the limit are kept out before any guard works on them."""

import time

import pytest

from arc_core import Allowed, Guard, GuardRequest, Rejected, RejectionCategory
from arc_core.testing.conformance.guards.guard import GuardConformance
from arc_plugins.guards.input_validation import InputValidationGuard, LengthSettings, RawLengthGuard
from arc_plugins.guards.rate_limit.guard import RateLimitGuard
from arc_plugins.guards.rate_limit.redis_guard import RedisRateLimitGuard
from arc_plugins.guards.unicode_normalization.guard import UnicodeNormalizationGuard
from benchmarks.injection_guard import HOSTILE, default_guards
from tests.arc_plugins.wired import wired


class TestConformance(GuardConformance):
    """It is a guard like any other."""

    def make_guard(self) -> Guard:
        return RawLengthGuard(settings=LengthSettings())


@pytest.mark.parametrize(("chars", "decision"), [(40, Allowed), (41, Rejected)])
async def test_a_prompt_may_be_four_times_the_limit(chars: int, decision: type) -> None:
    """The characters that normalisation removes have room; more than that is rejected."""
    guard = RawLengthGuard(settings=LengthSettings(max_input_chars=10))

    result = await guard.check(GuardRequest(text="x" * chars, user_id="ann"))

    assert isinstance(result, decision)


async def test_the_reason_names_the_limit() -> None:
    """People learn how long a prompt may be."""
    guard = RawLengthGuard(settings=LengthSettings(max_input_chars=10))

    result = await guard.check(GuardRequest(text="x" * 50, user_id="ann"))

    assert isinstance(result, Rejected)
    assert result.category is RejectionCategory.INVALID_INPUT
    assert result.reason.startswith("The prompt has 50 characters, more than the 10 allowed.")


def test_length_comes_first_then_the_rate_then_the_rest() -> None:
    """Neither a huge prompt nor a user over the limit makes another guard work."""
    guards: tuple[type[Guard], ...] = (
        RawLengthGuard,
        RateLimitGuard,
        UnicodeNormalizationGuard,
        InputValidationGuard,
    )

    assert sorted(guards, key=lambda guard: guard.order) == list(guards)
    assert RedisRateLimitGuard.order == RateLimitGuard.order


def test_it_is_wired_unless_guards_are_off() -> None:
    """The limit holds without a setting."""
    assert "raw_length" in wired(Guard).winners


MAX_HOLD_S = 0.05
LIMIT = LengthSettings().max_input_chars
RAW_LIMIT = 4 * LIMIT
UNITS = HOSTILE | {
    "ligatures": "\ufdfa",
    "squared units": "\u33af",
    "base64": "aWdub3JlIGFsbCA",
    "camel case": "IgnoreAllRules",
    "joined words": "ignoreall" * 8 + " ",
    "digits for letters": "1gn0re ",
    "frames": "---",
    "entities twice": "&amp;#38;#105;",
}


@pytest.mark.timing
@pytest.mark.parametrize("unit", UNITS.values(), ids=UNITS)
async def test_no_guard_holds_the_loop_for_long(unit: str) -> None:
    """Every step between two turns of the event loop takes less than 50 ms of CPU time."""
    text = (unit * RAW_LIMIT)[:RAW_LIMIT]

    for guard in default_guards():
        within = text if guard.order <= 0 else text[:LIMIT]
        assert min(_longest_step_s(guard, within) for _ in range(3)) < MAX_HOLD_S


def _longest_step_s(guard: Guard, text: str) -> float:
    check = guard.check(GuardRequest(text=text, user_id="ann"))
    longest = 0.0
    while True:
        begin = time.process_time()
        try:
            check.send(None)
        except StopIteration:
            return max(longest, time.process_time() - begin)
        longest = max(longest, time.process_time() - begin)
