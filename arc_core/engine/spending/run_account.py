"""The account of a run and of all runs below it: spent, in flight, and free."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal

from arc_core.engine.boundary.boundary import Failed
from arc_core.engine.run_state import ActiveRun
from arc_core.interfaces.budgets import Amount, BudgetRefused, Reserved, Spender

NOTHING = Amount()


def add(one: Amount, other: Amount) -> Amount:
    """Both together."""
    return Amount(tokens=one.tokens + other.tokens, cost=one.cost + other.cost)


def subtract(one: Amount, other: Amount) -> Amount:
    """Return the rest of the first; never less than nothing."""
    return Amount(
        tokens=max(0, one.tokens - other.tokens), cost=max(Decimal(0), one.cost - other.cost)
    )


def total(amounts: Iterable[Amount]) -> Amount:
    """All together."""
    sum_so_far = NOTHING
    for each in amounts:
        sum_so_far = add(sum_so_far, each)
    return sum_so_far


def covers(one: Amount, other: Amount) -> bool:
    """Return True if the first is enough for the other."""
    return one.tokens >= other.tokens and one.cost >= other.cost


@dataclass(frozen=True, slots=True, eq=False)
class InFlight:
    """A request on its way.

    Attributes:
        prompt: What is sent, as estimated.
        room: What the answer may take.
    """

    prompt: Amount
    room: Amount


@dataclass(slots=True, kw_only=True, eq=False)
class RunAccount:
    """The account of one run in one life; all runs below it share it.

    Nothing in it awaits, so that no run sees another one's change half made.

    Attributes:
        root: The run that a program has started.
        spender: As the budgets know it.
        lock: Held while the budgets are asked, so that they hear of what was spent in its order.
        is_reserved: Whether they may hold something for it.
        is_unbounded: Whether nothing bounds it, as the budgets say.
        spent: By all calls that have ended.
        ceiling: What may be spent in all.
        in_flight: The requests that have not ended.
        used_ratio: Of the budget that is used most.
        limit: Names that budget.
        renew_within_s: How long what is held stays without a call; None if for ever.
        touched: When the budgets were asked last, by the clock of the event loop.
        next_renewal_at: No earlier than that, if the last renewal has failed; by the same clock.
        failure: Of the budgets, when they were asked last; None if they have answered.
        failed_at: When that was, by the same clock.
        has_warned: Whether it was logged that the cheaper model does not do.
    """

    root: ActiveRun
    spender: Spender
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    is_reserved: bool = False
    is_unbounded: bool = False
    spent: Amount = NOTHING
    ceiling: Amount = NOTHING
    in_flight: set[InFlight] = field(default_factory=set)
    used_ratio: float = 0.0
    limit: str = ""
    renew_within_s: float | None = None
    touched: float = 0.0
    next_renewal_at: float = 0.0
    failure: Failed | None = None
    failed_at: float = 0.0
    has_warned: bool = False

    @property
    def needs_reservation(self) -> bool:
        """True if the budgets have not been asked yet."""
        return not (self.is_unbounded or self.is_reserved)

    @property
    def reported(self) -> Amount:
        """The amount reported as spent: by what has ended, and by what was sent."""
        return add(self.spent, total(each.prompt for each in self.in_flight))

    @property
    def room(self) -> Amount:
        """The amount that the answers of requests in flight may take."""
        return total(each.room for each in self.in_flight)

    @property
    def free(self) -> Amount:
        """The amount that another request may spend."""
        return subtract(self.ceiling, add(self.reported, self.room))

    @property
    def is_kept(self) -> bool:
        """True if the reservation is surely still held."""
        within_s = self.renew_within_s
        if within_s is None:
            return True
        return asyncio.get_running_loop().time() < self.touched + within_s

    def end(self, in_flight: InFlight, *, spent: Amount) -> None:
        """A request has ended."""
        self.in_flight.discard(in_flight)
        self.spent = add(self.spent, spent)

    def take(self, answer: Reserved | BudgetRefused, *, reported: Amount, asked_at: float) -> None:
        """Note what the budgets have answered.

        Args:
            answer: To a call of `reserve` or `extend`.
            reported: The amount that they were given as spent.
            asked_at: When the call began, by the clock of the event loop.
        """
        if isinstance(answer, BudgetRefused):
            if not self.is_kept:  # it has ended by itself, and was not made again
                self.ceiling = reported
            return
        self.touched, self.renew_within_s = asked_at, answer.renew_within_s
        self.ceiling = add(reported, answer.held)
        self.used_ratio, self.limit = answer.used_ratio, answer.limit
