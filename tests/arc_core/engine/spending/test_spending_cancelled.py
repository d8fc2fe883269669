"""A run on a budget is cancelled at each of its suspension points, through every entry point."""

import asyncio
from typing import Any

import pytest

from arc_core import BudgetRefused, Reserved
from tests.arc_core.engine.entry_points import EVERY_ENTRY_POINT, EntryPoint
from tests.arc_core.engine.spending.budgeted import COMMAND, LOOK, USED, budgeted, look
from tests.capped_budgets import CappedBudgets

FEWEST_STEPS = 20
CAP = 1000


class SlowBudgets(CappedBudgets):
    """Take a few rounds of the event loop for each answer, before and after it is decided."""

    async def reserve(self, *args: Any, **named: Any) -> Reserved | BudgetRefused | None:
        await rounds()
        answer = await super().reserve(*args, **named)
        await rounds()
        return answer

    async def extend(self, *args: Any, **named: Any) -> Reserved | BudgetRefused:
        await rounds()
        answer = await super().extend(*args, **named)
        await rounds()
        return answer

    async def settle(self, *args: Any, **named: Any) -> None:
        await rounds()
        await super().settle(*args, **named)


async def rounds() -> None:
    """Let others run."""
    for _ in range(2):
        await asyncio.sleep(0)


async def cancelled_after(step: int, entry_point: EntryPoint) -> tuple[bool, CappedBudgets]:
    """Whether the cancellation left, and the budgets afterwards."""
    budgets = SlowBudgets(tokens=CAP)
    agent, _ = budgeted([LOOK, "Done now."], budgets, components={"tools": [look]})
    task = asyncio.create_task(entry_point(agent, COMMAND))
    for _ in range(step):
        await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait({task})
    return task.cancelled(), budgets


@pytest.mark.slow
@EVERY_ENTRY_POINT
async def test_whenever_a_run_is_cancelled_nothing_stays_held(entry_point: EntryPoint) -> None:
    """Nothing is settled twice, and no more is spent than two calls and a prompt."""
    step, is_cancelled, budgets = 1, True, CappedBudgets(tokens=CAP)
    while is_cancelled:
        is_cancelled, budgets = await cancelled_after(step, entry_point)
        assert budgets.held.tokens == 0, step
        assert budgets.names.count("reserve") <= budgets.names.count("settle") <= 1, step
        assert 0 <= budgets.spent.tokens <= 2 * USED + 150, step
        step += 1

    assert step > FEWEST_STEPS
    assert budgets.spent.tokens == 2 * USED
