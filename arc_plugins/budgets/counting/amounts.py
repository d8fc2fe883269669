"""Amounts as whole numbers, which add up exactly in Python and in Lua."""

from decimal import Decimal
from typing import NamedTuple

from arc_core import Amount

__all__ = ["NOTHING", "Counts", "nano_units"]

_NANO = 10**9


class Counts(NamedTuple):
    """Tokens and billionths of the currency; never below 0."""

    tokens: int
    cost: int

    @classmethod
    def of(cls, amount: Amount) -> "Counts":
        """An amount, its cost rounded up to a billionth."""
        return cls(max(0, amount.tokens), max(0, nano_units(amount.cost)))

    def plus(self, other: "Counts") -> "Counts":
        """Both together."""
        return Counts(self.tokens + other.tokens, self.cost + other.cost)

    def without(self, other: "Counts") -> "Counts":
        """What is left, which is nothing if the other is more."""
        return Counts(max(0, self.tokens - other.tokens), max(0, self.cost - other.cost))

    def amount(self) -> Amount:
        """The same, as others know it."""
        return Amount(tokens=self.tokens, cost=Decimal(self.cost).scaleb(-9))


NOTHING = Counts(0, 0)


def nano_units(cost: Decimal) -> int:
    """Billionths of the currency, rounded up, whatever the caller's decimal context is.

    Raises:
        ValueError: It is not a number.
        OverflowError: It is infinite.
    """
    numerator, denominator = cost.as_integer_ratio()
    return -(-numerator * _NANO // denominator)
