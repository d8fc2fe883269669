"""The tool of the agent, with the orders of a shop."""

from arc_core import tool

_ORDERS = {7: "on its way", 8: "delivered"}


@tool
async def find_order(number: int) -> str:
    """Find out where an order is, by its number."""
    return f"Order {number} is {_ORDERS.get(number, 'not known')}."
