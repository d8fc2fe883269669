# pyright: strict, reportUnnecessaryTypeIgnoreComment=true
"""What type checkers see of agents, and of what they answer."""

from typing import Any, assert_type

from pydantic import BaseModel

from arc_autoconfig import AgentHandle, Application, RunStream
from arc_core import Agent, AgentResult, Inject, Limits, RunContext, tool


class Refund(BaseModel):
    """What an agent decides."""

    amount: int


@tool
async def find_order(order_id: str) -> str:
    """Finds an order."""
    return order_id


async def write(shop: Inject[Refund], run: RunContext) -> str:
    """Instructions of a run."""
    return f"{shop.amount} {run.user_id}"


refunds = Agent("refunds", tools=[find_order, "find_*"], output=Refund, instructions=write)
numbers = Agent("numbers", output=list[int], limits=Limits(max_tool_calls=1))
texts = Agent("texts", instructions="Be brief.")

assert_type(refunds, Agent[Refund])
assert_type(numbers, Agent[list[int]])
assert_type(texts, Agent[Any])


async def ask(app: Application) -> None:
    """An agent's answers have its type, unless the caller wants another one."""
    handle = app.agent(refunds)
    assert_type(handle, AgentHandle[Refund])
    assert_type(await handle.execute("Hi", user_id="ann"), AgentResult[Refund])
    assert_type((await handle.execute("Hi")).output.amount, int)
    assert_type(await handle.execute("Hi", output=int), AgentResult[int])
    assert_type(handle.stream("Hi"), RunStream[Refund])
    assert_type(handle.run("Hi"), AgentResult[Refund])
    assert_type(app.agent("refunds"), AgentHandle[Any])
    assert_type(await app.execute("Hi", agent="refunds"), AgentResult[Any])

    app.agent(5)  # type: ignore[call-overload]
    await handle.execute("Hi", agents="x")  # type: ignore[call-overload]


refunds.name = "x"  # type: ignore[misc]
Agent("x", tools=[5])  # type: ignore[list-item]
