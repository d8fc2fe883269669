"""The tool by which an agent asks another one."""

import pytest

from arc_core import Agent, AgentTool, ConfigurationError, Inject, ToolContext, tool


class Database:
    """What a tool asks for."""


@tool
async def look(db: Inject[Database]) -> str:
    """Looks."""
    return f"{type(db).__name__}"


def test_an_agent_is_a_tool_by_its_name() -> None:
    """Its description says when to ask it."""
    asked = Agent("refunds", description="Decides about refunds.").as_tool()

    assert (asked.name, asked.description) == ("ask_refunds", "Decides about refunds.")
    assert list(asked.parameters["properties"]) == asked.parameters["required"] == ["task"]


def test_what_the_tools_of_the_agent_ask_for_is_filled() -> None:
    """Through the agent that has it among its tools, too."""
    inner = Agent("inner", tools=[look])
    outer = Agent("outer", tools=[inner.as_tool()])
    database = Database()

    filled = outer.fill({"ask_inner.look.db": database}, per_call=[])

    assert list(outer.injected) == ["ask_inner.look.db"]
    assert not outer.has_default("ask_inner.look.db")
    [asked] = filled.own_tools
    assert isinstance(asked, AgentTool)
    assert isinstance(asked.agent, Agent)
    assert asked.injected == {}


async def test_it_answers_in_a_run_only() -> None:
    """The error says what to ask instead."""
    with pytest.raises(ConfigurationError, match="outside of a run"):
        await (
            Agent("refunds")
            .as_tool()
            .call({"task": "Go."}, ToolContext(run_id="1", call_id="1", user_id="ann"))
        )


def test_delegates_are_a_list_of_names() -> None:
    """A text would be a list of its letters."""
    with pytest.raises(ConfigurationError, match="delegates of the agent 'boss'"):
        Agent("boss", delegates="refunds")


def test_an_agent_takes_nothing_else() -> None:
    """A name that is written wrongly is told."""
    with pytest.raises(TypeError, match="'delegate'"):
        Agent("boss", delegate=["refunds"])  # type: ignore[call-overload]
