"""The budgets that are set, and for whom each of them counts."""

import inspect
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from functools import lru_cache
from itertools import product
from pkgutil import resolve_name
from typing import Any, Literal, NamedTuple, cast

from arc_core import Amount, ConfigurationError, Spender, identity_of, tenant_of
from arc_plugins.budgets.settings import BudgetLimitSettings, TenantBudget

_DECEMBER = 12


class BudgetWindow(StrEnum):
    """The period of a budget, after which it begins anew."""

    DAY = "day"
    MONTH = "month"

    def end(self, moment: datetime) -> datetime:
        """Return the end of the window in which a moment is; in UTC."""
        begin = moment.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        if self is BudgetWindow.DAY:
            return begin + timedelta(days=1)
        if begin.month == _DECEMBER:
            return begin.replace(year=begin.year + 1, month=1, day=1)
        return begin.replace(month=begin.month + 1, day=1)


def window_keys(moment: datetime) -> Mapping[BudgetWindow, str]:
    """Name the windows in which a moment is: `2026-11-30` and `2026-11`."""
    return _keys_of_day(moment.astimezone(UTC).date())


@lru_cache(maxsize=16)
def _keys_of_day(day: date) -> Mapping[BudgetWindow, str]:
    return {BudgetWindow.DAY: day.isoformat(), BudgetWindow.MONTH: day.isoformat()[:-3]}


_NANO = 10**9
_FREE = Decimal(0)


class Counts(NamedTuple):
    """Tokens and billionths of the currency; never below 0."""

    tokens: int
    cost: int

    @classmethod
    def of(cls, amount: Amount) -> "Counts":
        """An amount, its cost rounded up to a billionth."""
        tokens, cost = amount.tokens, nano_units(amount.cost) if amount.cost else 0
        return cls(tokens if tokens > 0 else 0, cost if cost > 0 else 0)

    def without(self, other: "Counts") -> "Counts":
        """Return the difference, which is nothing if the other is more."""
        if other == NOTHING:
            return self
        return Counts(max(0, self.tokens - other.tokens), max(0, self.cost - other.cost))

    def amount(self) -> Amount:
        """The same, as others know it."""
        return Amount(
            tokens=self.tokens, cost=Decimal(self.cost).scaleb(-9) if self.cost else _FREE
        )


NOTHING = Counts(0, 0)


@dataclass(slots=True)
class Tally:
    """Tokens and billionths of the currency that are counted in place; never below 0."""

    tokens: int = 0
    cost: int = 0

    @property
    def counts(self) -> Counts:
        """The same, as it is now."""
        return Counts(self.tokens, self.cost)

    def add(self, tokens: int, cost: int) -> None:
        """Count more; less, if a number is below 0."""
        tokens += self.tokens
        cost += self.cost
        self.tokens = tokens if tokens > 0 else 0
        self.cost = cost if cost > 0 else 0


