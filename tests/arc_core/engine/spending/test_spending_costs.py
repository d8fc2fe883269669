"""Budgets of costs."""

from decimal import Decimal

from arc_core import AgentCommand, AgentErrorCode, ModelOverloadedError
from arc_core.testing import ScriptedChatModel
from tests.arc_core.engine.spending.budgeted import COMMAND, budgeted
from tests.capped_budgets import CappedBudgets


async def test_costs_are_counted_at_the_price_of_the_model_that_was_asked() -> None:
    """That of a fallback, too."""
    budgets = CappedBudgets(cost=Decimal(100))
    quick = ScriptedChatModel(["Done."])
    llm = {
        "price": {"input": 100_000, "output": 100_000},
        "fallbacks": ["quick"],
        "models": {"quick": {"model": "mini", "price": {"input": 10_000, "output": 20_000}}},
    }
    agent, _ = budgeted(
        [ModelOverloadedError("")],
        budgets,
        llm=llm,
        retry={"max_attempts": 1},
        components={"models": {"quick": quick}},
    )

    result = await agent.execute(COMMAND)

    assert result.content == "Done."
    assert (budgets.spent.cost, result.cost) == (Decimal("0.2"), Decimal("0.2"))
    assert budgets.held.cost == 0


async def test_the_answer_gets_no_more_room_than_costs_leave() -> None:
    """A prompt of 5 for 0.05, and 17 tokens of an answer for 0.34 are within 0.40."""
    llm = {"price": {"input": 10_000, "output": 20_000}}
    agent, model = budgeted(["Hi."], CappedBudgets(cost=Decimal("0.40")), llm=llm)

    result = await agent.execute(COMMAND)

    assert result.success
    assert model.requests[0].max_output_tokens == 17


async def test_a_command_for_a_model_without_a_price_is_refused_under_a_budget_of_costs() -> None:
    """The message names it."""
    llm = {"model": "large", "price": {"input": 1, "output": 1}}
    agent, model = budgeted([], CappedBudgets(cost=Decimal(1)), llm=llm)

    result = await agent.execute(AgentCommand(user_prompt="Hi", model="another"))

    assert result.error_code is AgentErrorCode.INVALID_INPUT
    assert "'another' has no price" in (result.error_message or "")
    assert model.requests == []
