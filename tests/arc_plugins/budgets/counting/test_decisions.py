"""What the person is told who is refused, and which budget counts as the one used most."""

from datetime import UTC, datetime

import pytest

from arc_core import BudgetRefused
from arc_plugins.budgets.counting.decisions import Standing, confirm, grant, refusal
from arc_plugins.budgets.counting.limits import NOTHING, Counts, Limit, read_limits
from tests.arc_plugins.budgets.counting.counted import settings

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)


def limit(name: str, allowed: int = 100) -> Limit:
    """One budget."""
    (only,) = read_limits(settings(**{name: allowed}))
    return only


def refused(*standings: Standing, wanted: int = 50) -> BudgetRefused:
    """What is told to a run that wants some tokens."""
    amount = Counts(wanted, 0)
    assert grant(standings, wanted=amount, least=amount) is None
    return refusal(standings, needed=amount, now=NOW)


def test_a_used_up_budget_says_when_it_returns() -> None:
    """In UTC, and without an amount."""
    told = refused(Standing(limit("tenant_tokens_per_day"), 60, 0))

    assert told.reason == (
        "The budget of your organisation for today is used up; "
        "it returns on 2026-11-16 at 00:00 UTC."
    )
    assert told.returns_at == datetime(2026, 11, 16, tzinfo=UTC)


def test_of_several_the_one_that_returns_last_is_told() -> None:
    """The person does not come back tomorrow to learn of the month."""
    told = refused(
        Standing(limit("user_tokens_per_day"), 100, 0),
        Standing(limit("user_tokens_per_month"), 100, 0),
    )

    assert told.limit == "user_tokens_per_month"
    assert told.reason.startswith("Your budget for this month is used up")


def test_what_other_runs_hold_is_told_apart_from_what_is_spent() -> None:
    """It comes back when they end, and when that is cannot be known."""
    told = refused(Standing(limit("user_tokens_per_day"), 10, 60))

    assert told.reason == (
        "What is left of your budget for today is reserved by requests that are going on. "
        "Please try again when they have ended."
    )
    assert told.returns_at is None


def test_a_budget_that_is_too_small_does_not_ask_to_wait() -> None:
    """What does not fit into a whole day fits into no day."""
    told = refused(Standing(limit("user_tokens_per_day", 10), 0, 0))

    assert told.reason == "Your budget for a day is too small for this request."
    assert told.returns_at is None


def test_no_reason_tells_an_amount() -> None:
    """What an organisation may spend is not every user's business."""
    for standing in (
        Standing(limit("tenant_tokens_per_day", 7_777), spent, 7_000) for spent in (0, 7_777)
    ):
        assert "7" not in refused(standing, wanted=5_555).reason


@pytest.mark.parametrize("spent", [100, 250])
def test_a_budget_that_was_lowered_has_nothing_left(spent: int) -> None:
    """Less than nothing is nothing; a run that asks for nothing more may go on."""
    standing = Standing(limit("user_tokens_per_day"), spent, 500)

    assert standing.left == 0
    assert grant([standing], wanted=NOTHING, least=NOTHING) == NOTHING


def test_every_budget_must_have_room() -> None:
    """The smallest rest is what a run gets; what no budget bounds it gets whole."""
    small = Standing(limit("user_tokens_per_day", 10), 0, 0)
    large = Standing(limit("tenant_tokens_per_month", 1_000), 990, 3)

    assert grant([small], wanted=Counts(50, 9), least=Counts(1, 9)) == (10, 9)
    assert grant([small, large], wanted=Counts(5_000, 9), least=Counts(7, 9)) == (7, 9)
    assert grant([small, large], wanted=Counts(50, 9), least=Counts(1, 9)) == (7, 9)
    assert grant([small, large], wanted=Counts(50, 9), least=Counts(8, 9)) is None


def test_the_budget_used_most_is_told() -> None:
    """Above 1 if more was spent than is allowed."""
    standings = [
        Standing(limit("user_tokens_per_day"), 40, 0),
        Standing(limit("tenant_tokens_per_month"), 150, 0),
    ]

    told = confirm(standings, held=NOTHING, lease_s=60)

    assert (told.used_ratio, told.limit) == (1.5, "tenant_tokens_per_month")
