"""The suite for budgets fails for budgets that break their contract, and passes for good ones."""

import asyncio
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from arc_core import Amount, BudgetRefused, Budgets, Reserved, Spender, tenant_of
from arc_core.testing.conformance import budgets as suite_module
from arc_core.testing.conformance.budgets import BudgetsConformance
from tests.arc_core.testing.conformance.suites import Fault

Reply = Reserved | BudgetRefused
REFUSED = BudgetRefused(reason="There is not enough left.", limit="tenant_tokens")


class SimpleBudgets(Budgets):
    """Counts the tokens of tenants, for ever; what a run holds ends when it is told to."""

    allowed = 1_000

    def __init__(self) -> None:
        self.spent: dict[str | None, int] = {}
        self.told: dict[str, int] = {}
        self.held: dict[str, int] = {}
        self.tenants: dict[str, str | None] = {}

    def tenant(self, spender: Spender) -> str | None:
        """Whose budget it is; a blank name is none."""
        return tenant_of(spender.tenant_id)

    def left(self, spender: Spender) -> int:
        """What is neither spent nor held."""
        tenant = self.tenant(spender)
        held = sum(self.held[each] for each in self.held if self.tenants[each] == tenant)
        return max(0, self.allowed - self.spent.get(tenant, 0) - held)

    async def reserve(self, spender: Spender, *, amount: Amount, least: Amount) -> Reply:
        if spender.reservation_id in self.held:
            return self.reply(spender)
        if self.left(spender) < least.tokens:
            return REFUSED
        self.hold(spender, min(amount.tokens, self.left(spender)))
        return self.reply(spender)

    async def extend(self, spender: Spender, *, spent: Amount, hold: Amount) -> Reply:
        self.count(spender, spent.tokens)
        extra = hold.tokens - self.held.get(spender.reservation_id, 0)
        if extra > self.left(spender):
            return REFUSED
        self.hold(spender, max(0, extra))
        return self.reply(spender)

    async def settle(self, spender: Spender, *, spent: Amount) -> None:
        self.count(spender, spent.tokens)
        self.held.pop(spender.reservation_id, None)

    def hold(self, spender: Spender, extra: int) -> None:
        self.tenants[spender.reservation_id] = self.tenant(spender)
        self.held[spender.reservation_id] = self.held.get(spender.reservation_id, 0) + extra

    def count(self, spender: Spender, spent: int) -> None:
        fresh = spent - self.told.get(spender.reservation_id, 0)
        if fresh < 0 and spender.reservation_id not in self.held:
            return  # it is settled, and the call comes late
        self.told[spender.reservation_id] = self.told.get(spender.reservation_id, 0) + fresh
        tenant = self.tenant(spender)
        self.spent[tenant] = self.spent.get(tenant, 0) + fresh
        if spender.reservation_id in self.held:
            held = self.held[spender.reservation_id]
            self.held[spender.reservation_id] = max(0, held - max(0, fresh))

    def reply(self, spender: Spender) -> Reserved:
        return Reserved(
            held=Amount(tokens=self.held.get(spender.reservation_id, 0)),
            used_ratio=self.spent.get(self.tenant(spender), 0) / self.allowed,
            limit="tenant_tokens",
            renew_within_s=60,
        )


class TestSimpleBudgets(BudgetsConformance):
    """Good budgets pass."""

    def make_budgets(self) -> Budgets:
        return SimpleBudgets()

    def make_expiring_budgets(self) -> Budgets:
        self._budgets = SimpleBudgets()
        return self._budgets

    async def let_reservations_expire(self) -> None:
        self._budgets.held.clear()


class ExaggeratingBudgets(SimpleBudgets):
    """Says that more is left than there is."""

    async def extend(self, spender: Spender, *, spent: Amount, hold: Amount) -> Reply:
        reply = await super().extend(spender, spent=spent, hold=hold)
        return reply if isinstance(reply, Reserved) else replace(reply, left=hold)


class HastyBudgets(SimpleBudgets):
    """Looks at what is left, waits, and reserves."""

    async def reserve(self, spender: Spender, *, amount: Amount, least: Amount) -> Reply:
        left = self.left(spender)
        await asyncio.sleep(0)
        if left < least.tokens:
            return REFUSED
        self.hold(spender, min(amount.tokens, left))
        return self.reply(spender)


