"""Rules of every `Budgets` that the engine relies on."""

import asyncio
import secrets
import time
from abc import abstractmethod
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from decimal import Decimal
from typing import NamedTuple

import pytest

from arc_core.interfaces.budgets import Amount, BudgetRefused, Budgets, Reserved, Spender
from arc_core.testing.conformance.components import (
    AsyncSuite,
    call_together,
    check_cancellation_leaves,
    check_interface,
    require,
    running,
)

_ALLOWED = 1_000
_DEAD_FOR_AT_MOST_S = 3.0
_AT_ONCE = 50
_RUNS = 37  # so that the last tokens do not suffice for all of them


def _tokens(number: int) -> Amount:
    return Amount(tokens=number)


_ONE = _tokens(1)


class SpendingCase(NamedTuple):
    """Tokens that are held, those that are told to be spent, and those that are left of 1 000."""

    held: int
    told: Sequence[int]
    settled: Sequence[int]
    left: int


SPENDING_CASES = {
    "less than was held": SpendingCase(1_000, (), (100,), 900),
    "told twice": SpendingCase(500, (100, 100, 250), (300, 300), 700),
    "told too high": SpendingCase(500, (300, 120, 400), (250,), 750),
    "more than was held": SpendingCase(100, (), (1_500,), 0),
}


