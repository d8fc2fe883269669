# pyright: strict, reportUnnecessaryTypeIgnoreComment=true
"""What type checkers see of an application, its results and its events."""

from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, assert_never, assert_type

from arc_autoconfig import (
    Application,
    ArcContainer,
    ArcSettings,
    BlockingApplication,
    ConditionReport,
)
from arc_core import (
    AgentCommand,
    AgentErrorCode,
    AgentEvent,
    AgentHandedOff,
    AgentResult,
    AgentStarted,
    AnswerRequested,
    ApprovalRequested,
    Approve,
    ContextCompacted,
    Deny,
    LoginRequested,
    ReasoningDelta,
    Request,
    ResponseFormat,
    RunFinished,
    TextDelta,
    TokenUsage,
    ToolCallFinished,
    ToolCallProgress,
    ToolCallStarted,
    TurnRestarted,
    Waiting,
)


async def run() -> None:
    """One application, in every way it can be asked."""
    async with Application(ArcSettings(), register=[]) as app:
        assert_type(app, Application)
        result = await app.execute("Hi")
        assert_type(result, AgentResult)
        assert_type(await app.execute(AgentCommand(user_prompt="Hi")), AgentResult)
        assert_type(app.execute_stream("Hi"), AsyncGenerator[str, None])
        async for text in app.execute_stream("Hi"):
            assert_type(text, str)
        async for event in app.stream_events("Hi"):
            assert_type(event, AgentEvent)
            show(event)

        assert_type(await app.execute("Hi", output=int, deps=object()), AgentResult[int])
        assert_type(app.execute_stream("Hi", deps=object()), AsyncGenerator[str, None])

        await app.execute(5)  # type: ignore[call-overload]
        await app.execute("Hi", "there")  # type: ignore[call-overload]


async def leave(app: Application) -> None:
    """Runs that are only submitted."""
    run_id = await app.submit("Hi", deps=object(), queue="slow", not_before=datetime.now(UTC))
    assert_type(run_id, str)
    assert_type(await app.agent("refunds").submit("Hi"), str)
    assert_type(await app.result(run_id), AgentResult[Any] | Waiting)
    assert_type(await app.waiting(user_id="ann"), Sequence[Request])
    await app.decide(run_id, "approve/0", Approve(arguments={"amount": 3}), by="boss")
    await app.decide(run_id, "approve/0", Deny("too much"), by="boss")
    async with app.attach(run_id, after=3) as stream:
        assert_type(await stream.result(), AgentResult[Any])

    await app.decide(run_id, "approve/0", Approve())  # type: ignore[call-arg]
    await app.decide(run_id, "approve/0", True, by="boss")  # type: ignore[arg-type]
    await app.submit("Hi", user_id="ann")  # type: ignore[call-arg]


def wait(app: Application) -> None:
    """The same without `await`."""
    with app.blocking() as blocking:
        assert_type(blocking, BlockingApplication)
        assert_type(blocking.execute("Hi"), AgentResult)
        assert_type(blocking.execute("Hi", output=int), AgentResult[int])
        assert_type(blocking.execute_stream("Hi"), Iterator[str])
        with blocking.stream("Hi", output=int) as stream:
            assert_type(stream.partial_outputs(), Iterator[int])
            assert_type(stream.result(), AgentResult[int])

        run_id = blocking.submit("Hi")
        assert_type(run_id, str)
        assert_type(blocking.result(run_id), AgentResult[Any] | Waiting)
        assert_type(blocking.waiting(), Sequence[Request])
        blocking.decide(run_id, "approve/0", Approve(), by="boss")
        with blocking.attach(run_id) as attached:
            assert_type(attached.result(), AgentResult[Any])

        blocking.execute("Hi", user="ann")  # type: ignore[call-overload]


def show(event: AgentEvent) -> str:
    """Every event has a branch: a new kind of event is an error here."""
    assert_type(event.run_id, str)
    assert_type(event.seq, int)
    match event:
        case AgentStarted() | AgentHandedOff():
            return event.agent
        case TextDelta() | ReasoningDelta():
            return event.text
        case ToolCallProgress():
            assert_type(event.fraction, float | None)
            return event.message
        case (
            ContextCompacted()
            | ToolCallStarted()
            | ToolCallFinished()
            | TurnRestarted()
            | ApprovalRequested()
            | AnswerRequested()
            | LoginRequested()
        ):
            return event.run_id
        case RunFinished():
            return event.result.run_id
        case _:
            assert_never(event)


def read(result: AgentResult) -> None:
    """The fields of a result; it cannot be changed."""
    assert_type(result.success, bool)
    assert_type(result.content, str | None)
    assert_type(result.error_code, AgentErrorCode | None)
    assert_type(result.tools_used, tuple[str, ...])
    assert_type(result.token_usage, TokenUsage | None)
    assert_type(result.duration_ms, float)
    assert_type(result.metadata, Mapping[str, Any])

    result.content.upper()  # type: ignore[union-attr]
    result.content = ""  # type: ignore[misc]


def look(app: Application) -> None:
    """Container and report are typed."""
    assert_type(app.container, ArcContainer)
    assert_type(app.report, ConditionReport)
    assert_type(app.run("Hi"), AgentResult)


AgentCommand(user_prompt="Hi", response_format=ResponseFormat.JSON)
AgentCommand(user_prompt="Hi", response_format="json")  # type: ignore[arg-type]
AgentCommand(prompt="Hi")  # type: ignore[call-arg]
Application(components=[])  # type: ignore[call-arg]
