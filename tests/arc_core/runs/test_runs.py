"""Runs of a served application."""

import asyncio
from dataclasses import dataclass

import pytest

from arc_autoconfig import Application, ArcSettings, provides
from arc_core import (
    Agent,
    AgentCommand,
    AgentErrorCode,
    AgentResult,
    Approve,
    DepsFactory,
    DepsRequest,
    Inject,
    NotPermittedError,
    ToolCall,
    UnknownRunError,
    run_deps,
    tool,
)
from arc_core.runs.callers import Caller
from arc_core.testing import ScriptedChatModel
from tests.arc_autoconfig.run_scopes import calling

CALLER = Caller(name="ann")


@tool(needs_approval=True)
async def pay() -> str:
    """Pay."""
    return "paid"


async def test_a_run_that_has_waited_does_not_end_with_its_reader() -> None:
    """A decision may come before the reader has left, and then the run goes on again."""
    model = ScriptedChatModel([[ToolCall("1", "pay", "{}")], "done"])
    command = AgentCommand(user_prompt="Pay.")

    async with Application(register=[model, pay], plugins=False) as app:
        runs = app.runs
        async with runs.for_caller(CALLER).begin(command) as run:
            (request,) = (await run.result()).waiting
            await runs.for_caller(CALLER).decide(run.id, request.key, Approve())
        async with runs.for_caller(CALLER).get(run.id) as again:
            result: AgentResult = await again.result()

    assert result.content == "done"


@run_deps
@dataclass(frozen=True)
class Customer:
    """What the program knows of who asks."""

    name: str
    tenant: str | None


@tool
async def greet(customer: Inject[Customer]) -> str:
    """Greet."""
    return f"hello {customer.name} of {customer.tenant}"


@provides(DepsFactory)
class Customers(DepsFactory):
    """Makes customers of callers, refuses one of them, and forgets another one."""

    async def make_deps(self, request: DepsRequest) -> Customer:
        user = str(request.command.user_id)
        if user == "mallory":
            raise NotPermittedError("customers", key=request.caller.name)
        if user == "nobody":
            await asyncio.Event().wait()
        return Customer(user, request.command.tenant_id)


BOUND = Caller(name="shop", tenant_id="acme")


def serving(model: ScriptedChatModel) -> Application:
    """An application that makes customers of callers."""
    known = ArcSettings(_isolated=True, concurrency={"component_timeout_s": 0.05})
    return Application(known, register=[model, Customer, greet, Customers], plugins=False)


@pytest.mark.parametrize("way", ["begin", "submit"])
async def test_a_served_run_is_handed_the_deps_that_are_made_of_its_caller(way: str) -> None:
    """With the tenant that the key is bound to, and the user that the request names."""
    command = AgentCommand(user_prompt="Hi.", user_id="ann")
    model = calling("greet")

    async with serving(model) as app:
        runs = app.runs
        if way == "begin":
            async with runs.for_caller(BOUND).begin(command, run_id="1") as run:
                await run.result()
        else:
            await runs.for_caller(BOUND).submit(command, run_id="1")
            async with runs.for_caller(BOUND).get("1") as run:
                await run.result()

    assert "hello ann of acme" in str(model.requests[1].messages)


@pytest.mark.parametrize(
    ("user", "error"), [("mallory", NotPermittedError), ("nobody", TimeoutError)]
)
async def test_no_run_begins_without_the_deps_of_its_caller(
    user: str, error: type[Exception]
) -> None:
    """Neither if they are refused, nor if making them takes too long."""
    command, model = AgentCommand(user_prompt="Hi.", user_id=user), calling("greet")

    async with serving(model) as app:
        runs = app.runs
        with pytest.raises(error):
            async with runs.for_caller(BOUND).begin(command, run_id="1"):
                pass
        with pytest.raises(UnknownRunError):
            await runs.for_caller(BOUND).find("1")

    assert model.requests == []


async def test_without_a_factory_a_served_run_that_needs_deps_is_told_so() -> None:
    """It ends before the model is asked, as a run of the program does."""
    known = ArcSettings(_isolated=True)
    model = calling("greet")

    async with Application(known, register=[model, Customer, greet], plugins=False) as app:
        runs = app.runs
        async with runs.for_caller(BOUND).begin(AgentCommand(user_prompt="Hi.")) as run:
            result = await run.result()

    assert result.error_code is AgentErrorCode.INVALID_INPUT
    assert "'greet' needs a Customer" in str(result.error_message)


async def test_the_runs_of_an_agent_are_asked_of_it() -> None:
    """Whichever agent the command names; a caller's right to it is checked as ever."""
    refunds = Agent("refunds", instructions="Be careful.")
    command = AgentCommand(user_prompt="Hi.", agent="default")
    other = Caller(name="shop", agents=frozenset({"default"}))

    async with Application(register=[ScriptedChatModel(["Yes."]), refunds], plugins=False) as app:
        runs = app.runs.for_agent("refunds")
        run_id = await runs.submit(command)
        found = await runs.find(run_id)
        with pytest.raises(NotPermittedError):
            await runs.for_caller(other).submit(command)
        async with runs.get(run_id) as run:
            await run.result()

    assert found.agent == "refunds"
