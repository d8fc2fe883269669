"""Prompts of a reasonable length are let in."""

import pytest

from arc_core import Allowed, Guard, GuardRequest, GuardResult, Rejected, RejectionCategory
from arc_core.testing.conformance.guards.guard import GuardConformance
from arc_plugins.guards.input_validation import InputValidationGuard, LengthSettings


class TestConformance(GuardConformance):
    """It is a guard like any other."""

    def make_guard(self) -> Guard:
        return InputValidationGuard(settings=LengthSettings())


async def checked(text: str, *, min_chars: int = 1, max_chars: int = 10) -> GuardResult:
    """What a guard with these limits says."""
    settings = LengthSettings(min_input_chars=min_chars, max_input_chars=max_chars)
    guard = InputValidationGuard(settings=settings)
    return await guard.check(GuardRequest(text=text, user_id="anonymous"))


@pytest.mark.parametrize("text", ["a", "0123456789", "  0123456789 \n", "안녕하세요 여러분"])
async def test_a_prompt_within_the_limits_is_let_in(text: str) -> None:
    """Both limits are allowed lengths, and surrounding blanks do not count."""
    assert await checked(text) == Allowed()


@pytest.mark.parametrize("text", ["", " ", "\n\t "])
async def test_an_empty_prompt_is_kept_out(text: str) -> None:
    """The reason names the limit and what to do."""
    result = await checked(text)

    assert isinstance(result, Rejected)
    assert result.category is RejectionCategory.INVALID_INPUT
    assert result.reason.startswith("The prompt has 0 characters, fewer than the 1 it needs.")


async def test_a_long_prompt_is_kept_out() -> None:
    """The reason names the length, the limit and what to do."""
    result = await checked(" 01234567890 ")

    assert isinstance(result, Rejected)
    assert result.reason.startswith("The prompt has 11 characters, more than the 10 allowed.")
    assert "shorten" in result.reason


async def test_no_lower_limit_lets_an_empty_prompt_in() -> None:
    """0 is a limit like others, not an unset one."""
    assert await checked("", min_chars=0) == Allowed()


def test_it_comes_before_the_users_guards() -> None:
    """Orders from 100 are for users."""
    assert InputValidationGuard.order == 2
