"""How an agent is tested: `pytest test_orders_agent.py`, without a key, a network or a database.

The agent asks for two things by their types. `OrderBook` is a service of the application, which the
tests override with a book of their own; `Customer` is handed over with each run.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest

from arc_autoconfig import Application
from arc_core import Agent, AgentErrorCode, Inject, ToolCall, service, tool
from arc_core.testing import ScriptedChatModel


@dataclass(frozen=True)
class Customer:
    """Who asks."""

    name: str


@service
class OrderBook:
    """The orders of all customers, in a database that tests do not have."""

    async def orders_of(self, customer: str) -> Sequence[str]:
        """What a customer has ordered."""
        raise ConnectionError(f"no database to look for {customer} in")


@tool
async def my_orders(book: Inject[OrderBook], customer: Inject[Customer]) -> Sequence[str]:
    """The orders of the customer who asks."""
    return await book.orders_of(customer.name)


async def write_instructions(customer: Inject[Customer]) -> str:
    """Say whom the agent talks to."""
    return f"You answer questions of {customer.name} about their orders."


orders = Agent("orders", instructions=write_instructions, tools=[my_orders])


class BookOfTests(OrderBook):
    """Has what a test needs."""

    async def orders_of(self, customer: str) -> Sequence[str]:
        """One order each."""
        return [f"a vase for {customer}"]


@asynccontextmanager
async def shop(model: ScriptedChatModel) -> AsyncIterator[Application]:
    """The application with a scripted model, and with the book of the tests."""
    app = Application(register=[orders, OrderBook, model], deps=Customer, plugins=False)
    app.container.of(OrderBook).override(BookOfTests())
    async with app:
        yield app


@pytest.mark.parametrize("name", ["ann", "bob"])
def test_customers_are_told_of_their_own_orders(name: str) -> None:
    """Instructions and tool get the customer of the run, and the book of the tests."""
    model = ScriptedChatModel([[ToolCall("1", "my_orders", "{}")], "There is one."])

    async def ask() -> None:
        async with shop(model) as app:
            result = await app.agent(orders).execute("What?", deps=Customer(name))
        assert result.tools_used == ("my_orders",)

    asyncio.run(ask())

    first, second = model.requests
    assert first.system_prompt == f"You answer questions of {name} about their orders."
    assert f"a vase for {name}" in json.dumps(second.messages, default=str)


def test_a_customer_is_needed() -> None:
    """Without one, no model is asked."""
    model = ScriptedChatModel([])

    async def ask() -> None:
        async with shop(model) as app:
            result = await app.agent(orders).execute("What?")
        assert result.error_code is AgentErrorCode.INVALID_INPUT

    asyncio.run(ask())

    assert model.requests == []
