"""Whether budgets have room, and what is told about it; the same for every backend."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from arc_core import BudgetRefused, Reserved
from arc_plugins.budgets.counting.amounts import NOTHING, Counts
from arc_plugins.budgets.counting.limits import Limit
from arc_plugins.budgets.counting.windows import Window

__all__ = ["Standing", "confirm", "grant", "has_room", "refusal"]


@dataclass(frozen=True, slots=True)
class Standing:
    """How a budget stands in its window: what is spent of it, and what all runs hold."""

    limit: Limit
    spent: int
    held: int

    @property
    def left(self) -> int:
        """What may be reserved; nothing if the budget was larger before."""
        return max(0, self.limit.allowed - self.spent - self.held)

    def is_short_of(self, needed: Counts) -> bool:
        """Whether less than that is left."""
        return self.left < self.limit.of(needed)


def grant(standings: Sequence[Standing], *, wanted: Counts, least: Counts) -> Counts | None:
    """What a run gets of that which it wants, or what is left; None if that is too little.

    What no budget bounds is granted as it is wanted.
    """
    tokens, cost = wanted
    for each in standings:
        if each.is_short_of(least):
            return None
        if each.limit.dimension == "tokens":
            tokens = min(tokens, each.left)
        else:
            cost = min(cost, each.left)
    return Counts(tokens, cost)


def has_room(standings: Sequence[Standing], extra: Counts) -> bool:
    """Whether all of it can be reserved; nothing more is always possible."""
    return all(each.limit.of(extra) <= each.left for each in standings)


def confirm(standings: Sequence[Standing], *, held: Counts, lease_s: float) -> Reserved:
    """What a run is told that may go on."""
    ratios = {each.limit.name: each.spent / each.limit.allowed for each in standings}
    most = max(ratios, key=lambda name: ratios[name], default="")
    return Reserved(
        held=held.amount(), used_ratio=ratios.get(most, 0.0), limit=most, renew_within_s=lease_s
    )


def refusal(standings: Sequence[Standing], *, needed: Counts, now: datetime) -> BudgetRefused:
    """What the person is told: of the budgets without room, that which keeps them out longest."""
    rest = grant(standings, wanted=needed, least=NOTHING) or NOTHING
    return replace(_reason(standings, needed, now), left=rest.amount())


def _reason(standings: Sequence[Standing], needed: Counts, now: datetime) -> BudgetRefused:
    short = [each for each in standings if each.is_short_of(needed)]
    small = [each for each in short if each.limit.of(needed) > each.limit.allowed]
    used = [
        each
        for each in short
        if each.limit.allowed - each.spent < each.limit.of(needed) and each not in small
    ]
    if small:
        return _too_small(small[0].limit)
    if used:
        return _used_up(max((each.limit for each in used), key=lambda it: it.window.end(now)), now)
    return _reserved_by_others((short or standings)[0].limit)


def _too_small(limit: Limit) -> BudgetRefused:
    period = "a day" if limit.window is Window.DAY else "a month"
    return BudgetRefused(
        reason=f"{_owner(limit)} for {period} is too small for this request.", limit=limit.name
    )


def _used_up(limit: Limit, now: datetime) -> BudgetRefused:
    end = limit.window.end(now)
    return BudgetRefused(
        reason=f"{_owner(limit)} for {_period(limit)} is used up; "
        f"it returns on {end:%Y-%m-%d} at {end:%H:%M} UTC.",
        limit=limit.name,
        returns_at=end,
    )


def _reserved_by_others(limit: Limit) -> BudgetRefused:
    return BudgetRefused(
        reason=f"What is left of {_owner(limit)[0].lower()}{_owner(limit)[1:]} for "
        f"{_period(limit)} is reserved by requests that are going on. "
        "Please try again when they have ended.",
        limit=limit.name,
    )


def _owner(limit: Limit) -> str:
    return "Your budget" if limit.is_users else "The budget of your organisation"


def _period(limit: Limit) -> str:
    return "today" if limit.window is Window.DAY else "this month"
