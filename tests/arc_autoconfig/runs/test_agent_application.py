"""Runs that an application is handed and asked about later, in memory."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pydantic import BaseModel

from arc_autoconfig import Application, ArcSettings
from arc_autoconfig.errors import ApplicationStateError
from arc_core import (
    Agent,
    AgentErrorCode,
    AgentResult,
    ApprovalRequested,
    Approve,
    DecisionError,
    Deny,
    Request,
    RunConflictError,
    RunFinished,
    RunState,
    ToolCall,
    UnknownRunError,
    Waiting,
    tool,
)
from arc_core.testing import ScriptedChatModel

PAY = ToolCall("1", "pay", '{"amount": 30, "password": "hunter2"}')


@tool(needs_approval=True)
async def pay(amount: int, password: str = "") -> str:
    """Pay."""
    return f"paid {amount} with {password}"


class Refund(BaseModel):
    amount: int


def application(*turns: Any, **settings: Any) -> Application:
    """One that has to ask before it pays."""
    script = ScriptedChatModel(turns or [[PAY], "All done."])
    register = [script, pay, Agent("clerk", instructions="Be kind.")]
    return Application(ArcSettings(_isolated=True, **settings), register=register, plugins=False)


async def end_of(app: Application, run_id: str, *, after: int = 0) -> AgentResult[Any]:
    """The result of a run, or what it waits for."""
    async with app.attach(run_id, after=after) as run:
        return await run.result()


async def asked(app: Application) -> Request:
    """Submit a run, and read it to where it waits."""
    result = await end_of(app, await app.submit("Pay."))
    [request] = result.waiting
    return request


async def test_a_submitted_run_is_read_by_its_id() -> None:
    """Its text and its events, while it goes on or afterwards."""
    async with application("Hello.") as app:
        run_id = await app.submit("Hi")
        async with app.attach(run_id) as run:
            text = "".join([piece async for piece in run.text()])
        again = await end_of(app, run_id)
        result = await app.result(run_id)

    assert text == "Hello."
    assert isinstance(result, AgentResult)
    assert again.content == result.content == "Hello."


async def test_an_agent_is_submitted_to() -> None:
    """The handle names it."""
    async with application("Hello.") as app:
        result = await end_of(app, await app.agent("clerk").submit("Hi"))

    assert result.agent == "clerk"


async def test_the_same_id_twice_is_one_run() -> None:
    """With another command it is a conflict."""
    async with application("Hello.") as app:
        assert await app.submit("Hi", run_id="r") == await app.submit("Hi", run_id="r") == "r"
        with pytest.raises(RunConflictError):
            await app.submit("Bye", run_id="r")
        await end_of(app, "r")


async def test_a_run_that_waits_ends_its_reading() -> None:
    """`RunFinished` tells what for; secrets are masked."""
    async with application() as app:
        run_id = await app.submit("Pay.")
        async with app.attach(run_id) as run:
            events = [event async for event in run.events()]
            result = await run.result()
        found = await app.result(run_id)

    assert isinstance(events[-1], RunFinished)
    assert any(isinstance(event, ApprovalRequested) for event in events)
    assert (result.success, result.error_code) == (False, None)
    assert result.waiting[0].arguments == {"amount": 30, "password": "***"}
    assert found == Waiting(run_id=run_id, state=RunState.WAITING, requests=result.waiting)


async def test_a_waiting_result_has_what_the_run_has_so_far() -> None:
    """Agent, usage, time and messages, as `execute` gives them, also if it was submitted."""
    async with application([PAY], [PAY]) as app:
        executed = await app.execute("Pay 30.")
        request = await asked(app)
        async with app.attach(request.run_id) as run:
            read = await run.result()
        found = await app.result(executed.run_id)

    assert isinstance(found, Waiting)
    for each in (read, found.so_far):
        assert (each.token_usage, each.agent) == (executed.token_usage, executed.agent)
        assert len(each.messages) == len(executed.messages) > 0
        assert each.duration_ms > 0
    assert read.waiting == (request,)


@pytest.mark.parametrize("run_id", ["", " ", "a\x00b", "\ud800", "a\x1b[31m", "x" * 201])
async def test_what_cannot_be_an_id_is_refused(run_id: str) -> None:
    """Before any journal is asked, which might not be able to keep it."""
    async with application() as app:
        with pytest.raises(ValueError, match="1 to 200 printable characters"):
            await app.submit("Pay.", run_id=run_id)
        with pytest.raises(UnknownRunError):
            await app.result(run_id)
        with pytest.raises(UnknownRunError):
            await app.cancel(run_id)
        with pytest.raises(UnknownRunError):
            await end_of(app, run_id)
        with pytest.raises(UnknownRunError):
            await app.decide(run_id, "approve/0", Approve(), by="boss")


async def test_a_decision_of_odd_texts_is_refused() -> None:
    """A key that no call has was not asked for; who decides is printable."""
    async with application() as app:
        request = await asked(app)
        for key in ("", "a\x00b", "\ud800", "x" * 10_000):
            with pytest.raises(DecisionError, match="not asked for"):
                await app.decide(request.run_id, key, Approve(), by="boss")
        for by in (" ", "a\x00b", "\ud800"):
            with pytest.raises(ValueError, match="write who has decided"):
                await app.decide(request.run_id, request.key, Approve(), by=by)

        assert await app.waiting() == [request]


async def test_an_approved_run_resumes_and_is_read_to_its_end() -> None:
    """From the last event that the reader has; nothing waits any more."""
    async with application() as app:
        request = await asked(app)
        async with app.attach(request.run_id) as run:
            seqs = [event.seq async for event in run.events()]
        await app.decide(request.run_id, request.key, Approve(), by="boss")
        async with app.attach(request.run_id, after=seqs[-1]) as run:
            later = [event.seq async for event in run.events()]
            result = await run.result()
        waiting = await app.waiting()

    assert result.content == "All done."
    assert later[0] > seqs[-1]
    assert "paid 30 with hunter2" in str(result.messages)
    assert waiting == []


async def test_an_executed_run_that_waits_is_decided_and_attached_to() -> None:
    """`execute` returns what waits; the rest is read by its id."""
    async with application() as app:
        result = await app.execute("Pay.", user_id="ann")
        [request] = await app.waiting(user_id="ann")
        of_others = await app.waiting(user_id="bob")
        await app.decide(result.run_id, request.key, Deny("too much"), by="boss")
        ended = await end_of(app, result.run_id)

    assert result.waiting == (request,)
    assert of_others == []
    assert "denied: too much" in str(ended.messages)


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"amount": "much"}, "amount"),
        ({"amount": 3, "password": "***"}, "password is masked"),
        ({"amount": object()}, "JSON"),
    ],
)
async def test_arguments_that_the_tool_does_not_take_are_refused(
    arguments: dict[str, object], problem: str
) -> None:
    """The one who decides is told what is wrong, and may decide again."""
    async with application() as app:
        request = await asked(app)
        with pytest.raises(DecisionError, match=problem) as refused:
            await app.decide(request.run_id, request.key, Approve(arguments), by="boss")
        await app.decide(request.run_id, request.key, Approve({"amount": 2}), by="boss")
        result = await end_of(app, request.run_id)

    assert "hunter2" not in str(refused.value)
    assert "paid 2" in str(result.messages)


async def test_the_first_decision_counts() -> None:
    """The second is told who was first."""
    async with application() as app:
        request = await asked(app)
        await app.decide(request.run_id, request.key, Approve(), by="boss")
        with pytest.raises(DecisionError, match="boss has approved it"):
            await app.decide(request.run_id, request.key, Deny(), by="chief")
        await end_of(app, request.run_id)


async def test_a_run_that_waits_is_cancelled() -> None:
    """It ends with `CANCELLED`."""
    async with application() as app:
        request = await asked(app)
        await app.cancel(request.run_id)
        result = await app.result(request.run_id)

    assert isinstance(result, AgentResult)
    assert result.error_code is AgentErrorCode.CANCELLED


async def test_a_structured_answer_is_what_json_carries() -> None:
    """As a journal in a database has it, which need not know the class."""
    asks = Agent("refunds", output=Refund)
    script = ScriptedChatModel(['{"amount": 3}'])
    settings = ArcSettings(_isolated=True)
    async with Application(settings, register=[script, asks], plugins=False) as app:
        run_id = await app.agent(asks).submit("Refund it.")
        attached = await end_of(app, run_id)
        result = await app.result(run_id)

    assert isinstance(result, AgentResult)
    assert attached.output == result.output == {"amount": 3}


async def test_what_is_not_there_is_an_error() -> None:
    """A run, a zone of the time, and one who has decided."""
    async with application() as app:
        with pytest.raises(UnknownRunError):
            await app.result("r")
        with pytest.raises(UnknownRunError):
            await end_of(app, "r")
        with pytest.raises(ValueError, match="time zone"):
            await app.submit("Hi", not_before=datetime.now(UTC).replace(tzinfo=None))
        with pytest.raises(ValueError, match="by is empty"):
            await app.decide("r", "approve/0", Approve(), by=" ")


async def test_a_run_may_begin_later() -> None:
    """Until then it is queued."""
    async with application("Hello.") as app:
        run_id = await app.submit("Hi", not_before=datetime.now(UTC) + timedelta(hours=1))
        found = await app.result(run_id)
        await app.cancel(run_id)

    assert isinstance(found, Waiting)
    assert found.state is RunState.QUEUED


async def test_only_a_started_application_keeps_runs() -> None:
    """The error says how to start it."""
    app = application()

    with pytest.raises(ApplicationStateError, match="async with app"):
        await app.submit("Hi")
    with pytest.raises(ApplicationStateError, match="not started"):
        app.attach("r")


def test_all_of_it_works_without_await() -> None:
    """As the rest of an application does."""
    with application().blocking() as blocking:
        run_id = blocking.submit("Pay.", run_id="r")
        with blocking.attach(run_id) as run:
            [request] = run.result().waiting
        assert blocking.waiting() == [request]
        blocking.decide(run_id, request.key, Deny(), by="boss")
        with blocking.attach(run_id) as run:
            ended = run.result()
        blocking.cancel(run_id)
        result = blocking.result(run_id)

    assert ended == result
