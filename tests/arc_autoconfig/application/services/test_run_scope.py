"""Components that live as long as a run: made on first use, shared, closed on every way out."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

import pytest

from arc_core import (
    AgentCommand,
    AgentErrorCode,
    AgentResult,
    FaultSource,
    Hook,
    HookContext,
    RunContext,
    RunFailedError,
    ToolCall,
    ToolContext,
    service,
    tool,
)
from arc_core.interfaces.guards.guard import Allowed, Guard, GuardRequest, GuardResult
from arc_core.testing import RecordingMetrics, ScriptedChatModel
from tests.arc_autoconfig.run_scopes import SEEN, Session, Sessions, application, calling, one

HANGING: list[asyncio.Event] = []


@pytest.fixture(autouse=True)
def _nothing_hangs() -> None:
    HANGING.clear()


@tool
async def two(context: ToolContext) -> str:
    """Use the session."""
    SEEN.append(await context.get(Session))
    return "ok"


@tool
async def hang(context: ToolContext) -> str:
    """Use the session for ever."""
    SEEN.append(await context.get(Session))
    for event in HANGING:
        event.set()
    await asyncio.Event().wait()
    return "never"


async def is_hanging() -> None:
    """Wait for the tool `hang`."""
    HANGING.append(asyncio.Event())
    await HANGING[-1].wait()


class SessionHook(Hook):
    """Uses the session before the run and after it."""

    async def before_agent_start(self, context: HookContext) -> None:
        SEEN.append(await context.get(Session))

    async def after_agent_complete(self, context: HookContext, response: AgentResult) -> None:
        SEEN.append(await context.get(Session))


class SessionGuard(Guard):
    """Uses the session."""

    async def check(self, request: GuardRequest) -> GuardResult:
        SEEN.append(await request.get(Session))
        return Allowed()


CALLS: list[Any] = [[ToolCall("1", "one", "{}"), ToolCall("2", "two", "{}")], "Done."]


async def test_a_run_shares_one_component_and_the_next_run_has_another() -> None:
    """Guards, hooks and tools get the same, and so does a hook after the run."""
    sessions = Sessions()
    model = ScriptedChatModel([*CALLS, *CALLS])

    async with application(sessions.factory(), one, two, SessionHook, SessionGuard, model) as app:
        await app.execute("Go.")
        first = list(SEEN)
        SEEN.clear()
        await app.execute("Again.")

    assert len(first) == 5
    assert len({id(each) for each in first}) == 1
    assert first[0] not in SEEN
    assert sessions.log == ["open", "committed"] * 2


async def test_a_run_that_asks_for_nothing_makes_nothing() -> None:
    """Not even a task."""
    sessions = Sessions()

    async with application(sessions.factory(), ScriptedChatModel(["Hi."])) as app:
        tasks = asyncio.all_tasks()
        await app.execute("Hello")

        assert asyncio.all_tasks() == tasks
    assert sessions.log == []


@pytest.mark.parametrize("streamed", [False, True])
async def test_a_failure_is_raised_at_the_yield(*, streamed: bool) -> None:
    """As a `RunFailedError` with the result that the caller gets."""
    sessions = Sessions()
    model = calling("one", then=ValueError("broken"))

    async with application(sessions.factory(), one, model) as app:
        if streamed:
            [_ async for _ in app.execute_stream("Go.")]
        else:
            await app.execute("Go.")

    opened, error = sessions.log
    assert opened == "open"
    assert isinstance(error, RunFailedError)
    assert error.result.error_code is AgentErrorCode.UNKNOWN
    assert sessions.open == 0


async def test_a_timeout_is_a_failure_of_the_run() -> None:
    """Its code says so."""
    sessions = Sessions()
    limits = {"request_timeout_s": 0.05}

    async with application(sessions.factory(), hang, calling("hang"), concurrency=limits) as app:
        await app.execute("Go.")

    error = sessions.log[1]
    assert isinstance(error, RunFailedError)
    assert error.result.error_code is AgentErrorCode.TIMEOUT


async def test_a_cancellation_is_raised_at_the_yield() -> None:
    """And leaves the caller afterwards."""
    sessions = Sessions()

    async with application(sessions.factory(), hang, calling("hang")) as app:
        task = asyncio.create_task(app.execute("Go."))
        await is_hanging()
        task.cancel()
        await asyncio.wait([task])

    assert task.cancelled()
    assert isinstance(sessions.log[1], asyncio.CancelledError)
    assert sessions.open == 0


async def test_a_stream_left_early_cancels() -> None:
    """Closing the stream closes the components of its run."""
    sessions = Sessions()

    async with application(sessions.factory(), hang, calling("hang")) as app:
        async with aclosing(app.stream_events("Go.")) as stream:
            await anext(stream)
            await is_hanging()

        assert isinstance(sessions.log[1], asyncio.CancelledError)
    assert sessions.open == 0


@pytest.mark.slow
async def test_nothing_stays_open_of_a_thousand_abandoned_runs() -> None:
    """Cancelled at any step: no session, no task."""
    sessions = Sessions()
    model = ScriptedChatModel(["Done."] * 1000)

    async with application(sessions.factory(), SessionHook, model) as app:
        before = asyncio.all_tasks()
        for steps in range(1000):
            task = asyncio.create_task(app.execute("Go."))
            for _ in range(steps % 25):
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.wait([task])

        assert asyncio.all_tasks() == before
    assert sessions.open == 0
    assert sessions.log.count("open") > 100


async def test_parallel_tools_have_it_made_once() -> None:
    """Those that ask while it is being made wait for the same."""
    made: list[Session] = []
    started, go_on = asyncio.Event(), asyncio.Event()

    @service(scope="run")
    async def open_session() -> Session:
        started.set()
        await go_on.wait()
        made.append(Session())
        return made[-1]

    async with application(open_session, one, two, calling("one", "two")) as app:
        task = asyncio.create_task(app.execute("Go."))
        await started.wait()
        go_on.set()
        await task

    assert [made[0], made[0]] == SEEN


async def test_components_of_a_run_are_closed_in_reverse() -> None:
    """What was made with another is closed before it, in the task that opened it."""
    log: list[object] = []

    class Connection: ...

    @service(scope="run")
    async def connect(context: RunContext) -> AsyncIterator[Connection]:
        task = asyncio.current_task()
        yield Connection()
        log.append(("connection", context.user_id, asyncio.current_task() is task))

    @service(scope="run")
    async def open_session(_connection: Connection) -> AsyncIterator[Session]:
        yield Session()
        log.append("session")

    async with application(connect, open_session, one, calling("one")) as app:
        await app.execute(AgentCommand(user_prompt="Go.", user_id="ann"))

    assert log == ["session", ("connection", "ann", True)]


async def test_a_close_that_fails_is_told_and_counted(caplog: pytest.LogCaptureFixture) -> None:
    """The answer stays good; its metadata, the log and the metrics have it."""
    metrics = RecordingMetrics()

    @service(scope="run")
    async def open_session() -> AsyncIterator[Session]:
        yield Session()
        raise ValueError("constraint violated")

    async with application(open_session, one, metrics, calling("one")) as app:
        result = await app.execute("Go.")

    [name] = result.not_closed
    assert result.success
    assert "open_session" in name
    assert metrics.faults == [FaultSource.RUN_COMPONENT]
    assert [each for each in caplog.records if name in each.getMessage() and each.exc_info]


async def test_a_close_that_hangs_does_not_keep_the_others_open() -> None:
    """It is given `concurrency.finalize_timeout_s`."""
    sessions = Sessions()

    class Slow:
        def __init__(self, session: Session) -> None: ...

        async def aclose(self) -> None:
            await asyncio.Event().wait()

    class Asking(Hook):
        async def before_agent_start(self, context: HookContext) -> None:
            await context.get(Slow)

    slow, model = service(scope="run")(Slow), ScriptedChatModel(["Hi."])
    limits = {"finalize_timeout_s": 0.02}
    async with application(sessions.factory(), slow, Asking, model, concurrency=limits) as app:
        result = await app.execute("Go.")

    assert len(result.not_closed) == 1
    assert sessions.log == ["open", "committed"]


async def test_runs_end_before_what_they_work_with_is_closed() -> None:
    """When an application is left while a run goes on."""

    class Database:
        async def aclose(self) -> None:
            SEEN.append("database closed")

    @service(scope="run")
    async def open_session(database: Database) -> AsyncIterator[Session]:
        try:
            yield Session()
        finally:
            SEEN.append("session closed")

    async with application(service(Database), open_session, hang, calling("hang")) as app:
        task = asyncio.create_task(app.execute("Go."))
        await is_hanging()

    await asyncio.wait([task])
    assert SEEN[-2:] == ["session closed", "database closed"]
