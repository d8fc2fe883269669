"""When the budgets hear what was spent, if no run waits for that."""

import asyncio
from typing import Any

import pytest

from arc_core import BudgetRefused, Reserved
from tests.arc_core.engine.caching_agents import PatientModel
from tests.arc_core.engine.entry_points import executed, streamed
from tests.arc_core.engine.spending.budgeted import COMMAND, LOOK, PROMPT, USED, budgeted, look
from tests.capped_budgets import CappedBudgets

SOON = {"report_within_s": 0.01}
LATER = {"report_within_s": 60}


class Hearing(CappedBudgets):
    """Tells when a report has come."""

    def __init__(self, **named: Any) -> None:
        super().__init__(tokens=10_000, **named)
        self.heard = asyncio.Event()

    async def extend(self, *args: Any, **named: Any) -> Reserved | BudgetRefused:
        answer = await super().extend(*args, **named)
        self.heard.set()
        return answer


@pytest.mark.parametrize("run", [executed, streamed])
async def test_a_quick_run_asks_the_budgets_twice(run: Any) -> None:
    """To reserve and to settle, however many calls it makes within what it holds."""
    budgets = CappedBudgets(tokens=10_000)
    agent, _ = budgeted(
        [LOOK, LOOK, "Done."],
        budgets,
        reserve_tokens=9_000,
        budget=LATER,
        components={"tools": [look]},
    )

    await run(agent, COMMAND)

    assert budgets.names == ["reserve", "settle"]
    assert (budgets.spent.tokens, budgets.held.tokens) == (3 * USED, 0)


async def test_a_run_that_needs_more_than_it_holds_asks_for_it_at_once() -> None:
    """What was reserved is not enough for all nine calls."""
    budgets = CappedBudgets(tokens=10_000)
    turns = [LOOK] * 8 + ["Done."]
    agent, _ = budgeted(
        turns, budgets, reserve_tokens=90, budget=LATER, components={"tools": [look]}
    )

    result = await agent.execute(COMMAND)

    assert result.success
    assert "extend" in budgets.names


async def test_the_budgets_hear_soon_what_a_process_has_sent() -> None:
    """And so know it if the process is killed before the model answers."""
    budgets = Hearing()
    agent, _ = budgeted(PatientModel(["Late."]), budgets, reserve_tokens=100, budget=SOON)

    task = asyncio.create_task(agent.execute(COMMAND))
    await budgets.heard.wait()
    spent, held = budgets.spent.tokens, budgets.held.tokens
    task.cancel()
    await asyncio.wait((task,))

    assert (spent, held) == (PROMPT, 100 - PROMPT)
    assert (budgets.spent.tokens, budgets.held.tokens) == (PROMPT, 0)


async def test_a_reservation_that_may_have_ended_is_asked_for_before_it_is_spent_from() -> None:
    """However late reports are."""
    budgets = CappedBudgets(tokens=10_000, renew_within_s=1e-9)
    agent, _ = budgeted(["Done."], budgets, reserve_tokens=9_000, budget=LATER)

    await agent.execute(COMMAND)

    assert budgets.names[:2] == ["reserve", "extend"]
