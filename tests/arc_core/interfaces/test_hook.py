"""Hooks: what they see, and a hook that overrides nothing."""

from datetime import UTC, datetime

from arc_core import AgentResult
from arc_core.interfaces.hook import Hook, HookContext, ToolCallContext, ToolCallResult
from arc_core.messages import ToolOutcome

RUN = HookContext(run_id="r-1", user_id="ann", user_prompt="Hello", started_at=datetime.now(UTC))
CALL = ToolCallContext(
    agent_context=RUN, tool_name="login", arguments={"user": "ann", "apiKey": "k-1"}, call_index=0
)


def test_secret_arguments_can_be_masked() -> None:
    """A hook that logs a tool call can do so without its secrets; the call keeps them."""
    assert CALL.masked_arguments() == {"user": "ann", "apiKey": "***"}
    assert CALL.arguments["apiKey"] == "k-1"


async def test_a_hook_that_overrides_nothing_lets_everything_pass() -> None:
    """Each moment of a plain hook has no effect and no opinion."""
    hook = Hook()
    result = ToolCallResult(outcome=ToolOutcome.SUCCESS, content="in", duration_ms=1.0)

    assert await hook.before_agent_start(RUN) is None
    assert await hook.before_tool_call(CALL) is None
    await hook.after_tool_call(CALL, result)
    await hook.after_agent_complete(RUN, AgentResult(success=True))


def test_hooks_of_one_run_share_notes() -> None:
    """Metadata may be written, and is the run's own."""
    other = HookContext(run_id="r-2", user_id="bob", user_prompt="Hi", started_at=datetime.now(UTC))

    RUN.metadata["seen"] = True

    assert other.metadata == {}
