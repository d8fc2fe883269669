"""Sums of what is spent and held."""

from collections.abc import Iterable
from decimal import Decimal

from arc_core.interfaces.budgets import Amount

__all__ = ["NOTHING", "add", "covers", "subtract", "total"]

NOTHING = Amount()


def add(one: Amount, other: Amount) -> Amount:
    """Both together."""
    return Amount(tokens=one.tokens + other.tokens, cost=one.cost + other.cost)


def subtract(one: Amount, other: Amount) -> Amount:
    """What is left of the first; never less than nothing."""
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
    """Whether the first is enough for the other."""
    return one.tokens >= other.tokens and one.cost >= other.cost
