"""Calls the budgets component through the boundary."""

from functools import partial

from arc_core.engine.boundary import policies
from arc_core.engine.boundary.boundary import Boundary, Failed, is_said_beside, read_attribute
from arc_core.interfaces.budgets import Amount, BudgetRefused, Budgets, Reserved, Spender


class BudgetCalls:
    """Calls one budgets component through the boundary.

    Attributes:
        bounds_tokens: Whether it bounds tokens, as far as it says.
        bounds_costs: Whether it bounds costs.

    Raises:
        ConfigurationError: It cannot tell one of the two.
    """

    def __init__(self, budgets: Budgets, *, boundary: Boundary) -> None:
        self._budgets = budgets
        self._boundary = boundary
        kind, remedy = "budgets component", "let it be true or false"
        read = partial(read_attribute, budgets, kind=kind, remedy=remedy)
        is_off = read("bounds_tokens", default=True) is False
        is_off = is_off and is_said_beside(budgets, "bounds_tokens", method="reserve")
        self.bounds_tokens = not is_off
        self.bounds_costs = read("bounds_costs", default=False) is True

    async def reserve(
        self, spender: Spender, *, amount: Amount, least: Amount
    ) -> Reserved | BudgetRefused | Failed | None:
        """Reserve for a run that begins."""
        budgets = self._budgets
        return await self._boundary.call(
            policies.BUDGETS_RESERVE,
            budgets,
            lambda: budgets.reserve(spender, amount=amount, least=least),
        )

    async def extend(
        self, spender: Spender, *, spent: Amount, hold: Amount
    ) -> Reserved | BudgetRefused | Failed:
        """Count what was spent, and hold more."""
        budgets = self._budgets
        return await self._boundary.call(
            policies.BUDGETS_EXTEND,
            budgets,
            lambda: budgets.extend(spender, spent=spent, hold=hold),
        )

    async def settle(self, spender: Spender, *, spent: Amount) -> Failed | None:
        """Count the rest; what is held returns by itself if that fails."""
        budgets = self._budgets
        answer = await self._boundary.call(
            policies.BUDGETS_SETTLE, budgets, lambda: budgets.settle(spender, spent=spent)
        )
        return answer if isinstance(answer, Failed) else None
