"""One agent of an application, asked in every way."""

from collections.abc import AsyncIterator

import pytest
from pydantic import BaseModel

from arc_autoconfig import Application, ArcSettings
from arc_core import Agent, AgentCommand, ChatModel, RunFinished
from arc_core.testing import ScriptedChatModel

GREETER = Agent("greeter", instructions="Greet.")


class Refund(BaseModel):
    amount: int


REFUNDS = Agent("refunds", output=Refund)


def application(model: ChatModel) -> Application:
    """With two agents."""
    return Application(ArcSettings(_isolated=True), register=[GREETER, REFUNDS, model])


async def texts(stream: AsyncIterator[str]) -> str:
    """All of it."""
    return "".join([text async for text in stream])


@pytest.mark.parametrize("asked", ["greeter", GREETER])
async def test_an_agent_is_asked_by_its_name_or_itself(asked: Agent | str) -> None:
    """The result says who answered."""
    model = ScriptedChatModel(["Hello."])

    async with application(model) as app:
        result = await app.agent(asked).execute("Hi", user_id="ann")

    assert (result.agent, result.content) == ("greeter", "Hello.")
    assert model.requests[0].system_prompt == "Greet."


async def test_the_output_is_of_the_type_of_the_agent() -> None:
    """Unless the caller wants another one."""
    async with application(ScriptedChatModel(['{"amount": 3}', '{"answer": 4}'])) as app:
        assert (await app.agent(REFUNDS).execute("Hi")).output == Refund(amount=3)
        assert (await app.agent(REFUNDS).execute("Hi", output=int)).output == 4


async def test_a_stream_of_an_agent_has_its_partial_outputs() -> None:
    """They grow to the one of the result."""
    async with (
        application(ScriptedChatModel(['{"amount": 35}'])) as app,
        app.agent(REFUNDS).stream("Hi") as run,
    ):
        partial = [each async for each in run.partial_outputs()]
        result = await run.result()

    assert partial[-1] == result.output == Refund(amount=35)


async def test_a_command_that_names_the_agent_is_streamed_as_its_handle_does() -> None:
    """With the output type of the agent."""
    command = AgentCommand(user_prompt="Hi", agent="refunds")
    async with (
        application(ScriptedChatModel(['{"amount": 35}'])) as app,
        app.stream(command) as run,
    ):
        partial = [each async for each in run.partial_outputs()]

    assert partial[-1] == Refund(amount=35)


async def test_texts_and_events_are_those_of_the_agent() -> None:
    """Whichever agent the command named."""
    model = ScriptedChatModel(["Hello.", "Hello."])
    command = AgentCommand(user_prompt="Hi", agent="refunds")

    async with application(model) as app:
        handle = app.agent("greeter")
        text = await texts(handle.execute_stream("Hi"))
        events = [event async for event in handle.stream_events(command)]

    assert text == "Hello."
    assert isinstance(events[-1], RunFinished)
    assert events[-1].result.agent == "greeter"


def test_a_script_runs_an_agent_without_a_loop() -> None:
    """Start, execute, close."""
    app = application(ScriptedChatModel(["Hello."]))

    assert app.agent(GREETER).run("Hi").agent == "greeter"
