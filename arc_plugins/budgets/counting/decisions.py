"""Decisions about budgets and their words; the same for every backend."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from arc_core import BudgetRefused, BudgetState, Reserved, identity_of
from arc_plugins.budgets.counting.limits import NOTHING, BudgetWindow, Counts, Limit, Subject


class Standing(NamedTuple):
    """The state of a budget in its window: what is spent of it, and what all runs hold."""

    limit: Limit
    spent: int
    held: int

    @property
    def left(self) -> int:
        """The amount that may be reserved; nothing if the budget was larger before."""
        return max(0, self.limit.allowed - self.spent - self.held)

    @property
    def used_ratio(self) -> float:
        """The part of the budget that is spent."""
        return self.spent / self.limit.allowed

    def lacks(self, needed: Counts) -> bool:
        """Return true if less than that is left."""
        return self.left < self.limit.of(needed)


def grant(standings: Sequence[Standing], *, wanted: Counts, least: Counts) -> Counts | None:
    """Return what a run gets of what it wants, or what is left; None if that is too little.

    What no budget bounds is granted as it is wanted.
    """
    tokens, cost = wanted
    for each in standings:
        left = each.left
        if left < each.limit.of(least):
            return None
        if each.limit.dimension == "tokens":
            tokens = min(tokens, left)
        else:
            cost = min(cost, left)
    return Counts(tokens, cost)


def has_room(standings: Sequence[Standing], extra: Counts) -> bool:
    """Return true if all of it can be reserved; nothing more is always possible."""
    return all(each.limit.of(extra) <= each.left for each in standings)


def confirm(standings: Sequence[Standing], *, held: Counts, lease_s: float) -> Reserved:
    """Return the answer to a run that may go on."""
    used_ratio, limit = -1.0, None
    for each in standings:
        if (ratio := each.used_ratio) > used_ratio:
            used_ratio, limit = ratio, each.limit.name
    if limit is None:
        return Reserved(held=held.amount(), renew_within_s=lease_s)
    return Reserved(held=held.amount(), used_ratio=used_ratio, limit=limit, renew_within_s=lease_s)


def refusal(standings: Sequence[Standing], *, needed: Counts, now: datetime) -> BudgetRefused:
    """Return the refusal by the budget without room that keeps the person out longest."""
    rest = grant(standings, wanted=needed, least=NOTHING) or NOTHING
    return replace(_reason(standings, needed, now), left=rest.amount())


def _reason(standings: Sequence[Standing], needed: Counts, now: datetime) -> BudgetRefused:
    short = [each for each in standings if each.lacks(needed)]
    small = [each for each in short if each.limit.of(needed) > each.limit.allowed]
    used = [
        each
        for each in short
        if each.limit.allowed - each.spent < each.limit.of(needed) and each not in small
    ]
    if small:
        limit = small[0].limit
        period = "a day" if limit.window is BudgetWindow.DAY else "a month"
        reason = f"{_owner(limit)} for {period} is too small for this request."
        return BudgetRefused(reason=reason, limit=limit.name)
    if used:
        limit = max((each.limit for each in used), key=lambda it: it.window.end(now))
        end = limit.window.end(now)
        return BudgetRefused(
            reason=f"{_owner(limit)} for {_period(limit)} is used up; "
            f"it returns on {end:%Y-%m-%d} at {end:%H:%M} UTC.",
            limit=limit.name,
            returns_at=end,
        )
    limit = (short or standings)[0].limit
    return BudgetRefused(
        reason=f"What is left of {_owner(limit)[0].lower()}{_owner(limit)[1:]} for "
        f"{_period(limit)} is reserved by requests that are going on. "
        "Please try again when they have ended.",
        limit=limit.name,
    )


def _owner(limit: Limit) -> str:
    return "Your budget" if limit.is_users else "The budget of your organisation"


def _period(limit: Limit) -> str:
    return "today" if limit.window is BudgetWindow.DAY else "this month"


def make_state(standing: Standing, subject: Subject, now: datetime) -> BudgetState:
    """One budget of a tenant or of a user."""
    limit = standing.limit
    return BudgetState(
        limit=limit.name,
        tenant_id=subject[0] or None,
        user_id=subject[1] if limit.is_users else None,
        allowed=limit.to_decimal(limit.allowed),
        spent=limit.to_decimal(standing.spent),
        reserved=limit.to_decimal(standing.held),
        returns_at=limit.window.end(now),
    )


def sorted_states(
    states: Iterable[BudgetState], *, tenant_id: str | None, user_id: str | None
) -> Sequence[BudgetState]:
    """Those that are asked for and of which something is spent or reserved, in their order.

    A blank tenant asks for the budgets of those who have none.
    """
    found = [
        state
        for state in states
        if (state.spent or state.reserved)
        and (tenant_id is None or (state.tenant_id or "") == tenant_id.strip())
        and (user_id is None or state.user_id == identity_of(user_id))
    ]
    return sorted(found, key=lambda it: (it.tenant_id or "", it.user_id or "", it.limit))
