"""Counts in this process: right for one process; several count for themselves each.

Costs microseconds a call. What is kept is kept as long as it can matter, by a clock that is never
set: tenants and users, and reservations that have ended by themselves, for 35 days after the last
call about them; settled reservations for `budget.reservation_s`; of each tenant and user the last
four days and months of spending. Settings: `budget.*`.
"""

import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from arc_core import Amount, BudgetRefused, Budgets, BudgetState, ReportsBudgets, Reserved, Spender
from arc_core.interfaces.optional import Health, HealthStatus
from arc_plugins.budgets.counting.decisions import (
    Standing,
    confirm,
    grant,
    has_room,
    make_state,
    refusal,
    sorted_states,
)
from arc_plugins.budgets.counting.ledger import Ledger, Reservation
from arc_plugins.budgets.counting.limits import Counts, Limit, Subject, TenantLimits
from arc_plugins.budgets.settings import BudgetLimitSettings


def _utc_now() -> datetime:
    return datetime.now(UTC)


class InMemoryBudgets(Budgets, ReportsBudgets):
    """Exact for the runs of one process; nothing is awaited between a check and its change.

    Args:
        settings: The budgets, and how long a reservation lasts.
        now: Tells the day and the month; it may jump, and its time zone does not matter.
        clock: Seconds; only their differences matter. Reservations end by it.
    """

    def __init__(
        self,
        *,
        settings: BudgetLimitSettings,
        now: Callable[[], datetime] = _utc_now,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._limits, self._lease_s = TenantLimits(settings), settings.reservation_s
        self._now = now
        self._ledger = Ledger(lease_s=self._lease_s, clock=clock)

    @property
    def bounds_tokens(self) -> bool:
        """True if a budget is one of tokens."""
        return self._limits.bounds_tokens

    @property
    def bounds_costs(self) -> bool:
        """True if a budget is one of costs."""
        return self._limits.bounds_costs

    async def reserve(
        self, spender: Spender, *, amount: Amount, least: Amount
    ) -> Reserved | BudgetRefused | None:
        """Reserve in all budgets or in none; again while it lasts, what is held."""
        limits = await self._limits.get(spender.tenant_id)
        if not limits:
            return None
        now, wanted, at_least = self._now(), Counts.of(amount), Counts.of(least)
        self._ledger.forget()
        found = self._ledger.find(spender)
        if found.is_new:
            standings = self._standings(found, limits, now)
            granted = grant(standings, wanted=wanted, least=at_least)
            if granted is None:
                return refusal(standings, needed=at_least, now=now)
            self._ledger.hold(found, granted)
        self._ledger.keep(spender, found)
        return confirm(self._standings(found, limits, now), held=found.held, lease_s=self._lease_s)

    async def extend(
        self, spender: Spender, *, spent: Amount, hold: Amount
    ) -> Reserved | BudgetRefused:
        """Count what was spent, whatever the answer is, and hold more if all budgets have room."""
        limits = await self._limits.get(spender.tenant_id)
        now, wanted = self._now(), Counts.of(hold)
        self._ledger.forget()
        found = self._ledger.find(spender)
        self._ledger.count(found, Counts.of(spent), now)
        extra = wanted.without(found.held)
        standings = self._standings(found, limits, now)
        fits = has_room(standings, extra)
        if fits and not found.is_settled:
            self._ledger.hold(found, extra)
        self._ledger.keep(spender, found)
        if not fits:
            return refusal(standings, needed=extra, now=now)
        return confirm(self._standings(found, limits, now), held=found.held, lease_s=self._lease_s)

    async def settle(self, spender: Spender, *, spent: Amount) -> None:
        """Count the rest and hold nothing; a later call for this reservation counts nothing twice.

        After `budget.reservation_s` it may.
        """
        self._ledger.forget()
        found = self._ledger.find(spender)
        self._ledger.count(found, Counts.of(spent), self._now())
        self._ledger.settle(spender, found)

    async def states(
        self, *, tenant_id: str | None = None, user_id: str | None = None
    ) -> Sequence[BudgetState]:
        """Return the state of the budgets, as far as this process knows."""
        self._ledger.forget()
        subjects = self._ledger.subjects()
        limits = {tenant: await self._limits.get(tenant) for tenant in {it[0] for it in subjects}}
        now = self._now()
        found = (
            make_state(self._standing(subject, limit, now), subject, now)
            for subject in subjects
            for limit in limits[subject[0]]
            if limit.is_users is (len(subject) > 1)
        )
        return sorted_states(found, tenant_id=tenant_id, user_id=user_id)

    def announcement(self) -> str:
        """A note for `arc budget show`."""
        return (
            "Budgets are counted in memory: each process counts for itself, and no command sees "
            "what another one has counted. With budget.backend = redis they share."
        )

    async def check_health(self) -> Health:
        """It works; with several processes, not as one might expect."""
        return Health(
            status=HealthStatus.OK,
            summary="budgets are counted in memory: each process counts for itself",
        )

    def _standings(
        self, found: Reservation, limits: Sequence[Limit], now: datetime
    ) -> list[Standing]:
        return [self._standing(found.subjects[each.is_users], each, now) for each in limits]

    def _standing(self, subject: Subject, limit: Limit, now: datetime) -> Standing:
        spent = self._ledger.spending(subject, limit.window, now)
        return Standing(limit, limit.of(spent), limit.of(self._ledger.holding(subject)))
