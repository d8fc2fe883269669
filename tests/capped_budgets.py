"""Budgets for tests that count what runs spend."""

from dataclasses import dataclass, field, replace
from decimal import Decimal

from arc_core.interfaces.budgets import Amount, BudgetRefused, Budgets, Reserved, Spender


@dataclass(slots=True)
class _Reservation:
    """The reservations of one spender."""

    spent: Amount = field(default_factory=Amount)
    held: Amount = field(default_factory=Amount)


class CappedBudgets(Budgets):
    """One cap for all spenders together, in the process, for ever.

    Args:
        tokens: The cap; None leaves tokens open.
        cost: The cap; None leaves costs open.
        renew_within_s: What runs are told; nothing ends by itself here until `expire` is called.

    Attributes:
        calls: Each call so far: the method and its last argument.
        refusals: How often there was not enough.
    """

    def __init__(
        self,
        *,
        tokens: int | None = None,
        cost: Decimal | None = None,
        renew_within_s: float | None = None,
    ) -> None:
        self.tokens, self.cost = tokens, cost
        self.bounds_tokens, self.bounds_costs = tokens is not None, cost is not None
        self.renew_within_s = renew_within_s
        self.calls: list[tuple[str, Amount]] = []
        self.refusals = 0
        self._reservations: dict[str, _Reservation] = {}
        self._settled: set[str] = set()

    @property
    def spent(self) -> Amount:
        """By all together."""
        return self._sum("spent")

    @property
    def held(self) -> Amount:
        """By all that go on."""
        return self._sum("held")

    @property
    def names(self) -> list[str]:
        """The methods called so far."""
        return [name for name, _ in self.calls]

    def expire(self) -> None:
        """End all reservations, as those of a process that has died."""
        for each in self._reservations.values():
            each.held = Amount()

    async def reserve(
        self, spender: Spender, *, amount: Amount, least: Amount
    ) -> Reserved | BudgetRefused | None:
        """All of it, or what is left, or nothing if that is too little."""
        self.calls.append(("reserve", amount))
        reservation = self._reservations.setdefault(spender.reservation_id, _Reservation())
        left = self._find_left()
        if not _covers(left, least):
            return self._refuse()
        reservation.held = _smaller(amount, left)
        return self._answer(reservation)

    async def extend(
        self, spender: Spender, *, spent: Amount, hold: Amount
    ) -> Reserved | BudgetRefused:
        """Count, and hold more if there is enough."""
        self.calls.append(("extend", hold))
        if spender.reservation_id in self._settled:
            return self._refuse()
        reservation = self._reservations.setdefault(spender.reservation_id, _Reservation())
        self._count(reservation, spent)
        more, left = _minus(hold, reservation.held), self._find_left()
        if not _covers(left, more):
            return replace(self._refuse(), left=_smaller(more, left))
        reservation.held = _plus(reservation.held, more)
        return self._answer(reservation)

    async def settle(self, spender: Spender, *, spent: Amount) -> None:
        """Count, and hold nothing more."""
        self.calls.append(("settle", spent))
        if spender.reservation_id in self._settled:
            return
        self._settled.add(spender.reservation_id)
        reservation = self._reservations.setdefault(spender.reservation_id, _Reservation())
        reservation.spent, reservation.held = spent, Amount()

    def _count(self, reservation: _Reservation, spent: Amount) -> None:
        reservation.held = _minus(reservation.held, _minus(spent, reservation.spent))
        reservation.spent = spent

    def _find_left(self) -> Amount:
        used = _plus(self.spent, self.held)
        return Amount(
            tokens=2**53 if self.tokens is None else max(0, self.tokens - used.tokens),
            cost=Decimal(2**53) if self.cost is None else max(Decimal(0), self.cost - used.cost),
        )

    def _answer(self, reservation: _Reservation) -> Reserved:
        spent, ratio = self.spent, 0.0
        if self.tokens:
            ratio = spent.tokens / self.tokens
        if self.cost:
            ratio = max(ratio, float(spent.cost / self.cost))
        return Reserved(
            held=reservation.held,
            used_ratio=ratio,
            limit="tenant_tokens_per_day",
            renew_within_s=self.renew_within_s,
        )

    def _refuse(self) -> BudgetRefused:
        self.refusals += 1
        return BudgetRefused(reason="The budget is used up.", limit="tenant_tokens_per_day")

    def _sum(self, name: str) -> Amount:
        amounts = [getattr(each, name) for each in self._reservations.values()]
        return Amount(
            tokens=sum(each.tokens for each in amounts),
            cost=sum((each.cost for each in amounts), Decimal(0)),
        )


def _plus(one: Amount, other: Amount) -> Amount:
    return Amount(tokens=one.tokens + other.tokens, cost=one.cost + other.cost)


def _minus(one: Amount, other: Amount) -> Amount:
    return Amount(
        tokens=max(0, one.tokens - other.tokens), cost=max(Decimal(0), one.cost - other.cost)
    )


def _smaller(one: Amount, other: Amount) -> Amount:
    return Amount(tokens=min(one.tokens, other.tokens), cost=min(one.cost, other.cost))


def _covers(one: Amount, other: Amount) -> bool:
    return one.tokens >= other.tokens and one.cost >= other.cost
