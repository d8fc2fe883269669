"""The budgets are away."""

import asyncio
import time
from typing import Any

import pytest

from arc_core import AgentErrorCode, BudgetRefused, Reserved, tool
from tests.arc_core.engine.spending.budgeted import COMMAND, LOOK, USED, budgeted, look
from tests.capped_budgets import CappedBudgets


class Away(CappedBudgets):
    """Fails in the methods that are named."""

    def __init__(self, *methods: str, **named: Any) -> None:
        super().__init__(tokens=1000, **named)
        self.away: tuple[str, ...] = methods
        self.failures = 0

    def _fail(self, method: str) -> None:
        if method in self.away:
            self.failures += 1
            raise OSError

    async def reserve(self, *args: Any, **named: Any) -> Reserved | BudgetRefused | None:
        self._fail("reserve")
        return await super().reserve(*args, **named)

    async def extend(self, *args: Any, **named: Any) -> Reserved | BudgetRefused:
        self._fail("extend")
        return await super().extend(*args, **named)

    async def settle(self, *args: Any, **named: Any) -> None:
        self._fail("settle")
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


async def test_without_a_reservation_a_run_is_bound_again_once_the_budgets_are_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It reserves at its next call, and gets no more than there is."""
    budgets = Away("reserve", "extend")
    budgets.tokens = 200

    @tool(name="look")
    async def come_back() -> str:
        """Look, for some seconds."""
        budgets.away = ()
        loop = asyncio.get_running_loop()
        monkeypatch.setattr(loop, "time", lambda: time.monotonic() + 5)
        return "seen"

    agent, model = budgeted(
        [LOOK] * 9, budgets, budget={"on_failure": "allow"}, components={"tools": [come_back]}
    )

    result = await agent.execute(COMMAND)

    assert result.error_code is AgentErrorCode.LIMIT_REACHED
    assert budgets.spent.tokens == len(model.requests) * USED < 9 * USED
    assert (budgets.names.count("extend") > 1, budgets.held.tokens) == (True, 0)


async def test_without_a_reservation_a_run_that_may_go_on_is_counted_at_its_end() -> None:
    """If the budgets are back by then; meanwhile they are not asked for each call."""
    budgets = Away("reserve", "extend")
    agent, _ = budgeted(
        [LOOK, LOOK, "Done."], budgets, budget={"on_failure": "allow"}, components={"tools": [look]}
    )

    result = await agent.execute(COMMAND)

    assert result.success
    assert budgets.spent.tokens == 3 * USED
    assert budgets.failures == 1


async def test_a_settlement_that_fails_changes_no_result() -> None:
    """It is made again when the engine ends, if not before."""
    budgets = Away("settle")
    agent, _ = budgeted(["Hi."], budgets)

    result = await agent.execute(COMMAND)
    held = budgets.held.tokens
    budgets.away = ()
    await agent.aclose()

    assert (result.content, held > 0) == ("Hi.", True)
    assert (budgets.spent.tokens, budgets.held.tokens) == (USED, 0)


async def test_what_may_be_reserved_by_a_call_that_timed_out_is_given_back() -> None:
    """Though the run did not begin, and before the reservation ends by itself."""

    class Late(CappedBudgets):
        async def reserve(self, *args: Any, **named: Any) -> Reserved | BudgetRefused | None:
            await super().reserve(*args, **named)
            raise TimeoutError

    budgets = Late(tokens=1000)
    agent, _ = budgeted([], budgets)

    result = await agent.execute(COMMAND)
    held = budgets.held.tokens
    await agent.aclose()

    assert (result.error_code, held) == (AgentErrorCode.UNAVAILABLE, 100)
    assert (budgets.spent.tokens, budgets.held.tokens) == (0, 0)


async def test_a_reservation_that_is_not_surely_kept_is_not_spent_from() -> None:
    """Another run may have it by now."""
    budgets = Away("extend", renew_within_s=0.0)
    agent, model = budgeted(["Hi."], budgets)

    result = await agent.execute(COMMAND)

    assert result.error_code is AgentErrorCode.UNAVAILABLE
    assert model.requests == []
