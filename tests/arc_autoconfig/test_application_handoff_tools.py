"""Tools of their own by which agents turn to others."""

from typing import Any

import pytest

from arc_autoconfig import Application
from arc_core import (
    Agent,
    AgentResult,
    ConfigurationError,
    HandoffTool,
    Inject,
    ToolCall,
    ToolResultMessage,
    ToolRetry,
    UserMessage,
    service,
    tool,
)
from arc_core.testing import ScriptedChatModel


class Notes(list[str]):
    """What was noted at handoffs."""


@tool(name="send_to_billing")
async def note_reason(reason: str, notes: Inject[Notes]) -> str:
    """Send the customer to billing."""
    if reason == "none":
        raise ToolRetry("Say why.")
    notes.append(reason)
    return f"Billing takes over: {reason}."


@tool(name="check_refund")
def refund_task(order: int, amount: int) -> str:
    """Have a refund checked."""
    return f"May {amount} be refunded for order {order}?"


BILLING = Agent("billing", tools=[])
SUPPORT = Agent("support", tools=[], handoffs=[HandoffTool("billing", function=note_reason)])


async def run(
    agents: list[Agent[Any]], *turns: Any, notes: Notes | None = None
) -> tuple[AgentResult, ScriptedChatModel]:
    """What the first agent answers, and what the models were asked."""
    model = ScriptedChatModel(list(turns))
    register = [model, *agents, service(Notes() if notes is None else notes)]
    async with Application(register=register, plugins=False) as app:
        result = await app.agent(agents[0].name).execute("Hi")
    return result, model


async def test_a_handoff_has_a_name_parameters_and_a_callback() -> None:
    """The function gets the arguments and what it asks for; its text is what the other reads."""
    notes = Notes()
    call = [ToolCall("1", "send_to_billing", '{"reason": "an invoice"}')]

    result, model = await run([SUPPORT, BILLING], call, "Yes?", notes=notes)

    assert (result.agent, notes) == ("billing", ["an invoice"])
    assert [each.name for each in model.requests[0].tools] == ["send_to_billing"]
    told = model.requests[1].messages[-1]
    assert isinstance(told, ToolResultMessage)
    assert told.results[0].text == "Billing takes over: an invoice."


async def test_a_callback_that_fails_keeps_the_run_with_its_agent() -> None:
    """The model is told what to do instead, and may hand over in its next turn."""
    call = [ToolCall("1", "send_to_billing", '{"reason": "none"}')]

    result, model = await run([SUPPORT, BILLING], call, "I stay.", notes=Notes())

    assert (result.agent, result.content) == ("support", "I stay.")
    told = model.requests[1].messages[-1]
    assert isinstance(told, ToolResultMessage)
    assert told.results[0].text == "Error: Say why."


async def test_a_delegated_task_has_a_name_and_parameters() -> None:
    """A function makes the task of them."""
    refunds = Agent("refunds", tools=[])
    desk = Agent("desk", tools=[refunds.as_tool(task=refund_task)])
    call = [ToolCall("1", "check_refund", '{"order": 17, "amount": 3}')]

    result, model = await run([desk, refunds], call, "It may.", "It will be.")

    assert result.content == "It will be."
    assert model.requests[0].tools[0].parameters["required"] == ["order", "amount"]
    assert model.requests[1].messages[-1] == UserMessage("May 3 be refunded for order 17?")


async def test_arguments_that_do_not_fit_reach_no_agent() -> None:
    """The model reads what is wrong with them."""
    refunds = Agent("refunds", tools=[])
    desk = Agent("desk", tools=[refunds.as_tool(task=refund_task)])
    call = [ToolCall("1", "check_refund", '{"order": "x", "amount": 3}')]

    _, model = await run([desk, refunds], call, "I could not ask.")

    told = model.requests[1].messages[-1]
    assert isinstance(told, ToolResultMessage)
    assert "order: " in told.results[0].text


@tool(name="send_to_billing", needs_approval=True)
async def ask_before() -> str:
    """Send the customer to billing."""
    return "Billing takes over."


async def test_a_handoff_whose_function_needs_an_approval_waits_for_it() -> None:
    """The mark of the function is that of the handoff."""
    agent = Agent("support", tools=[], handoffs=[HandoffTool("billing", function=ask_before)])

    result, _ = await run([agent, BILLING], [ToolCall("1", "send_to_billing", "{}")])

    assert [each.tool for each in result.waiting] == ["send_to_billing"]


def test_two_ways_to_turn_have_two_names() -> None:
    """The error names the one that is there twice."""
    taken = HandoffTool("sales", function=note_reason)

    with pytest.raises(ConfigurationError, match="send_to_billing"):
        Agent("support", handoffs=[HandoffTool("billing", function=note_reason), taken])
