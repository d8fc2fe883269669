"""Runs of agents that ask others get a journal if one of these may have to wait."""

from collections.abc import Sequence
from typing import Any

import pytest

from arc_core import Agent, AgentCommand, Tool, ToolCall, ToolOutcome, ToolSource, tool
from arc_core.engine.run.executor import ReActAgentExecutor
from arc_core.testing import ScriptedChatModel
from arc_core.testing.run_journals import DictRunJournals
from arc_core.testing.scripted_agent import scripted_agent
from tests.arc_core.engine.asking_agents import agent_of, results_in

ASK = [ToolCall("1", "ask_clerk", '{"task": "Look."}')]
COMMAND = AgentCommand(user_prompt="Go.", agent="desk")


def tool_of(name: str, **options: Any) -> Tool:
    """A tool that does nothing."""

    @tool(name=name, **options)
    async def work() -> str:
        """Work."""
        return "done"

    return work


def engine_of(
    journals: DictRunJournals, *turns: Any, agents: Sequence[Agent[Any]], **parts: Any
) -> ReActAgentExecutor:
    """An engine of these agents."""
    model = ScriptedChatModel(turns)
    return scripted_agent(model, agents=tuple(agents), run_journals=journals, **parts)


@pytest.mark.parametrize(
    ("clerk", "is_kept"),
    [
        ({"tools": [tool_of("look")]}, False),
        ({"tools": [tool_of("pay", needs_approval=True)]}, True),
        ({"delegates": ["payer"]}, True),
        ({"handoffs": ["payer"]}, True),
        ({"delegates": ["desk"]}, False),
    ],
)
async def test_a_delegating_run_has_a_journal_if_an_agent_below_may_have_to_wait(
    clerk: dict[str, Any], *, is_kept: bool
) -> None:
    """Whichever way leads there; one that leads nowhere costs nothing."""
    journals = DictRunJournals()
    agents = (
        agent_of("desk", delegates=["clerk"]),
        agent_of("clerk", **clerk),
        agent_of("payer", tools=[tool_of("pay", needs_approval=True)]),
    )
    engine = engine_of(journals, ASK, "Looked.", "Done.", agents=agents)

    result = await engine.execute(COMMAND)

    assert result.content == "Done."
    assert bool(journals.records) == is_kept


class Late(ToolSource):
    """Brings a tool after the run has begun."""

    def __init__(self) -> None:
        self.brought: list[Tool] = []

    def tools(self) -> Sequence[Tool]:
        """What there is now."""
        return tuple(self.brought)


def agents_that_bring(tool: Tool) -> tuple[Agent[Any], ...]:
    """One that asks another, which gets a tool and hands over to one that may call anything."""
    return (
        agent_of("desk", delegates=["clerk"]),
        agent_of("clerk", tools=[tool], handoffs=["payer"]),
        agent_of("payer", tools=["*"]),
    )


async def test_a_call_is_denied_if_it_must_wait_in_a_run_that_cannot() -> None:
    """A marked tool that comes while an agent below runs is not called without approval."""
    source, journals = Late(), DictRunJournals()

    @tool
    async def bring() -> str:
        """Bring the other tool."""
        source.brought = [tool_of("pay", needs_approval=True)]
        return "brought"

    calls = [[ToolCall("", name, "{}")] for name in ("bring", "transfer_to_payer", "pay")]
    model = ScriptedChatModel([ASK, *calls, lambda request: results_in(request)[-1][0], "Done."])
    agents = agents_that_bring(bring)
    engine = scripted_agent(model, agents=agents, run_journals=journals, tools=(source,))

    result = await engine.execute(COMMAND)

    assert result.content == "Done."
    assert results_in(model.requests[-1])[-1][1] == ToolOutcome.DENIED.value
