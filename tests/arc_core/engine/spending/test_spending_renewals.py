"""What is held for runs that go on is renewed."""

import asyncio
from typing import Any

from arc_core import BudgetRefused, Reserved, tool
from tests.arc_core.engine.spending.budgeted import COMMAND, LOOK, USED, budgeted
from tests.capped_budgets import CappedBudgets

SHORT_S = 0.03


class Watched(CappedBudgets):
    """Tells when a run is renewed while its tool works; may fail then."""

    def __init__(self, *, fails: bool = False) -> None:
        super().__init__(tokens=1000, renew_within_s=SHORT_S)
        self.is_working, self.fails = False, fails
        self.renewed = 0
        self.twice = asyncio.Event()

    async def extend(self, *args: Any, **named: Any) -> Reserved | BudgetRefused:
        if self.is_working:
            self.renewed += 1
            if self.renewed > 1:
                self.twice.set()
            if self.fails:
                raise OSError
        return await super().extend(*args, **named)


def working(budgets: Watched) -> Any:
    """A tool that works until its run was renewed twice."""

    @tool(name="look")
    async def work() -> str:
        """Work."""
        budgets.is_working = True
        await budgets.twice.wait()
        budgets.is_working = False
        return "worked"

    return work


def renewal_tasks() -> list[str]:
    """The tasks that renew."""
    name = "arc-budget-reports"
    return [name for each in asyncio.all_tasks() if each.get_name() == name]


async def test_a_run_is_renewed_while_its_tool_works() -> None:
    """Again and again, by one task, which ends with the last run."""
    budgets = Watched()
    agent, _ = budgeted(
        [LOOK, "Done."], budgets, reserve_tokens=300, components={"tools": [working(budgets)]}
    )

    result = await agent.execute(COMMAND)
    for _ in range(5):
        await asyncio.sleep(0)

    assert result.success
    assert (budgets.spent.tokens, budgets.held.tokens) == (2 * USED, 0)
    assert renewal_tasks() == []


async def test_a_renewal_that_fails_gets_a_retry() -> None:
    """And no run ends by it."""
    budgets = Watched(fails=True)
    agent, _ = budgeted(
        [LOOK, "Done."], budgets, reserve_tokens=300, components={"tools": [working(budgets)]}
    )

    result = await agent.execute(COMMAND)

    assert result.success


async def test_closing_the_engine_ends_the_renewals() -> None:
    """Of runs that were thrown away, too."""
    budgets = Watched()
    budgets.twice = asyncio.Event()
    agent, _ = budgeted(
        [LOOK], budgets, reserve_tokens=300, components={"tools": [working(budgets)]}
    )
    task = asyncio.create_task(agent.execute(COMMAND))
    await budgets.twice.wait()

    await agent.aclose()
    await asyncio.wait((task,))

    assert renewal_tasks() == []
    assert budgets.held.tokens == 0
