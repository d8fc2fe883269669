"""Runs that wait in a database while the application is deployed again, with less than before."""

from collections.abc import Sequence
from typing import Any

import pytest

pytest.importorskip("croniter", reason="needs the extra durable")

from arc_autoconfig import Application, ArcSettings
from arc_core import (
    Agent,
    AgentCommand,
    AgentErrorCode,
    AgentResult,
    Approve,
    DecisionError,
    RunState,
    RunSuspended,
    ToolCall,
    Waiting,
    tool,
)
from arc_core.testing import ScriptedChatModel
from arc_core.testing.conformance.run_journal.rules import (
    Attempt,
    NotingBody,
    command,
    end_of,
    taking_runs,
    until,
)
from tests.arc_plugins.journals.sql.databases import journals_at

pytestmark = pytest.mark.slow

MISSING = "the tool 'pay' is not there"


@tool(needs_approval=True)
async def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


@tool(name="pay", needs_approval=True)
async def pay_in(amount: int, currency: str) -> str:
    """Pay in a currency."""
    return f"paid {amount} {currency}"


def deployed(url: str, *parts: Any, agent: str = "clerk", **durable: Any) -> Application:
    """The application, with these tools, and an agent of this name."""
    settings = ArcSettings.model_validate({"durable": {"enabled": True, "url": url, **durable}})
    call = ToolCall("1", "pay", '{"amount": 3}')
    model = ScriptedChatModel([lambda asked: "Done." if len(asked.messages) > 1 else [call]] * 9)
    clerk = Agent(agent, instructions="Help.")
    return Application(settings, register=[model, clerk, *parts])


def said_in(caplog: pytest.LogCaptureFixture) -> str:
    """All that was logged, with its fields."""
    return str([vars(record) for record in caplog.records])


async def ask(url: str) -> str:
    """The id of a run that waits for a person."""
    async with deployed(url, pay) as app:
        result = await app.agent("clerk").execute("Pay.")
        assert result.waiting
        return result.run_id


@pytest.mark.parametrize(
    ("parts", "agent", "problem"),
    [
        ([], "clerk", MISSING),
        ([pay_in], "clerk", "does not take the arguments any more: currency: Field required"),
        ([pay], "desk", "its agent 'clerk' is not there"),
    ],
)
async def test_what_a_run_that_waits_lacks_is_named(
    sqlite_database: str,
    caplog: pytest.LogCaptureFixture,
    parts: Sequence[Any],
    agent: str,
    problem: str,
) -> None:
    """At the start and at the decision; the run still waits, and goes on once it is back."""
    run_id = await ask(sqlite_database)

    async with deployed(sqlite_database, *parts, agent=agent) as app:
        with pytest.raises(DecisionError) as refused:
            await app.decide(run_id, "approve/0", Approve(), by="carol")
        found = await app.result(run_id)
    async with deployed(sqlite_database, pay) as app:
        await app.decide(run_id, "approve/0", Approve(), by="carol")
        async with app.attach(run_id) as run:
            result = await run.result()

    assert problem in refused.value.problem
    assert "deploy it again, or cancel the run" in refused.value.problem
    assert problem in said_in(caplog)
    assert isinstance(found, Waiting)
    assert found.state is RunState.WAITING
    assert "paid 3" in str(result.messages)


async def test_a_run_that_was_decided_before_the_deploy_is_held(sqlite_database: str) -> None:
    """Its readers are told so, it is listed, and it goes on once the tool is back."""
    run_id = await ask(sqlite_database)
    async with deployed(sqlite_database, pay, work=False) as app:
        await app.decide(run_id, "approve/0", Approve(), by="carol")

    async with deployed(sqlite_database) as app:
        await until(lambda: is_held(app, run_id))
        async with app.attach(run_id) as run:
            read = await run.result()
        journals = app.container.run_journals()
        [listed] = await journals.list(state=RunState.HELD)
    async with deployed(sqlite_database, pay) as app, app.attach(run_id) as run:
        result = await run.result()

    assert read.error_code is AgentErrorCode.UNAVAILABLE
    assert listed.problem == "a call of the tool 'pay' was approved, which is not there"
    assert "paid 3" in str(result.messages)


async def is_held(app: Application, run_id: str) -> bool:
    """Whether a run waits for a deploy."""
    found = await app.result(run_id)
    return isinstance(found, Waiting) and found.state is RunState.HELD


class Lacking:
    """A body that lacks something until it is deployed."""

    def __init__(self) -> None:
        self.is_deployed = False

    async def act(self, attempt: Attempt, _: AgentCommand) -> AgentResult:
        """Do a step, and hold the run."""
        if attempt.journal.is_cancelled:
            return await attempt.end_cancelled()
        await attempt.do("enter")
        if not self.is_deployed:
            raise RunSuspended(problem="its agent 'clerk' is not there")
        return await attempt.finish()


async def test_a_held_run_gets_a_retry_by_the_next_process(
    database: str, caplog: pytest.LogCaptureFixture
) -> None:
    """It has no end until then; why it is held is logged, and not told as a failure."""
    body = Lacking()
    async with taking_runs(journals_at(database), NotingBody(body.act)) as journals:
        await journals.submit(command(), run_id="r")
        await until(lambda: is_held_in(journals))
        found = (await journals.find("r")).outcome
        assert [event async for event in journals.events("r")] == []
    body.is_deployed = True
    async with taking_runs(journals_at(database), NotingBody(body.act)) as journals:
        result = await end_of(journals, "r")

    assert found == Waiting(
        run_id="r", state=RunState.HELD, problem="its agent 'clerk' is not there"
    )
    assert result.success
    assert "its agent 'clerk' is not there" in said_in(caplog)


async def test_a_held_run_can_be_cancelled(database: str) -> None:
    """It ends at once, in the process that cancels it."""
    async with taking_runs(journals_at(database), NotingBody(Lacking().act)) as journals:
        await journals.submit(command(), run_id="r")
        await until(lambda: is_held_in(journals))
        queued = await journals.list(state=RunState.QUEUED)
        await journals.cancel("r")
        result = await end_of(journals, "r")

    assert (queued, result.error_code) == ([], AgentErrorCode.CANCELLED)


async def is_held_in(journals: Any) -> bool:
    """Whether the run waits for a deploy."""
    found = (await journals.find("r")).outcome
    return isinstance(found, Waiting) and found.state is RunState.HELD
