"""Agents whose runs are on a budget."""

from collections.abc import Iterable
from typing import Any

from arc_core import AgentCommand, Budgets, ToolCall, tool
from arc_core.engine.run.executor import ReActAgentExecutor
from arc_core.settings import AgentSettings
from arc_core.testing import ScriptedChatModel, scripted_agent

__all__ = ["COMMAND", "LOOK", "PROMPT", "USED", "budgeted", "look"]

COMMAND = AgentCommand(user_prompt="Hi", user_id="ann", tenant_id="acme")
LOOK = [ToolCall("1", "look", "{}")]
PROMPT = len("Hi") + len("Sys")
"""Tokens of the first request, as the estimator of the tests counts: one for each character."""

USED = 15
"""Tokens of each call, as the scripted model counts."""


@tool
async def look() -> str:
    """Look."""
    return "seen"


def budgeted(
    turns: Iterable[Any] | ScriptedChatModel,
    budgets: Budgets,
    *,
    reserve_tokens: int = 100,
    budget: dict[str, Any] | None = None,
    llm: dict[str, Any] | None = None,
    components: dict[str, Any] | None = None,
    **settings: Any,
) -> tuple[ReActAgentExecutor, ScriptedChatModel]:
    """An agent on these budgets, and its model."""
    model = turns if isinstance(turns, ScriptedChatModel) else ScriptedChatModel(turns)
    checked = AgentSettings.model_validate(
        {
            "llm": {"system_prompt": "Sys", "max_output_tokens": 40, **(llm or {})},
            "budget": {"reserve_tokens": reserve_tokens, "report_within_s": 0, **(budget or {})},
            "retry": {"initial_delay_s": 0},
            **settings,
        }
    )
    return scripted_agent(model, checked, budgets=budgets, **(components or {})), model
