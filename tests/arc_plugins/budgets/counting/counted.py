"""Settings, spenders and clocks for tests of budgets."""

import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

from arc_core import Amount, Budgets, Reserved, Spender
from arc_plugins.budgets.settings import BudgetLimitSettings

__all__ = ["Clock", "held", "settings", "spender", "tokens"]


class Clock:
    """Both clocks of budgets; what a person sets, and what only goes on.

    Attributes:
        now: What the clock on the wall shows.
        seconds: What has passed.
    """

    def __init__(self, now: datetime = datetime(2026, 11, 30, 12, tzinfo=UTC)) -> None:
        self.now, self.seconds = now, 0.0

    def go(self, seconds: float) -> None:
        """Let time pass."""
        self.now += timedelta(seconds=seconds)
        self.seconds += seconds


def settings(**limits: Any) -> BudgetLimitSettings:
    """Settings with some budgets."""
    return BudgetLimitSettings(**limits)


def spender(tenant_id: str | None = "acme", *, user_id: str = "ann") -> Spender:
    """A run that was never there before."""
    number = uuid.uuid4().hex
    return Spender(reservation_id=number, run_id=number, user_id=user_id, tenant_id=tenant_id)


def tokens(number: int) -> Amount:
    """So many, at no cost."""
    return Amount(tokens=number)


async def held(budgets: Budgets, who: Spender, number: int, *, least: int = 1) -> int:
    """What a run gets reserved; 0 if it is refused."""
    reply = await budgets.reserve(who, amount=tokens(number), least=tokens(least))
    return reply.held.tokens if isinstance(reply, Reserved) else 0