def nano_units(cost: Decimal) -> int:
    """Billionths of the currency, rounded up, whatever the caller's decimal context is.

    Raises:
        ValueError: It is not a number.
        OverflowError: It is infinite.
    """
    numerator, denominator = cost.as_integer_ratio()
    return -(-numerator * _NANO // denominator)


Subject = tuple[str, ...]
"""A tenant, `("acme",)`, or a user of a tenant, `("acme", "ann")`; a blank tenant is none."""

Dimension = Literal["tokens", "cost"]
_DIMENSIONS: tuple[Dimension, ...] = ("tokens", "cost")

Found = TenantBudget | Mapping[str, Any] | None
FindBudget = Callable[[str], Found | Awaitable[Found]]
"""Says what a tenant may spend; None if it does not know."""


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
    window: BudgetWindow
    allowed: int

    def of(self, counts: Counts | Tally) -> int:
        """Return the bounded part of an amount."""
        return counts.tokens if self.dimension == "tokens" else counts.cost

    def to_decimal(self, number: int) -> Decimal:
        """A number of tokens or billionths, as people write it."""
        return Decimal(number) if self.dimension == "tokens" else Decimal(number).scaleb(-9)


class TenantLimits:
    """The budgets of each tenant and its users.

    Args:
        settings: The budgets of all tenants, those of single ones, and the function that knows
            more of them.
        most: What can be counted exactly; None if there is no bound.

    Raises:
        ConfigurationError: The function is not there, or a budget is larger than `most`.
    """

    def __init__(self, settings: BudgetLimitSettings, *, most: int | None = None) -> None:
        self._settings, self._most = settings, most
        self._find = _load(settings.tenants_from)
        self._of_all = self._check(read_limits(settings), "budget")
        self._of_one = {
            tenant: self._check(read_limits(settings, each), f"budget.tenants.{tenant}")
            for tenant, each in settings.tenants.items()
        }
        known = [*self._of_all, *(limit for limits in self._of_one.values() for limit in limits)]
        self.bounds_costs = any(each.dimension == "cost" for each in known)
        self.bounds_tokens = self._find is not None or any(
            each.dimension == "tokens" for each in known
        )

    async def get(self, tenant_id: str | None) -> tuple[Limit, ...]:
        """The budgets that hold for the runs of a tenant, in the order of the settings.

        Args:
            tenant_id: Whose; runs without a tenant have the budgets of all.

        Raises:
            ConfigurationError: What the function returns cannot be used.
            Exception: The function has raised it.
        """
        tenant = tenant_of(tenant_id)
        if tenant is None:
            return self._of_all
        if self._find is not None:
            found = self._find(tenant)
            if inspect.isawaitable(found):
                found = await found
            if found is not None:
                return self._read(found)
        return self._of_one.get(tenant, self._of_all)

    def _read(self, found: TenantBudget | Mapping[str, Any]) -> tuple[Limit, ...]:
        where = f"what {self._settings.tenants_from} returns"
        try:
            entry = TenantBudget.model_validate(found)
        except ValueError as error:
            raise ConfigurationError(
                f"{where} is not a budget",
                evidence=[str(error)],
                remedy="return a table such as {'tenant_tokens_per_day': 100_000}, or None",
            ) from None
        limits = self._check(read_limits(self._settings, entry), where)
        if not self.bounds_costs and any(each.dimension == "cost" for each in limits):
            raise ConfigurationError(
                f"{where} is a budget of costs, and the settings have none",
                remedy="set budget.tenant_cost_per_month to a large number, so that the prices "
                "of all models are checked at the start",
            )
        return limits

    def _check(self, limits: Iterable[Limit], where: str) -> tuple[Limit, ...]:
        checked = tuple(limits)
        for limit in checked:
            if self._most is not None and limit.allowed > self._most:
                raise ConfigurationError(
                    f"{where}.{limit.name} is larger than Redis counts exactly",
                    remedy=f"set it to at most {limit.to_decimal(self._most):f}",
                )
        return checked


def read_limits(
    settings: BudgetLimitSettings, entry: TenantBudget | None = None
) -> tuple[Limit, ...]:
    """The budgets that are set, in the order of the settings.

    Args:
        settings: Those of all tenants.
        entry: Of one tenant, in whose place they stand where it says nothing.
    """
    limits = []
    for is_users, dimension, window in product((False, True), _DIMENSIONS, BudgetWindow):
        name = f"{'user' if is_users else 'tenant'}_{dimension}_per_{window}"
        allowed = getattr(entry, name, None)
        if allowed is None:
            allowed = getattr(settings, name)
        if dimension == "cost":
            allowed = nano_units(allowed)
        if allowed:
            limits.append(
                Limit(
                    name=name,
                    is_users=is_users,
                    dimension=dimension,
                    window=window,
                    allowed=allowed,
                )
            )
    return tuple(limits)


def get_subjects(spender: Spender) -> tuple[Subject, Subject]:
    """The tenant and the user who spend; those without an id share that of `anonymous`."""
    tenant = (spender.tenant_id or "").strip()
    return (tenant,), (tenant, identity_of(spender.user_id))


def _load(place: str | None) -> FindBudget | None:
    if place is None:
        return None
    try:
        found: Any = resolve_name(place)
    except (ImportError, AttributeError, ValueError) as error:
        raise ConfigurationError(
            f"budget.tenants_from names {place!r}, which is not there",
            evidence=[f"{type(error).__name__}: {error}"],
            remedy="name a module and a function in it: my_app.plans:find_budget",
        ) from error
    if not callable(found):
        raise ConfigurationError(
            f"budget.tenants_from names {place!r}, which is not a function",
            remedy="name a function of a tenant's id: my_app.plans:find_budget",
        )
    return cast("FindBudget", found)
