"""Validators and checks of answers that ask for what the run has."""

from dataclasses import dataclass

import pytest
from pydantic import BaseModel, ValidationInfo, field_validator

from arc_autoconfig import Application
from arc_core import Agent, AgentErrorCode, Approve, Inject, OutputRetry, ToolCall, tool
from arc_core.testing import ScriptedChatModel


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
