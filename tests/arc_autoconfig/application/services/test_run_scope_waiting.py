"""Components of a run that waits for a person: closed as what it is, neither good nor failed."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from arc_core import Approve, RunSuspendedError, ToolCall, ToolContext, decorates, service, tool
from arc_core.testing import RecordingMetrics, ScriptedChatModel
from tests.arc_autoconfig.run_scopes import Session, Sessions, application

CALLS: list[Any] = [[ToolCall("1", "book", "{}"), ToolCall("2", "pay", "{}")], "Done."]


@tool
async def book(context: ToolContext) -> str:
    """Use the session."""
    await context.get(Session)
    return "booked"


@tool(needs_approval=True)
async def pay(context: ToolContext) -> str:
    """Use the session."""
    await context.get(Session)
    return "paid"


@pytest.mark.parametrize("way", ["execute", "stream"])
async def test_waiting_for_approval_is_raised_at_the_yield(way: str) -> None:
    """As an outcome of its own, with what people have to decide."""
    sessions = Sessions()

    async with application(sessions.factory(), book, pay, ScriptedChatModel(CALLS)) as app:
        if way == "execute":
            result = await app.execute("Go.")
        else:
            async with app.stream("Go.") as run:
                result = await run.result()

    opened, error = sessions.log
    assert opened == "open"
    assert isinstance(error, RunSuspendedError)
    assert error.run_id == result.run_id
    assert error.waiting == result.waiting
    assert sessions.open == 0


async def test_a_run_that_is_resumed_after_approval_has_new_components() -> None:
    """They see how the run ended, as those of every run."""
    sessions = Sessions()

    async with application(sessions.factory(), book, pay, ScriptedChatModel(CALLS)) as app:
        waiting = (await app.execute("Go.")).waiting[0]
        await app.decide(waiting.run_id, waiting.key, Approve(), by="ann")
        async with app.attach(waiting.run_id) as run:
            result = await run.result()

    assert result.success
    assert sessions.log[2:] == ["open", "committed"]


async def test_a_component_keeps_its_work_of_a_suspended_run_if_it_says_so() -> None:
    """By the outcome, before it goes on."""
    kept: list[str] = []

    @service(scope="run")
    async def open_session() -> AsyncIterator[Session]:
        session = Session()
        try:
            yield session
        except RunSuspendedError:
            kept.append("committed")

    async with application(open_session, book, pay, ScriptedChatModel(CALLS)) as app:
        result = await app.execute("Go.")

    assert result.waiting
    assert kept == ["committed"]


async def test_a_wrapper_sees_that_a_run_is_suspended() -> None:
    """It is a component of the run, too."""
    sessions, seen = Sessions(), list[BaseException]()

    @decorates(Session)
    async def wrap(inner: Session) -> AsyncIterator[Session]:
        try:
            yield inner
        except BaseException as error:
            seen.append(error)
            raise

    async with application(sessions.factory(), wrap, book, pay, ScriptedChatModel(CALLS)) as app:
        await app.execute("Go.")

    assert [type(error) for error in seen] == [RunSuspendedError]


async def test_a_close_that_fails_at_a_suspension_is_counted() -> None:
    """As one at the end of a run; the run waits all the same."""
    metrics = RecordingMetrics()

    @service(scope="run")
    async def open_session() -> AsyncIterator[Session]:
        try:
            yield Session()
        finally:
            raise ValueError

    async with application(open_session, book, pay, metrics, ScriptedChatModel(CALLS)) as app:
        result = await app.execute("Go.")

    assert result.waiting
    assert [fault.value for fault in metrics.faults] == ["run_component"]
