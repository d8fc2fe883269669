"""Budgets of one process: the suite, and what only they promise."""

from decimal import Decimal

from arc_core import Budgets
from arc_core.testing.conformance.budgets import BudgetsConformance
from arc_plugins.budgets.counting.in_memory_budgets import InMemoryBudgets
from tests.arc_plugins.budgets.counting.counted import Clock, held, settings, spender, tokens


class TestConformance(BudgetsConformance):
    """They are budgets like any others."""

    def make_budgets(self) -> Budgets:
        return InMemoryBudgets(settings=settings(tenant_tokens_per_day=1_000))

    def make_cost_budgets(self) -> Budgets:
        return InMemoryBudgets(settings=settings(tenant_cost_per_month=Decimal(1)))

    def make_expiring_budgets(self) -> Budgets:
        self._clock = Clock()
        return made(self._clock, tenant_tokens_per_day=1_000)

    async def let_reservations_expire(self) -> None:
        self._clock.go(61)


def made(clock: Clock, **limits: object) -> InMemoryBudgets:
    """Budgets by a clock of the test's."""
    return InMemoryBudgets(
        settings=settings(**limits), now=lambda: clock.now, clock=lambda: clock.seconds
    )


async def test_without_a_budget_nothing_is_counted() -> None:
    """A run is not bound, and no spender appears in the report."""
    budgets = InMemoryBudgets(settings=settings())

    reply = await budgets.reserve(spender(), amount=tokens(5), least=tokens(1))

    assert reply is None
    assert await budgets.states() == []


async def test_what_cannot_matter_any_more_is_forgotten() -> None:
    """After 35 days nothing is left of tenants, users and reservations that were not seen."""
    clock = Clock()
    budgets = made(clock, tenant_tokens_per_month=1_000)
    for number in range(20):
        who = spender(f"tenant-{number}")
        await held(budgets, who, 10)
        if number % 2:
            await budgets.settle(who, spent=tokens(5))

    clock.go(35 * 86_400 + 1)
    await held(budgets, spender("another"), 10)

    ledger = budgets._ledger
    assert len(ledger.subjects()) == 2
    assert (len(ledger._live), len(ledger._expired), len(ledger._settled)) == (1, 0, 0)


async def test_settled_reservations_are_forgotten_after_a_lease() -> None:
    """A late call comes in seconds if at all, and an hour of busy runs would fill the memory."""
    clock = Clock()
    budgets = made(clock, tenant_tokens_per_day=1_000_000)
    for _ in range(100):
        who = spender()
        await held(budgets, who, 10)
        await budgets.settle(who, spent=tokens(5))
        clock.go(2)

    assert len(budgets._ledger._settled) <= 31


async def test_windows_do_not_pile_up() -> None:
    """Of a tenant that spends every day, the last eight days are kept, and as many months."""
    clock = Clock()
    budgets = made(clock, tenant_tokens_per_day=1_000)
    for _ in range(100):
        who = spender()
        await budgets.settle(who, spent=tokens(1))
        clock.go(86_400)

    account = budgets._ledger._accounts["acme",]
    assert [len(tallies) for tallies in account.spent.values()] == [8, 5]


async def test_it_says_that_each_process_counts_for_itself() -> None:
    """`arc doctor` and `arc budget show` tell it."""
    budgets = InMemoryBudgets(settings=settings(user_tokens_per_day=1))

    assert "each process counts for itself" in (await budgets.check_health()).summary
    assert "budget.backend = redis" in budgets.announcement()
