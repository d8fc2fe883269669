"""A front desk that hands over to experts, and the one call that may wait for a person."""

import asyncio
from decimal import Decimal

from arc_core import Agent, Inject, Limits, ToolCallContext, ToolContext, tool
from support_desk.orders import Customer, Order, Orders

REFUND_LIMIT = 100
BANK_S = 5.0


@tool
async def find_orders(orders: Inject[Orders], number: int | None = None) -> list[Order]:
    """Find the order of a number, or all orders of the customer."""
    return await orders.find(number)


def is_large(call: ToolCallContext) -> bool:
    """Say if a person has to look at the refund, as at one whose amount is not a number."""
    amount = call.arguments.get("amount")
    return not isinstance(amount, int | float) or amount > REFUND_LIMIT


@tool(needs_approval=is_large)
async def refund(
    number: int, amount: Decimal, *, orders: Inject[Orders], context: ToolContext
) -> str:
    """Pay an amount in euros back for the order of a number."""
    if not await orders.refund(number, amount, key=context.idempotency_key):
        return "Refused: the customer has no such order, or less than that is left of it."
    await context.progress("The bank is paying")
    await asyncio.sleep(BANK_S)
    return f"{amount:.2f} EUR were paid back for order {number}."


def write_instructions(customer: Inject[Customer]) -> str:
    """Say whom the agent talks to."""
    return f"You are the front desk of a shop and talk to {customer.name}. Hand over to an expert."


front_desk = Agent(
    "front_desk",
    description="Answers the customers of the shop.",
    examples=["Where are my orders?", "Order 17 came broken, please refund it."],
    instructions=write_instructions,
    tools=[],
    delegates=["handbook"],
    handoffs=["orders", "billing"],
    limits=Limits(max_model_calls=12, max_tool_calls=8),
)
orders = Agent(
    "orders",
    description="Knows where orders are.",
    instructions="Look orders up before you answer.",
    tools=[find_orders],
    delegates=["handbook"],
    handoffs=["billing"],
)
billing = Agent(
    "billing",
    description="Pays money back for orders.",
    instructions="Look the order up, then pay back what was paid for it, or what is asked for.",
    tools=[find_orders, refund],
    delegates=["handbook"],
    handoffs=["orders"],
)
