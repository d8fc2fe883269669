"""Counts in this process: right for one process; several count for themselves each.

Costs microseconds a call. What is kept is kept as long as it can matter, by a clock that is never
set: tenants and users, and reservations that have ended by themselves, for 35 days after the last
call about them; settled reservations for `budget.reservation_s`; of each tenant and user the last
eight days and eight months of spending. Settings: `budget.*`.
"""

import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import inf
from typing import TypeVar

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
from arc_plugins.budgets.counting.limits import (
    NOTHING,
    BudgetWindow,
    Counts,
    Limit,
    Subject,
    Tally,
    TenantLimits,
    get_subjects,
    window_keys,
)
from arc_plugins.budgets.settings import BudgetLimitSettings

_KNOWN_FOR_S = 35 * 86_400.0
"""Longer than any window lasts."""

_KEPT_WINDOWS = 8


@dataclass(slots=True)
class SubjectAccount:
    """The spending of one tenant or user, and what their runs hold."""

    subject: Subject
    held: Tally = field(default_factory=Tally)
    spent: dict[BudgetWindow, dict[str, Tally]] = field(
        default_factory=lambda: {window: {} for window in BudgetWindow}
    )
    seen_at: float = 0.0

    def count(self, window: BudgetWindow, key: str, *, tokens: int, cost: int) -> None:
        """Count what was spent in a day or month, of which the last few are kept."""
        tallies = self.spent[window]
        if key in tallies:
            tallies[key].add(tokens, cost)
            return
        tallies[key] = Tally(max(0, tokens), max(0, cost))
        if len(tallies) > _KEPT_WINDOWS:
            del tallies[next(iter(tallies))]


@dataclass(slots=True)
class Reservation:
    """The spending that one run has told, and what it holds.

    Attributes:
        accounts: Those of the tenant and of the user, which are kept at least as long.
        told: What was spent by it in all, as far as it is counted.
        told_in: How much of it in which days and months.
        held: What it may still spend.
        is_new: Whether nothing was reserved yet, or what was has ended by itself.
        is_settled: Whether it is over.
        seen_at: When it was last called about, by the clock.
    """

    accounts: tuple[SubjectAccount, SubjectAccount]
    told: Tally = field(default_factory=Tally)
    told_in: dict[str, Tally] = field(default_factory=dict)
    held: Tally = field(default_factory=Tally)
    is_new: bool = True
    is_settled: bool = False
    seen_at: float = 0.0

    def hold(self, tokens: int, cost: int) -> None:
        """Reserve more; less, if a number is below 0."""
        self.held.add(tokens, cost)
        for account in self.accounts:
            account.held.add(tokens, cost)

    def release(self) -> None:
        """Give back what is held."""
        tokens, cost = self.held.tokens, self.held.cost
        if tokens or cost:
            self.hold(-tokens, -cost)

    def count(self, spent: Counts, now: datetime) -> None:
        """Count what was not told before, in the windows of now, and hold that much less.

        What was told too high is taken back from the windows in which it was told. Of a reservation
        that is settled it never is: a call that comes late tells less.
        """
        tokens, cost = spent.tokens - self.told.tokens, spent.cost - self.told.cost
        if self.is_settled:
            tokens, cost = max(0, tokens), max(0, cost)
        if not (tokens or cost):
            return
        self.told.add(tokens, cost)
        if self.held.tokens or self.held.cost:
            self.hold(-min(max(0, tokens), self.held.tokens), -min(max(0, cost), self.held.cost))
        for window, key in window_keys(now).items():
            told = self.told_in.setdefault(key, Tally())
            fresh, fresh_cost = max(tokens, -told.tokens), max(cost, -told.cost)
            told.add(fresh, fresh_cost)
            for account in self.accounts:
                account.count(window, key, tokens=fresh, cost=fresh_cost)


T = TypeVar("T", Reservation, SubjectAccount)
K = TypeVar("K", str, Subject)