class BudgetsConformance(AsyncSuite):
    """Inherit from it and say how your budgets are made.

    The tests spend for tenants of their own, which were never there before.
    """

    @abstractmethod
    def make_budgets(self) -> Budgets:
        """New budgets, not started: 1 000 tokens a tenant in a day or more, and nothing else."""

    def make_cost_budgets(self) -> Budgets | None:
        """Budgets of cost: 1 a tenant in a day or more, and nothing else; None if there are none.

        They count costs to the billionth.
        """
        return None

    def make_expiring_budgets(self) -> Budgets | None:
        """As `make_budgets`, with reservations that end by themselves; None if they do not."""
        return None

    async def let_reservations_expire(self) -> None:
        """Let more time pass than reservations of `make_expiring_budgets` last: move a clock."""
        raise NotImplementedError("say how time passes for make_expiring_budgets")

    def make_failing_budgets(self) -> Budgets | None:
        """Budgets that cannot do their work, their server down; None if nothing can fail."""
        return None

    @asynccontextmanager
    async def _reserving(self, tokens: int) -> AsyncIterator[tuple[Budgets, Spender]]:
        """Budgets, and who has reserved tokens of a new tenant's."""
        spender = _spender(_new_tenant())
        async with running(self.make_budgets()) as budgets:
            await budgets.reserve(spender, amount=_tokens(tokens), least=_ONE)
            yield budgets, spender

    async def test_it_is_budgets(self) -> None:
        """It has the three methods."""
        check_interface(self.make_budgets(), Budgets)

    async def test_what_is_held_is_not_held_twice(self) -> None:
        """While a run holds something, others get what is left, and not more."""
        tenant = _new_tenant()
        async with running(self.make_budgets()) as budgets:
            held = await _reserve(budgets, tenant, 600)
            refused = await _reserve(budgets, tenant, 401, least=401)
            rest = await _reserve(budgets, tenant, 400)

        assert _holding(held) == 600, "what there is was not reserved"
        assert isinstance(refused, BudgetRefused), "more is reserved than there is"
        assert refused.reason.strip(), "the person who asked is told nothing"
        assert _holding(rest) == 400, "a refused reservation holds something"

    @pytest.mark.parametrize("spending", SPENDING_CASES.values(), ids=SPENDING_CASES)
    async def test_what_was_told_last_is_spent(self, spending: SpendingCase) -> None:
        """Of a reservation in all, however often it is told; the rest comes back."""
        async with self._reserving(spending.held) as (budgets, spender):
            for number in spending.told:
                await budgets.extend(spender, spent=_tokens(number), hold=_ONE)
            for number in spending.settled:
                await budgets.settle(spender, spent=_tokens(number))
            left = await _rest_for(budgets, spender.tenant_id)

        assert left == spending.left, f"{left} tokens are left of {spending.left}"

    async def test_a_run_begins_with_what_is_left(self) -> None:
        """If that is less than it asks for, be it more than the whole budget or not."""
        async with running(self.make_budgets()) as budgets:
            for wanted in (701, 1_000, 5_000):
                tenant = _new_tenant()
                await _reserve(budgets, tenant, 300)
                refused = await _reserve(budgets, tenant, wanted, least=701)
                rest = await _reserve(budgets, tenant, wanted, least=700)

                assert isinstance(refused, BudgetRefused), "a run begins with less than it needs"
                assert isinstance(rest, Reserved), "a run is refused although enough is left"
                assert _holding(rest) == 700, "a run does not get what is left"

    async def test_a_refusal_says_what_is_left(self) -> None:
        """A run that goes on can then hold that; None is as good, and the run ends earlier."""
        async with self._reserving(200) as (budgets, spender):
            await _reserve(budgets, spender.tenant_id, 500, least=500)
            refused = await budgets.extend(spender, spent=_tokens(50), hold=_tokens(900))
            assert isinstance(refused, BudgetRefused), "more is reserved than there is"
            if refused.left is None:
                pytest.skip("a refusal does not say what is left")
            rest = await budgets.extend(
                spender, spent=_tokens(50), hold=_tokens(150 + refused.left.tokens)
            )

        assert refused.left.tokens == 300, f"{refused.left.tokens} tokens are said to be left"
        assert _holding(rest) == 450, "what is said to be left cannot be held"

    async def test_tenants_have_budgets_of_their_own(self) -> None:
        """Another tenant does not miss it, though its name differs in case alone."""
        first = f"acme-{_new_tenant()}"
        async with running(self.make_budgets()) as budgets:
            await _reserve(budgets, first, 1_000)
            left = [await _rest_for(budgets, each) for each in (_new_tenant(), first.title())]

        assert left == [_ALLOWED, _ALLOWED], "another tenant's run is counted"

    async def test_a_blank_tenant_is_none(self) -> None:
        """Runs without a tenant share one budget, or have none, however none is written."""
        async with running(self.make_budgets()) as budgets:
            for tenant in ("", "  "):
                nameless, blank = _spender(None), _spender(tenant)
                is_bound = await budgets.reserve(nameless, amount=_ONE, least=_ONE) is not None
                await budgets.settle(nameless, spent=_tokens(0))
                before = await _rest_for(budgets, None)
                reply = await budgets.reserve(blank, amount=_tokens(100), least=_ONE)
                after = await _rest_for(budgets, None)
                await budgets.settle(blank, spent=_tokens(0))
                assert (reply is not None, before - after) == (is_bound, 100 * is_bound), (
                    f"the tenant {tenant!r} is not taken for none"
                )

    async def test_of_many_runs_at_once_as_many_begin_as_fit(self) -> None:
        """And not one more."""
        tenant = _new_tenant()
        async with running(self.make_budgets()) as budgets:
            calls = (_reserve(budgets, tenant, 100, least=100) for _ in range(_AT_ONCE))
            replies = await call_together(calls)

        begun = sum(isinstance(reply, Reserved) for reply in replies)
        assert begun == 10, f"{begun} runs of 100 tokens hold 1 000"

    async def test_runs_that_go_on_at_once_never_spend_more(self) -> None:
        """Runs that hold more as they go spend all there is, to the last token."""
        tenant = _new_tenant()

        async def run(budgets: Budgets) -> int:
            spender, used = _spender(tenant), 0
            reply: object = await budgets.reserve(spender, amount=_ONE, least=_ONE)
            while isinstance(reply, Reserved):
                used += 1
                await asyncio.sleep(0)
                reply = await budgets.extend(spender, spent=_tokens(used), hold=_ONE)
            await budgets.settle(spender, spent=_tokens(used))
            return used

        async with running(self.make_budgets()) as budgets:
            spent = sum(await call_together(run(budgets) for _ in range(_RUNS)))
            left = await _rest_for(budgets, tenant)

        assert spent == _ALLOWED, f"{spent} of 1 000 tokens were spent"
        assert left == 0, f"{left} tokens are left of a budget that is used up"

    async def test_a_late_call_counts_nothing_twice(self) -> None:
        """An `extend` that arrives after `settle` holds nothing for long and counts nothing."""
        async with self._reserving(500) as (budgets, spender):
            await budgets.settle(spender, spent=_tokens(300))
            await budgets.extend(spender, spent=_tokens(200), hold=_tokens(0))
            left = await _rest_for(budgets, spender.tenant_id)
            await budgets.settle(spender, spent=_tokens(300))
            still = await _rest_for(budgets, spender.tenant_id)

        assert left == still == 700, f"{_ALLOWED - left} tokens are counted of 300"

    async def test_reserving_again_is_reserving_once(self) -> None:
        """A call that is made again while the reservation lasts holds nothing more."""
        spender = _spender(_new_tenant())
        async with running(self.make_budgets()) as budgets:
            replies = [
                await budgets.reserve(spender, amount=_tokens(600), least=_ONE) for _ in range(2)
            ]
            left = await _rest_for(budgets, spender.tenant_id)

        assert _holding(replies[1]) == 600, "a reservation that lasts is not told again"
        assert left == 400, "a reservation that is made twice holds twice"

    async def test_what_is_spent_is_held_no_more(self) -> None:
        """It moves from what is held to what is spent; the run still has what it asks for."""
        async with self._reserving(500) as (budgets, spender):
            fewer = await budgets.extend(spender, spent=_tokens(200), hold=_tokens(100))
            more = await budgets.extend(spender, spent=_tokens(200), hold=_tokens(800))
            left = await _rest_for(budgets, spender.tenant_id)

        assert _holding(fewer) == 300, "a run that asks for less than it holds keeps what it holds"
        assert _holding(more) == 800, "what is left is refused"
        assert left == 0, "what a run holds is given to another"

    async def test_what_is_spent_counts_even_if_more_is_refused(self) -> None:
        """And what the run holds stays its own."""
        async with self._reserving(500) as (budgets, spender):
            refused = await budgets.extend(spender, spent=_tokens(400), hold=_tokens(700))
            left = await _rest_for(budgets, spender.tenant_id)
            await budgets.settle(spender, spent=_tokens(400))
            rest = await _rest_for(budgets, spender.tenant_id)

        assert isinstance(refused, BudgetRefused), "more is reserved than there is"
        assert left == 500, f"{left} tokens are left beside 400 that are spent and 100 held"
        assert rest == 600, f"{_ALLOWED - rest} tokens are counted of 400"

    async def test_the_budget_that_is_used_most_is_told(self) -> None:
        """By its name, with how much of it is spent; what is only held is not."""
        spender = _spender(_new_tenant())
        async with running(self.make_budgets()) as budgets:
            first = await budgets.reserve(spender, amount=_tokens(900), least=_ONE)
            second = await budgets.extend(spender, spent=_tokens(250), hold=_ONE)

        assert isinstance(first, Reserved)
        assert isinstance(second, Reserved)
        assert (first.used_ratio, second.used_ratio) == (0.0, 0.25), "the ratio is of what is spent"
        assert first.limit == second.limit != "", "the budget has no name"

    async def test_costs_are_counted_to_the_last_digit(self) -> None:
        """A billionth is spent, and all the rest is left."""
        budgets = require(self.make_cost_budgets(), "make_cost_budgets")
        spender = _spender(_new_tenant())
        price, whole = Decimal("0.000000001"), Amount(cost=Decimal(1))

        async with running(budgets):
            await budgets.reserve(spender, amount=whole, least=whole)
            await budgets.settle(spender, spent=Amount(cost=price))
            refused = await budgets.reserve(_spender(spender.tenant_id), amount=whole, least=whole)
            rest = Amount(cost=1 - price)
            fits = await budgets.reserve(_spender(spender.tenant_id), amount=rest, least=rest)

        assert isinstance(refused, BudgetRefused), "a billionth is lost"
        assert isinstance(fits, Reserved), "more is counted than was spent"

    async def test_a_reservation_ends_by_itself(self) -> None:
        """The holds of a killed process come back, what it had told is spent, and it may go on."""
        budgets = require(self.make_expiring_budgets(), "make_expiring_budgets")
        spender, left = _spender(_new_tenant()), []

        async with running(budgets):
            await budgets.reserve(spender, amount=_tokens(800), least=_ONE)
            reply = await budgets.extend(spender, spent=_tokens(200), hold=_ONE)
            await self.let_reservations_expire()
            left.append(await _rest_for(budgets, spender.tenant_id))
            again = await budgets.extend(spender, spent=_tokens(250), hold=_tokens(300))
            left.append(await _rest_for(budgets, spender.tenant_id))
            await budgets.settle(spender, spent=_tokens(260))
            left.append(await _rest_for(budgets, spender.tenant_id))

        assert isinstance(reply, Reserved), "what a run holds is refused"
        assert reply.renew_within_s, "the run is not told to renew its reservation"
        assert _holding(again) == 300, "a reservation that has ended cannot be made again"
        assert left == [800, 450, 740], f"{left} tokens are left of 800, 450 and 740"

    async def test_what_is_not_known_counts_whole(self) -> None:
        """A reservation that the store has never seen, or has lost, counts all it says."""
        spender = _spender(_new_tenant())
        async with running(self.make_budgets()) as budgets:
            reply = await budgets.extend(spender, spent=_tokens(200), hold=_tokens(100))
            left = await _rest_for(budgets, spender.tenant_id)

        assert _holding(reply) == 100, "what is left is refused"
        assert left == 700, f"{left} tokens are left beside 200 that are spent and 100 held"

    async def test_budgets_can_be_started_again(self) -> None:
        """An application that is closed and entered again finds budgets that work."""
        budgets, tenant = self.make_budgets(), _new_tenant()

        async with running(budgets):
            await _rest_for(budgets, tenant)
        async with running(budgets):
            left = await _rest_for(budgets, tenant)

        assert left == _ALLOWED, "budgets that were started twice have lost something"

    async def test_a_cancellation_leaves_the_budgets_usable(self) -> None:
        """A cancelled call ends at once, and settling gives back what it may have held."""
        spender = _spender(_new_tenant())
        async with running(self.make_budgets()) as budgets:
            await check_cancellation_leaves(
                budgets.reserve(spender, amount=_tokens(500), least=_ONE)
            )
            await budgets.settle(spender, spent=_tokens(0))
            left = await _rest_for(budgets, spender.tenant_id)

        assert left == _ALLOWED, f"{_ALLOWED - left} tokens are held by a run that has ended"

    async def test_a_dead_server_is_told(self) -> None:
        """If nothing answers, calls end soon by an exception: `budget.on_failure` decides."""
        failing = require(self.make_failing_budgets(), "make_failing_budgets")
        began = time.perf_counter()

        async with running(failing) as budgets:
            call = asyncio.ensure_future(_reserve(budgets, _new_tenant(), 1))
            await asyncio.wait([call], timeout=_DEAD_FOR_AT_MOST_S)
            ended = call.done()
            call.cancel()
            await asyncio.wait([call])

        assert ended, "a dead server is waited for"
        assert time.perf_counter() - began < 2 * _DEAD_FOR_AT_MOST_S
        assert call.cancelled() or call.exception() is not None, (
            f"without a server the answer is {call.result()!r}"
        )


def _new_tenant() -> str:
    return secrets.token_hex(8)


def _spender(tenant_id: str | None) -> Spender:
    number = secrets.token_hex(16)
    return Spender(reservation_id=number, run_id=number, user_id="ann", tenant_id=tenant_id)


async def _reserve(
    budgets: Budgets, tenant_id: str | None, number: int, *, least: int = 1
) -> object:
    reply = await budgets.reserve(_spender(tenant_id), amount=_tokens(number), least=_tokens(least))
    assert reply is not None, "a budget is set, and nothing bounds the run"
    return reply


async def _rest_for(budgets: Budgets, tenant_id: str | None) -> int:
    """Return the amount that another run could still reserve of a budget; it gives it back."""
    spender = _spender(tenant_id)
    reply = await budgets.reserve(spender, amount=_tokens(10 * _ALLOWED), least=_ONE)
    await budgets.settle(spender, spent=_tokens(0))
    return _holding(reply) if isinstance(reply, Reserved) else 0


def _holding(reply: object) -> int:
    assert isinstance(reply, Reserved), f"what there is was not given: {reply!r}"
    return reply.held.tokens
