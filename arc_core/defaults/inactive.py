"""Components that do nothing, for what is switched off and for replays."""

from arc_core.interfaces.budgets import Amount, BudgetRefused, Budgets, Reserved, Spender
from arc_core.interfaces.models.response_cache import CachedResponse, ResponseCache


class UnboundedBudgets(Budgets):
    """Bounds nothing, so that the engine does not ask it."""

    bounds_tokens = False
    bounds_costs = False

    async def reserve(
        self, spender: Spender, *, amount: Amount, least: Amount
    ) -> Reserved | BudgetRefused | None:
        """Reserve nothing: no bound is set."""
        return None

    async def extend(
        self, spender: Spender, *, spent: Amount, hold: Amount
    ) -> Reserved | BudgetRefused:
        """Grant as much as is asked for."""
        return Reserved(held=hold)

    async def settle(self, spender: Spender, *, spent: Amount) -> None:
        """Count nothing."""


class EmptyResponseCache(ResponseCache):
    """Misses at every look-up, and keeps nothing."""

    async def get(self, key: str) -> CachedResponse | None:
        """Find nothing, whatever the key."""
        return None

    async def put(self, key: str, response: CachedResponse) -> None:
        """Forget it at once."""

    async def invalidate(self, key: str) -> None:
        """Forget nothing: nothing is kept."""

    async def invalidate_all(self) -> None:
        """Forget nothing: nothing is kept."""