class Ledger:
    """Every dictionary begins with what was not seen for longest, so that forgetting is cheap.

    Args:
        lease_s: Seconds after which a reservation ends by itself, and after which a settled one is
            forgotten.
        clock: Seconds; only their differences matter.
    """

    def __init__(self, *, lease_s: float, clock: Callable[[], float]) -> None:
        self._lease_s, self._clock = lease_s, clock
        self._live: OrderedDict[str, Reservation] = OrderedDict()
        self._expired: OrderedDict[str, Reservation] = OrderedDict()
        self._settled: OrderedDict[str, Reservation] = OrderedDict()
        self._accounts: OrderedDict[Subject, SubjectAccount] = OrderedDict()
        self._forget_at = -inf

    def forget(self) -> None:
        """Give back what expired reservations hold, and drop what can no longer matter."""
        now = self._clock()
        if now < self._forget_at:
            return
        for reservation_id, found in _pop_older(self._live, now - self._lease_s):
            found.release()
            found.is_new = True
            self._expired[reservation_id] = found
        _pop_older(self._expired, now - _KNOWN_FOR_S)
        _pop_older(self._accounts, now - _KNOWN_FOR_S)
        _pop_older(self._settled, now - self._lease_s)
        first = [next(iter(each.values())).seen_at for each in (self._live, self._settled) if each]
        self._forget_at = min(first, default=now) + self._lease_s  # what comes later ends later

    def find(self, spender: Spender) -> Reservation:
        """The reservation of a run; one that knows nothing if there is none."""
        for known in (self._live, self._expired, self._settled):
            if spender.reservation_id in known:
                return known[spender.reservation_id]
        tenant, user = get_subjects(spender)
        return Reservation((self._get_account(tenant), self._get_account(user)))

    def keep(self, spender: Spender, found: Reservation) -> None:
        """Let a reservation last another lease, unless it is settled."""
        if found.is_settled:
            return
        self._expired.pop(spender.reservation_id, None)
        self._live[spender.reservation_id] = found
        self._live.move_to_end(spender.reservation_id)
        self._see(found)

    def settle(self, spender: Spender, found: Reservation) -> None:
        """Remember for a while that a reservation is over, which holds nothing any more."""
        for known in (self._live, self._expired, self._settled):
            known.pop(spender.reservation_id, None)
        found.is_settled = True
        self._settled[spender.reservation_id] = found
        self._see(found)

    def subjects(self) -> Sequence[Subject]:
        """All tenants and users that are known."""
        return list(self._accounts)

    def find_account(self, subject: Subject) -> SubjectAccount:
        """Return the account of a tenant or user; an empty one if they are not known."""
        return self._accounts.get(subject) or SubjectAccount(subject)

    def _get_account(self, subject: Subject) -> SubjectAccount:
        account = self._accounts.get(subject)
        if account is None:
            account = self._accounts[subject] = SubjectAccount(subject, seen_at=self._clock())
        return account

    def _see(self, found: Reservation) -> None:
        found.is_new, found.seen_at = False, self._clock()
        for account in found.accounts:
            account.seen_at = found.seen_at
            self._accounts[account.subject] = account
            self._accounts.move_to_end(account.subject)


def _pop_older(entries: OrderedDict[K, T], moment: float) -> list[tuple[K, T]]:
    """Entries by the moment at which they were last seen, the oldest first."""
    old = []
    while entries:
        key, entry = next(iter(entries.items()))
        if entry.seen_at > moment:
            break
        del entries[key]
        old.append((key, entry))
    return old


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
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._limits, self._lease_s = TenantLimits(settings), settings.reservation_s
        self.bounds_tokens = self._limits.bounds_tokens
        self.bounds_costs = self._limits.bounds_costs
        self._now = now
        self._ledger = Ledger(lease_s=self._lease_s, clock=clock)

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
        standings = get_standings(found, limits, now)
        if found.is_new:
            granted = grant(standings, wanted=wanted, least=at_least)
            if granted is None:
                return refusal(standings, needed=at_least, now=now)
            found.hold(*granted)
        self._ledger.keep(spender, found)
        return confirm(standings, held=found.held.counts, lease_s=self._lease_s)

    async def extend(
        self, spender: Spender, *, spent: Amount, hold: Amount
    ) -> Reserved | BudgetRefused:
        """Count what was spent, whatever the answer is, and hold more if all budgets have room."""
        limits = await self._limits.get(spender.tenant_id)
        now, wanted = self._now(), Counts.of(hold)
        self._ledger.forget()
        found = self._ledger.find(spender)
        found.count(Counts.of(spent), now)
        extra = wanted.without(found.held.counts)
        standings = get_standings(found, limits, now)
        fits = has_room(standings, extra)
        if fits and not found.is_settled:
            found.hold(*extra)
        self._ledger.keep(spender, found)
        if not fits:
            return refusal(standings, needed=extra, now=now)
        return confirm(standings, held=found.held.counts, lease_s=self._lease_s)

    async def settle(self, spender: Spender, *, spent: Amount) -> None:
        """Count the rest and hold nothing; a later call for this reservation counts nothing twice.

        After `budget.reservation_s` it may.
        """
        found = self._ledger.find(spender)
        found.release()
        found.count(Counts.of(spent), self._now())
        self._ledger.settle(spender, found)

    async def states(
        self, *, tenant_id: str | None = None, user_id: str | None = None
    ) -> Sequence[BudgetState]:
        """Return the state of the budgets, as far as this process knows."""
        self._ledger.forget()
        subjects = self._ledger.subjects()
        limits = {tenant: await self._limits.get(tenant) for tenant in {it[0] for it in subjects}}
        now = self._now()
        keys = window_keys(now)
        found = (
            make_state(get_standing(self._ledger.find_account(subject), limit, keys), subject, now)
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


def get_standings(found: Reservation, limits: Sequence[Limit], now: datetime) -> list[Standing]:
    """Return the state of all budgets that bound a reservation."""
    keys = window_keys(now)
    return [get_standing(found.accounts[each.is_users], each, keys) for each in limits]


def get_standing(
    account: SubjectAccount, limit: Limit, keys: Mapping[BudgetWindow, str]
) -> Standing:
    """Return the state of one budget in the windows of now."""
    spent = account.spent[limit.window].get(keys[limit.window], NOTHING)
    return Standing(limit, limit.of(spent), limit.of(account.held))
