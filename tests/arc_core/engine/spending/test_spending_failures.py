"""The budgets are away."""

from typing import Any

import pytest

from arc_core import AgentErrorCode, BudgetRefused, Reserved
from arc_core.testing.budgets import CappedBudgets
from tests.arc_core.engine.spending.budgeted import COMMAND, LOOK, USED, budgeted, look


class Away(CappedBudgets):
    """Fails in the methods that are named."""

    def __init__(self, *methods: str, **named: Any) -> None:
        super().__init__(tokens=1000, **named)
        self.away = methods

    async def reserve(self, *args: Any, **named: Any) -> Reserved | BudgetRefused | None:
        if "reserve" in self.away:
            raise OSError
        return await super().reserve(*args, **named)

    async def extend(self, *args: Any, **named: Any) -> Reserved | BudgetRefused:
        if "extend" in self.away:
            raise OSError
        return await super().extend(*args, **named)

    async def settle(self, *args: Any, **named: Any) -> None:
        if "settle" in self.away:
            raise OSError
        await super().settle(*args, **named)


@pytest.mark.parametrize(("on_failure", "succeeds"), [("reject", False), ("allow", True)])
async def test_without_a_reservation_a_run_goes_on_only_if_it_may(
    on_failure: str, *, succeeds: bool
) -> None:
    """Closed by default."""
    agent, model = budgeted(["Hi."], Away("reserve"), budget={"on_failure": on_failure})

    result = await agent.execute(COMMAND)

    assert result.success == succeeds
    assert len(model.requests) == succeeds
    assert result.error_code is (None if succeeds else AgentErrorCode.UNAVAILABLE)


async def test_while_the_budgets_are_away_a_run_goes_on_within_what_it_holds() -> None:
    """Three calls fit into 150 by what the first two have really used; a fourth does not."""
    budgets = Away("extend")
    turns = [LOOK] * 9
    agent, model = budgeted(turns, budgets, reserve_tokens=150, components={"tools": [look]})

    result = await agent.execute(COMMAND)

    assert result.error_code is AgentErrorCode.UNAVAILABLE
    assert (len(model.requests), budgets.spent.tokens) == (3, 3 * USED)


async def test_while_the_budgets_are_away_a_run_may_be_allowed_to_go_on() -> None:
    """What it spends is counted once they are back."""
    budgets = Away("extend")
    agent, _ = budgeted(
        [LOOK] * 9 + ["Done."],
        budgets,
        reserve_tokens=70,
        budget={"on_failure": "allow"},
        components={"tools": [look]},
    )

    result = await agent.execute(COMMAND)

    assert result.success
    assert budgets.spent.tokens == 10 * USED


async def test_a_settlement_that_fails_changes_no_result() -> None:
    """What is held returns by itself."""
    agent, _ = budgeted(["Hi."], Away("settle"))

    result = await agent.execute(COMMAND)

    assert result.content == "Hi."


async def test_a_reservation_that_is_not_surely_kept_is_not_spent_from() -> None:
    """Another run may have it by now."""
    budgets = Away("extend", renew_within_s=0.0)
    agent, model = budgeted(["Hi."], budgets)

    result = await agent.execute(COMMAND)

    assert result.error_code is AgentErrorCode.UNAVAILABLE
    assert model.requests == []