class HastyExtensions(SimpleBudgets):
    """Looks at what is left, waits, and reserves more."""

    async def extend(self, spender: Spender, *, spent: Amount, hold: Amount) -> Reply:
        left = self.left(spender)
        await asyncio.sleep(0)
        self.count(spender, spent.tokens)
        extra = max(0, hold.tokens - self.held.get(spender.reservation_id, 0))
        if extra > left:
            return REFUSED
        self.hold(spender, extra)
        return self.reply(spender)


class RisingBudgets(SimpleBudgets):
    """Takes nothing back."""

    def count(self, spender: Spender, spent: int) -> None:
        super().count(spender, max(spent, self.told.get(spender.reservation_id, 0)))


class FallingBudgets(SimpleBudgets):
    """Takes back whatever a late call does not know of."""

    def count(self, spender: Spender, spent: int) -> None:
        self.held.setdefault(spender.reservation_id, 0)
        self.tenants[spender.reservation_id] = self.tenant(spender)
        super().count(spender, spent)

    async def settle(self, spender: Spender, *, spent: Amount) -> None:
        if spender.reservation_id not in self.told or spender.reservation_id in self.held:
            await super().settle(spender, spent=spent)


class AddingBudgets(SimpleBudgets):
    """Takes what is told for what is new."""

    def count(self, spender: Spender, spent: int) -> None:
        self.told.clear()
        super().count(spender, spent)


class ClingingBudgets(SimpleBudgets):
    """Gives nothing back at the end of a run."""

    async def settle(self, spender: Spender, *, spent: Amount) -> None:
        self.count(spender, spent.tokens)


class ShrinkingBudgets(SimpleBudgets):
    """What was held once is gone for ever."""

    async def settle(self, spender: Spender, *, spent: Amount) -> None:
        held = self.held.pop(spender.reservation_id, 0)
        tenant = self.tenant(spender)
        self.spent[tenant] = self.spent.get(tenant, 0) + held


class ForgivingBudgets(SimpleBudgets):
    """Counts nothing of a run to which more is refused."""

    async def extend(self, spender: Spender, *, spent: Amount, hold: Amount) -> Reply:
        before = dict(self.spent)
        reply = await super().extend(spender, spent=spent, hold=hold)
        if isinstance(reply, BudgetRefused):
            self.spent = before
        return reply


class ForgetfulBudgets(SimpleBudgets):
    """Counts nothing of a run that it does not know."""

    def count(self, spender: Spender, spent: int) -> None:
        if spender.reservation_id in self.held:
            super().count(spender, spent)


class DoublingBudgets(SimpleBudgets):
    """Does not know a reservation again."""

    async def reserve(self, spender: Spender, *, amount: Amount, least: Amount) -> Reply:
        if self.left(spender) < least.tokens:
            return REFUSED
        self.hold(spender, min(amount.tokens, self.left(spender)))
        return self.reply(spender)


class LavishBudgets(SimpleBudgets):
    """Forgets what other runs hold."""

    def left(self, spender: Spender) -> int:
        return self.allowed - self.spent.get(self.tenant(spender), 0)


class StingyBudgets(SimpleBudgets):
    """Refuses a run that asks for more than is left."""

    async def reserve(self, spender: Spender, *, amount: Amount, least: Amount) -> Reply:
        return await super().reserve(spender, amount=amount, least=amount)


class TakingBudgets(SimpleBudgets):
    """Lets a run hold what it asks for, and no more, even if it held more."""

    async def extend(self, spender: Spender, *, spent: Amount, hold: Amount) -> Reply:
        reply = await super().extend(spender, spent=spent, hold=hold)
        self.held[spender.reservation_id] = min(
            hold.tokens, self.held.get(spender.reservation_id, 0)
        )
        return reply if isinstance(reply, BudgetRefused) else self.reply(spender)


class CommonBudgets(SimpleBudgets):
    """Knows no tenants."""

    def left(self, spender: Spender) -> int:
        return max(0, self.allowed - sum(self.spent.values()) - sum(self.held.values()))


class BlankBudgets(SimpleBudgets):
    """Takes a blank tenant for a tenant."""

    def tenant(self, spender: Spender) -> str | None:
        return spender.tenant_id


class FoldingBudgets(SimpleBudgets):
    """Takes `Acme` for `acme`."""

    def tenant(self, spender: Spender) -> str | None:
        tenant = super().tenant(spender)
        return None if tenant is None else tenant.casefold()


