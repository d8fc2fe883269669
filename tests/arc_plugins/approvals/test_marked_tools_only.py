"""The policy that leaves it to the tools."""

from datetime import UTC, datetime

from arc_core import HookContext, Run, ToolCallContext
from arc_plugins.approvals.marked_tools_only import MarkedToolsOnlyPolicy


async def test_every_call_runs() -> None:
    """It need not even be asked."""
    run = HookContext(run_id="r", user_id="u", user_prompt="Pay.", started_at=datetime.now(UTC))
    call = ToolCallContext(agent_context=run, tool_name="pay", arguments={}, call_index=0)
    policy = MarkedToolsOnlyPolicy()

    assert policy.never_asks
    assert await policy.decide(call) == Run()
