"""How often a run asks Redis."""

import pytest
from pydantic import SecretStr

from arc_core import AgentCommand, ToolCall, tool
from arc_core.settings import AgentSettings
from arc_core.testing import ScriptedChatModel, scripted_agent
from arc_plugins.budgets.settings import BudgetLimitSettings

redis = pytest.importorskip("redis", reason="needs the extra redis")
from arc_plugins.budgets.counting.redis_budgets import RedisBudgets  # noqa: E402

pytestmark = pytest.mark.slow


@tool
async def look() -> str:
    """Look."""
    return "seen"


async def test_a_run_with_a_tool_takes_two_round_trips(url: str, prefix: str) -> None:
    """Both are scripts, as the server counts them; it has these from a run before."""
    limits = BudgetLimitSettings.model_validate(
        {"tenant_tokens_per_day": 10**6, "redis_url": SecretStr(url)}
    )
    budgets = RedisBudgets(settings=limits, prefix=prefix)
    settings = AgentSettings.model_validate({"budget": {"report_within_s": 60}})
    model = ScriptedChatModel([[ToolCall("1", "look", "{}")], "Done."] * 2)
    agent = scripted_agent(model, settings, budgets=budgets, tools=[look])
    command = AgentCommand(user_prompt="Hi", tenant_id="acme")

    async with redis.asyncio.Redis.from_url(url) as client:
        await agent.execute(command)
        await client.config_resetstat()
        result = await agent.execute(command)
        stats = await client.info("commandstats")
    await budgets.aclose()

    assert result.success
    assert stats["cmdstat_evalsha"]["calls"] == 2
    assert "cmdstat_eval" not in stats