class SilentBudgets(SimpleBudgets):
    """Forgets what was spent beyond what was held."""

    def count(self, spender: Spender, spent: int) -> None:
        told = self.told.get(spender.reservation_id, 0)
        super().count(spender, min(spent, told + self.held.get(spender.reservation_id, 0)))


class DeafBudgets(SimpleBudgets):
    """Goes on when it is cancelled."""

    async def reserve(self, spender: Spender, *, amount: Amount, least: Amount) -> Reply:
        try:
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        except asyncio.CancelledError as cancellation:
            return BudgetRefused(reason=f"{cancellation}")
        raise AssertionError


class RatioOfHeldBudgets(SimpleBudgets):
    """Takes what is held for spent."""

    def reply(self, spender: Spender) -> Reserved:
        ratio = 1 - self.left(spender) / self.allowed
        return Reserved(held=super().reply(spender).held, used_ratio=ratio, limit="tenant_tokens")


class OnceBudgets(SimpleBudgets):
    """Is of no use after it was closed."""

    async def aclose(self) -> None:
        self.allowed = 0


class HangingBudgets(SimpleBudgets):
    """Waits for a server for ever."""

    async def reserve(self, spender: Spender, **amounts: Amount) -> Any:
        await asyncio.Event().wait()


class RoundingBudgets(SimpleBudgets):
    """Counts costs in floats."""

    async def reserve(self, spender: Spender, *, amount: Amount, **amounts: Amount) -> Reserved:
        return Reserved(held=Amount(cost=Decimal(float(amount.cost))))


LAST = "what_was_told_last_is_spent"
FAULTS = [
    Fault(dict, "it_is_budgets"),
    Fault(HastyBudgets, "of_many_runs_at_once_as_many_begin_as_fit"),
    Fault(HastyExtensions, "runs_that_go_on_at_once_never_spend_more"),
    Fault(RisingBudgets, LAST, suite_module.SPENDING_CASES["told too high"]),
    Fault(FallingBudgets, "a_late_call_counts_nothing_twice"),
    Fault(AddingBudgets, LAST, suite_module.SPENDING_CASES["told twice"]),
    Fault(AddingBudgets, "a_late_call_counts_nothing_twice"),
    Fault(ClingingBudgets, LAST, suite_module.SPENDING_CASES["less than was held"]),
    Fault(ClingingBudgets, "a_cancellation_leaves_the_budgets_usable"),
    Fault(ShrinkingBudgets, LAST, suite_module.SPENDING_CASES["less than was held"]),
    Fault(ForgivingBudgets, "what_is_spent_counts_even_if_more_is_refused"),
    Fault(ForgetfulBudgets, "what_is_not_known_counts_whole"),
    Fault(DoublingBudgets, "reserving_again_is_reserving_once"),
    Fault(LavishBudgets, "what_is_held_is_not_held_twice"),
    Fault(StingyBudgets, "a_run_begins_with_what_is_left"),
    Fault(ExaggeratingBudgets, "a_refusal_says_what_is_left"),
    Fault(TakingBudgets, "what_is_spent_is_held_no_more"),
    Fault(CommonBudgets, "tenants_have_budgets_of_their_own"),
    Fault(FoldingBudgets, "tenants_have_budgets_of_their_own"),
    Fault(BlankBudgets, "a_blank_tenant_is_none"),
    Fault(SilentBudgets, LAST, suite_module.SPENDING_CASES["more than was held"]),
    Fault(DeafBudgets, "a_cancellation_leaves_the_budgets_usable"),
    Fault(RatioOfHeldBudgets, "the_budget_that_is_used_most_is_told"),
    Fault(OnceBudgets, "budgets_can_be_started_again"),
    Fault(SimpleBudgets, "a_reservation_ends_by_itself"),
    Fault(SimpleBudgets, "costs_are_counted_to_the_last_digit"),
    Fault(SimpleBudgets, "a_dead_server_is_told"),
    Fault(HangingBudgets, "a_dead_server_is_told", match="is waited for"),
    Fault(RoundingBudgets, "costs_are_counted_to_the_last_digit", match="a billionth is lost"),
]


@pytest.mark.parametrize("fault", FAULTS, ids=repr)
async def test_a_fault_is_found(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the rule that is about it."""
    monkeypatch.setattr(suite_module, "_DEAD_FOR_AT_MOST_S", 0.01)

    async def expire(self: object) -> None:
        """Let no time pass."""

    await fault.check(BudgetsConformance, let_reservations_expire=expire)
