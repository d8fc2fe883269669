"""Runs of the engine on the budgets that come with Arc."""

import asyncio
from decimal import Decimal
from typing import Any

import pytest

from arc_core import (
    AgentCommand,
    AgentErrorCode,
    ChatRequest,
    ChatResponse,
    ToolCall,
    UserMessage,
    tool,
)
from arc_core.errors import ModelOverloadedError
from arc_core.settings import AgentSettings
from arc_core.testing import ScriptedChatModel, scripted_agent
from arc_plugins.budgets.counting.in_memory_budgets import InMemoryBudgets
from arc_plugins.budgets.settings import BudgetLimitSettings

COMMAND = AgentCommand(
    user_prompt="Hi",
    user_id="ann",
    tenant_id="acme",
    conversation_history=(UserMessage("Hi"),),  # else it grows
)
PRICE = {"input": 10_000, "output": 10_000}
"""Each call, of 10 tokens and 5, costs 0.15."""


class Model(ScriptedChatModel):
    """Lets other runs begin before it answers."""

    async def complete(self, request: ChatRequest) -> ChatResponse:
        await asyncio.sleep(0)
        return await super().complete(request)


def agent_on(budgets: InMemoryBudgets, *, answers: int) -> Any:
    """An agent whose prompts have 7 tokens, and answers room for 40."""
    llm = {"system_prompt": "Sys", "max_output_tokens": 40, "price": PRICE}
    settings = AgentSettings.model_validate({"llm": llm, "budget": {"reserve_tokens": 45}})
    return scripted_agent(Model(["Hi."] * answers), settings, budgets=budgets)


@pytest.mark.parametrize(
    ("limits", "spent"),
    [
        ({"tenant_tokens_per_day": 100}, Decimal(90)),
        ({"user_cost_per_month": Decimal(1)}, Decimal("0.9")),
    ],
    ids=["tokens", "costs"],
)
async def test_runs_go_on_until_not_enough_is_left(limits: dict[str, Any], spent: Decimal) -> None:
    """Six runs of 15 tokens leave 10 of 100, or of what they cost; the prompt of another has 15."""
    budgets = InMemoryBudgets(settings=BudgetLimitSettings.model_validate(limits))
    agent = agent_on(budgets, answers=6)

    results = [await agent.execute(COMMAND) for _ in range(6)]
    [state] = await budgets.states()
    refused = await agent.execute(COMMAND.model_copy(update={"user_prompt": "Hi there, all"}))

    assert [each.success for each in results] == [True] * 6
    assert (state.spent, state.reserved) == (spent, Decimal(0))
    assert refused.error_code is AgentErrorCode.LIMIT_REACHED
    assert "returns" in (refused.error_message or "")


async def test_a_small_budget_allows_runs_until_it_is_used_up() -> None:
    """Of 20 000 tokens, which is what a run reserves, runs of 15 leave 19 985, then 19 970."""
    budgets = InMemoryBudgets(
        settings=BudgetLimitSettings.model_validate({"tenant_tokens_per_day": 20_000})
    )
    agent = scripted_agent(ScriptedChatModel(["Hi."] * 9), AgentSettings(), budgets=budgets)

    results = [await agent.execute(COMMAND) for _ in range(9)]
    [state] = await budgets.states()

    assert [each.success for each in results] == [True] * 9
    assert (state.spent, state.reserved) == (Decimal(9 * 15), Decimal(0))


async def test_runs_at_the_same_time_share_a_budget() -> None:
    """Each holds its part while it goes on, and gives back the rest."""
    budgets = InMemoryBudgets(
        settings=BudgetLimitSettings.model_validate({"tenant_tokens_per_day": 1000})
    )
    agent = agent_on(budgets, answers=100)

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(agent.execute(COMMAND)) for _ in range(100)]

    done = sum(task.result().success for task in tasks)
    [state] = await budgets.states()
    assert (state.spent, state.reserved) == (Decimal(15 * done), Decimal(0))
    assert 0 < state.spent <= 1000


async def test_what_is_counted_is_what_the_vendor_counted() -> None:
    """Not what was estimated before: of calls with tools, refused ones, and a longer prompt."""

    @tool
    async def look() -> str:
        """Look."""
        return "seen"

    budgets = InMemoryBudgets(
        settings=BudgetLimitSettings.model_validate({"tenant_tokens_per_day": 100_000})
    )
    turns: list[Any] = [[ToolCall("1", "look", "{}")], ModelOverloadedError(), "Seen.", "Hi."]
    settings = AgentSettings.model_validate({"retry": {"initial_delay_s": 0}})
    agent = scripted_agent(ScriptedChatModel(turns), settings, budgets=budgets, tools=[look])
    long = COMMAND.model_copy(update={"user_prompt": "Tell me of it. " * 90})

    results = [await agent.execute(long) for _ in range(2)]

    used = sum(each.token_usage.total_tokens for each in results if each.token_usage)
    [state] = await budgets.states()
    assert (state.spent, state.reserved) == (Decimal(used), Decimal(0))
    assert used == 3 * 15
