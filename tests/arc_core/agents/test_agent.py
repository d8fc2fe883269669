"""What an agent is."""

from dataclasses import FrozenInstanceError, replace
from typing import Any

import pytest

from arc_core import Agent, ConfigurationError, Inject, Limits, tool


class Database:
    """What a parameter may ask for."""


@tool
async def find_order(order_id: str, db: Inject[Database]) -> str:
    """Finds an order."""
    return f"{order_id} {db}"


@tool
async def count() -> int:
    """Counts."""
    return 1


def write(db: Inject[Database], tone: Inject[str] = "kind") -> str:
    """Writes instructions."""
    return f"{tone} {db}"


def test_an_agent_is_a_value() -> None:
    """Equal to one that says the same, and never changed."""
    agent = Agent("refunds", tools=["find_order"], limits=Limits(deadline_s=5))

    assert agent == Agent("refunds", tools=("find_order",), limits=Limits(deadline_s=5))
    assert replace(agent, model="careful").model == "careful"
    with pytest.raises(FrozenInstanceError):
        agent.name = "x"  # type: ignore[misc]


@pytest.mark.parametrize("name", ["", "two words", "größe", "a" * 49, "-", 5])
def test_a_name_that_a_tool_could_not_have_is_refused(name: Any) -> None:
    """Other agents call it by one."""
    with pytest.raises(ConfigurationError, match="cannot be called"):
        Agent(name)


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ({"tools": "find_order"}, "not a list"),
        ({"tools": [len]}, "neither a tool nor the name of one"),
        ({"tools": [count, "count"]}, "two tools called 'count'"),
        ({"output": object()}, "output type"),
        ({"output": "Refund"}, "'Refund' is not a type"),
        ({"instructions": 5}, "neither a text nor a function"),
        ({"limits": {"max_tool_calls": 1}}, "limits of the agent 'refunds' is of the type dict"),
        ({"model": 5}, "model of the agent 'refunds' is of the type int"),
        ({"description": None}, "description of the agent 'refunds' is of the type NoneType"),
        ({"examples": "Where is it?"}, "examples of the agent 'refunds' is not a list"),
        ({"examples": [1]}, "examples of the agent 'refunds' are not a list of texts"),
        ({"handoffs": ["refunds"]}, "hands over to itself"),
        ({"delegates": ["x"], "tools": ["ask_x"]}, "two tools called 'ask_x'"),
        ({"handoffs": ["x"], "tools": ["transfer_to_x"]}, "two tools called 'transfer_to_x'"),
    ],
)
def test_what_cannot_be_used_is_refused_by_the_name_of_the_agent(
    wrong: dict[str, Any], problem: str
) -> None:
    """Before anything runs."""
    with pytest.raises(ConfigurationError, match=problem) as raised:
        Agent("refunds", **wrong)

    assert "refunds" in str(raised.value)


def test_an_agent_asks_for_what_its_instructions_and_tools_ask_for() -> None:
    """By the names of both."""
    agent = Agent("refunds", instructions=write, tools=[find_order, count, "other"])

    assert set(agent.injected) == {"find_order.db", "instructions.db", "instructions.tone"}
    assert agent.has_default("instructions.tone")
    assert not agent.has_default("find_order.db")


def test_a_filled_agent_is_the_same_agent() -> None:
    """Only what it asks for is less; the function and tool it was made of stay as they are."""
    agent = Agent("refunds", instructions=write, tools=[find_order])

    filled = agent.fill({"find_order.db": Database()}, per_call={"instructions.db"})

    assert filled == agent
    assert set(filled.injected) == {"instructions.db"}
    assert set(agent.injected) == {"find_order.db", "instructions.db", "instructions.tone"}
