"""Tools of agents, handoffs among them, and checks of what agents answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from pydantic import BaseModel, ValidationInfo, field_validator

from arc_autoconfig import Application
from arc_core import (
    Agent,
    AgentErrorCode,
    AgentResult,
    Approve,
    ConfigurationError,
    HandoffTool,
    Inject,
    OutputRetry,
    Tool,
    ToolCall,
    ToolResultMessage,
    ToolRetry,
    ToolSelector,
    UserMessage,
    service,
    tool,
)
from arc_core.testing import ScriptedChatModel
from tests.arc_autoconfig.installed import PackageIndex
from tests.arc_autoconfig.offers import get_weather


class NoTools(ToolSelector):
    """Chooses nothing, and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def select(self, user_prompt: str, tools: Sequence[Tool]) -> Sequence[Tool]:
        self.asked = [each.name for each in tools]
        return ()


class Lamp(Tool):
    """A tool that is written by hand."""

    name, description, timeout_s = "lamp", "Switch it.", None
    parameters: Mapping[str, Any] = {"type": "object"}

    async def call(self, arguments: Mapping[str, Any], context: object) -> object:
        return "on"


_MANY_TOOLS = """
    from arc_core import Tool, hookimpl, tool

    @hookimpl
    def arc_register(registry):
        for number in range(41):
            @tool(name=f"plugins_{number}")
            async def brought() -> str:
                "Do something."
                return ""
            registry.contribute(Tool, brought)
"""


@pytest.mark.slow
async def test_tools_are_local_that_are_registered_in_code(packages: PackageIndex) -> None:
    """However they are made: those of plugins are for the selector, and never crowd them out."""
    packages.install("acme-arc", modules={"acme": _MANY_TOOLS}, arc={"acme": "acme"})
    model, selector = ScriptedChatModel(["answer"]), NoTools()

    async with Application(register=[get_weather, Lamp(), model, selector]) as app:
        await app.execute("hi")

    assert [each.name for each in model.requests[0].tools] == ["get_weather", "lamp"]
    assert len(selector.asked) == 41


async def test_tools_of_an_override_are_local() -> None:
    """A program that replaces all tools has registered them itself."""
    model, selector = ScriptedChatModel(["answer"]), NoTools()
    app = Application(register=[model, selector])
    app.container.tools.override([get_weather, Lamp()])

    async with app:
        await app.execute("hi")

    assert [each.name for each in model.requests[0].tools] == ["get_weather", "lamp"]


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


@dataclass
class Traveller:
    flights: tuple[str, ...]


class Flight(BaseModel):
    number: str

    @field_validator("number")
    @classmethod
    def check(cls, number: str, info: ValidationInfo) -> str:
        """Take only what the traveller has booked."""
        if info.context is not None and number not in info.context.flights:
            raise ValueError(f"{number} is not booked")
        return number


class Seat(BaseModel):
    flight: str


async def check_seat(seat: Seat, traveller: Inject[Traveller]) -> OutputRetry | None:
    """Take only what the traveller has booked."""
    if seat.flight in traveller.flights:
        return None
    return OutputRetry(f"{seat.flight} is not booked.")


ANN = Traveller(("AZ 1",))


async def test_validators_find_the_deps_of_the_run_as_their_context() -> None:
    """The repair is told what they say."""
    model = ScriptedChatModel(['{"number": "AZ 2"}', '{"number": "AZ 1"}'])
    async with Application(register=[model], plugins=False, deps=Traveller) as app:
        result = await app.execute("Which?", output=Flight, deps=ANN)

    assert result.output == Flight(number="AZ 1")
    assert "AZ 2 is not booked" in model.requests[1].messages[-1].text  # type: ignore[union-attr]


async def test_partial_outputs_are_validated_with_the_deps() -> None:
    """What is not valid is left out there, too."""
    model = ScriptedChatModel(['{"number": "AZ 1"}'])
    async with (
        Application(register=[model], plugins=False, deps=Traveller) as app,
        app.stream("Which?", output=Flight, deps=ANN) as run,
    ):
        found = [value async for value in run.partial_outputs()]

    assert found == [Flight(number="AZ 1")]


@pytest.mark.parametrize(("deps", "code"), [(ANN, None), (None, AgentErrorCode.INVALID_INPUT)])
async def test_a_check_gets_what_it_asks_for(
    deps: Traveller | None, code: AgentErrorCode | None
) -> None:
    """Without the deps the model is not asked at all."""
    model = ScriptedChatModel(['{"flight": "AZ 2"}', '{"flight": "AZ 1"}'])
    seats = Agent("seats", output=Seat, output_check=check_seat, tools=[])
    async with Application(register=[model, seats], plugins=False, deps=Traveller) as app:
        result = await app.agent(seats).execute("Which?", deps=deps)

    assert result.error_code is code
    assert result.output == (None if code else Seat(flight="AZ 1"))
    assert len(model.requests) == (0 if code else 2)


@tool(needs_approval=True)
async def book(flight: str) -> str:
    """Book a flight."""
    return f"{flight} is booked"


async def test_a_repair_that_needs_an_approval_resumes_after_it() -> None:
    """Every model call of the run is asked once, the answer that was refused among them."""
    call = [ToolCall("1", "book", '{"flight": "AZ 1"}')]
    model = ScriptedChatModel(['{"flight": "AZ 2"}', call, '{"flight": "AZ 1"}'])
    seats = Agent("seats", output=Seat, output_check=check_seat, tools=[book])
    async with Application(register=[model, seats], plugins=False, deps=Traveller) as app:
        result = await app.agent(seats).execute("Which?", deps=ANN)
        [request] = result.waiting
        await app.decide(result.run_id, request.key, Approve(), by="boss")
        async with app.attach(result.run_id) as run:
            ended = await run.result()

    assert ended.content == '{"flight": "AZ 1"}'
    model.assert_complete()
