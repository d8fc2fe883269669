"""The budgets that are set, and for whom each of them counts."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from arc_core import Spender, identity_of
from arc_plugins.budgets.counting.amounts import Counts, nano_units
from arc_plugins.budgets.counting.windows import Window
from arc_plugins.budgets.settings import BudgetSettings

__all__ = ["Limit", "Subject", "limits_of", "subjects_of"]

Subject = tuple[str, ...]
"""A tenant, `("acme",)`, or a user of a tenant, `("acme", "ann")`; a blank tenant is none."""

Dimension = Literal["tokens", "cost"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """One budget.

    Attributes:
        name: Its setting, without the section.
        is_users: Whether it is each user's own; else all of a tenant share it.
        dimension: What it bounds.
        window: How long it lasts.
        allowed: In a window; tokens, or billionths of the currency.
    """

    name: str
    is_users: bool
    dimension: Dimension
    window: Window
    allowed: int

    def of(self, counts: Counts) -> int:
        """What an amount has of that which is bounded."""
        return counts.tokens if self.dimension == "tokens" else counts.cost

    def to_decimal(self, number: int) -> Decimal:
        """A number of tokens or billionths, as people write it."""
        return Decimal(number) if self.dimension == "tokens" else Decimal(number).scaleb(-9)


def limits_of(settings: BudgetSettings) -> tuple[Limit, ...]:
    """The budgets that are set, in the order of the settings."""
    limits = [
        _limit(settings, is_users=is_users, dimension=dimension, window=window)
        for is_users in (False, True)
        for dimension in ("tokens", "cost")
        for window in Window
    ]
    return tuple(limit for limit in limits if limit.allowed)


def subjects_of(spender: Spender) -> tuple[Subject, Subject]:
    """The tenant and the user who spend; those without an id share that of `anonymous`."""
    tenant = (spender.tenant_id or "").strip()
    return (tenant,), (tenant, identity_of(spender.user_id))


def _limit(
    settings: BudgetSettings, *, is_users: bool, dimension: Dimension, window: Window
) -> Limit:
    name = f"{'user' if is_users else 'tenant'}_{dimension}_per_{window}"
    allowed = getattr(settings, name)
    return Limit(
        name=name,
        is_users=is_users,
        dimension=dimension,
        window=window,
        allowed=allowed if dimension == "tokens" else nano_units(allowed),
    )
