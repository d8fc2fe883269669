"""Runs that are read while they go on, through a whole application."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from arc_autoconfig import Application, ArcSettings, RunOptions, RunStream
from arc_autoconfig.errors import ApplicationStateError
from arc_core import (
    AgentCommand,
    AgentErrorCode,
    AgentEvent,
    AgentExecutor,
    AgentResult,
    AssistantMessage,
    ChatDelta,
    ChatModel,
    ChatRequest,
    ChatResponse,
    ResponseFormat,
    RunFailedError,
    RunFinished,
    TextDelta,
    ToolCall,
    ToolCallStarted,
    tool,
)
from arc_core.runs.run import Run
from arc_core.testing import RecordingHook, ScriptedChatModel

CALL = ToolCall("1", "look", "{}")


class Invoice(BaseModel):
    customer: str
    total: int = 0


@tool
async def look() -> str:
    """Looks."""
    return "seen"


class Endless(ChatModel):
    """Never stops speaking."""

    async def complete(self, request: ChatRequest) -> ChatResponse:
        return ChatResponse(AssistantMessage("word"))

    async def stream(self, request: ChatRequest) -> AsyncIterator[ChatDelta]:
        while True:
            yield ChatDelta(text="word ")


class Broken(AgentExecutor):
    """An engine of another package, with a bug and without documents in streams."""

    async def execute(self, command: AgentCommand, *, deps: Any = None) -> AgentResult:
        raise RuntimeError("bug")

    async def execute_stream(
        self, command: AgentCommand, *, deps: Any = None
    ) -> AsyncGenerator[str]:
        yield "never read"

    async def stream_events(
        self, command: AgentCommand, *, deps: Any = None
    ) -> AsyncGenerator[AgentEvent]:
        yield TextDelta("Hi")
        raise RuntimeError("bug")


def application(*turns: Any, model: ChatModel | None = None, hooks: Any = ()) -> Application:
    """An application with this script."""
    settings = ArcSettings(_isolated=True)
    components = [model or ScriptedChatModel(turns), look, *hooks]
    return Application(settings, register=components, plugins=False)


async def collect(reading: AsyncIterator[Any]) -> list[Any]:
    """Everything a reading gives."""
    return [each async for each in reading]


async def test_a_run_is_read_as_text_and_to_its_result() -> None:
    """The smallest program that streams."""
    async with application("How are you?") as app, app.stream("Hi") as run:
        texts = await collect(run.text())
        result = await run.result()

    assert "".join(texts) == "How are you?" == result.unwrap()
    assert len(texts) > 1


async def test_events_are_those_of_the_engine() -> None:
    """With tool calls, and the result last."""
    async with application([CALL], "Seen.") as app, app.stream("Hi") as run:
        events = await collect(run.events())
        result = await run.result()

    assert ToolCallStarted(CALL) in events
    assert events[-1] == RunFinished(result)


async def test_values_of_the_output_type_grow() -> None:
    """The last one is the validated output."""
    answer = '{"customer": "Ann and Bob", "total": 3}'
    async with application(answer) as app, app.stream("Hi", output=Invoice) as run:
        values = await collect(run.partial_outputs())
        result = await run.result()

    assert values[0] == Invoice(customer="Ann ")
    assert values[-1] == result.output == Invoice(customer="Ann and Bob", total=3)


async def test_all_readings_can_be_made_at_once() -> None:
    """Each gets everything."""
    async with (
        application('{"customer": "Ann"}') as app,
        app.stream("Hi", output=Invoice) as run,
        asyncio.TaskGroup() as group,
    ):
        texts = group.create_task(collect(run.text()))
        events = group.create_task(collect(run.events()))
        values = group.create_task(collect(run.partial_outputs()))

    written = [event.text for event in events.result() if isinstance(event, TextDelta)]
    assert texts.result() == written
    assert values.result()[-1] == Invoice(customer="Ann")


async def test_readings_can_be_made_one_after_the_other() -> None:
    """A short run is kept for who comes later."""
    async with application("How are you?") as app, app.stream("Hi") as run:
        texts = await collect(run.text())
        events = await collect(run.events())

    assert [event.text for event in events if isinstance(event, TextDelta)] == texts


@pytest.mark.parametrize("name", ["text", "events", "partial_outputs"])
async def test_a_second_reading_is_an_error_that_says_so(name: str) -> None:
    """Before anything is read."""
    async with application("{}") as app, app.stream("Hi", output=Invoice) as run:
        getattr(run, name)()
        with pytest.raises(ApplicationStateError, match=rf"{name}\(\) of this run is read already"):
            getattr(run, name)()


async def test_a_reading_that_begins_too_late_is_an_error() -> None:
    """A long run is not kept for who may come."""
    async with application("word " * 1000) as app, app.stream("Hi") as run:
        await collect(run.text())
        with pytest.raises(ApplicationStateError, match=r"events\(\) .* begun too late"):
            await collect(run.events())


async def test_a_failure_is_in_the_result_alone() -> None:
    """The readings end; what was said before is in the result."""
    async with application("no JSON", "nor this") as app, app.stream("Hi", output=Invoice) as run:
        texts = await collect(run.text())
        values = await collect(run.partial_outputs())
        result = await run.result()

    assert ("".join(texts), values) == ("no JSON", [])
    assert (result.error_code, result.partial_content) == (
        AgentErrorCode.INVALID_RESPONSE,
        "no JSON",
    )
    with pytest.raises(RunFailedError):
        result.unwrap()


async def test_a_partial_that_never_becomes_valid_ends_as_a_failure() -> None:
    """Values were there on the way, the answer as a whole is not one."""
    broken = '{"customer": "Ann", "total": "none"}'
    async with application(broken, broken) as app, app.stream("Hi", output=Invoice) as run:
        values = await collect(run.partial_outputs())
        result = await run.result()

    assert values
    assert not result.success


async def test_a_result_needs_no_reading_and_outlives_the_stream() -> None:
    """A run longer than what is kept goes on to its end without readers."""
    async with application("word " * 1000) as app:
        async with app.stream("Hi") as run:
            first = await run.result()
        second = await run.result()

    assert first.success
    assert second is first


async def test_a_reader_that_has_stopped_does_not_hold_up_the_result() -> None:
    """Not even one that is still there and may go on."""
    async with application("word " * 1000) as app, app.stream("Hi") as run:
        texts = run.text()
        await anext(texts)
        result = await run.result()
        rest = await collect(texts)

    assert result.success
    assert len(rest) == 999


async def test_leaving_early_cancels_the_run_and_waits() -> None:
    """The hooks have been told of the cancellation by then."""
    hook = RecordingHook()
    async with application(model=Endless(), hooks=[hook]) as app:
        async with app.stream("Hi") as run:
            async for _ in run.text():
                break
        told = hook.response

    assert told.error_code is AgentErrorCode.CANCELLED
    with pytest.raises(ApplicationStateError, match="left before its end"):
        await run.result()


async def test_a_cancelled_caller_leaves_after_the_end_of_the_run() -> None:
    """The cancellation is not lost, and the run is not left alone."""
    hook = RecordingHook()
    began = asyncio.Event()

    async def ask(app: Application) -> None:
        async with app.stream("Hi") as run:
            async for _ in run.text():
                began.set()

    async with application(model=Endless(), hooks=[hook]) as app:
        asking = asyncio.create_task(ask(app))
        await began.wait()
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking

        assert hook.response.error_code is AgentErrorCode.CANCELLED


async def test_a_timeout_of_one_reader_is_its_own() -> None:
    """The run goes on, and the result comes."""
    async with application([CALL], "Seen.") as app, app.stream("Hi") as run:
        reading = asyncio.create_task(collect(run.events()))
        await asyncio.sleep(0)
        reading.cancel()

        assert (await run.result()).content == "Seen."


async def test_a_stream_is_used_inside_its_block() -> None:
    """Before it, nothing runs; a second time, it is another run's turn."""
    async with application("Hi") as app:
        run = app.stream("Hi")
        with pytest.raises(ApplicationStateError, match="not started"):
            run.text()
        async with run:
            await run.result()
        with pytest.raises(ApplicationStateError, match="started already"):
            await run.__aenter__()


async def test_partial_outputs_need_a_type() -> None:
    """A text and a JSON Schema have none."""
    async with application("Hi") as app:
        schema: RunOptions = {"response_format": ResponseFormat.JSON, "response_schema": {}}
        for options in (RunOptions(), schema):
            async with app.stream("Hi", **options) as run:
                with pytest.raises(ApplicationStateError, match="needs an output type"):
                    run.partial_outputs()


async def test_a_type_without_a_schema_is_refused_before_the_run() -> None:
    """By `execute` and by `stream`, and the error names it."""
    async with application() as app:
        with pytest.raises(ValidationError, match="Application has no JSON Schema"):
            await app.execute("Hi", output=Application)
        with pytest.raises(ValidationError, match="Application has no JSON Schema"):
            app.stream("Hi", output=Application)


async def test_an_engine_with_a_bug_is_an_exception_of_every_reading() -> None:
    """It is not a failed run: there is no result at all."""
    app = application("unused")
    app.container.agent_executor.override(Broken())

    async with app, app.stream("Hi") as run:
        texts = run.text()
        assert await anext(texts) == "Hi"
        with pytest.raises(RuntimeError, match="bug"):
            await anext(texts)
        with pytest.raises(RuntimeError, match="bug"):
            await run.result()


def test_a_stream_made_without_a_loop_is_checked_where_it_is_read() -> None:
    """A stream of an application that is not started is refused at once."""
    with pytest.raises(ApplicationStateError, match="not started"):
        application("Hi").stream("Hi")


async def test_execute_takes_type_and_options() -> None:
    """The value is typed, and the session is that of the keyword."""
    model = ScriptedChatModel(['{"customer": "Ann"}', '{"customer": "Bob"}'])
    async with application(model=model) as app:
        result = await app.execute("Hi", output=Invoice, session_id="s", user_id="ann")
        await app.execute(AgentCommand(user_prompt="And?", user_id="ann"), session_id="s")

    assert result.output == Invoice(customer="Ann")
    assert len(model.requests[1].messages) == 3


def test_run_takes_type_and_options() -> None:
    """In a script without an event loop, too."""
    result = application('{"answer": [1]}').run("Hi", output=list[int], user_id="ann")

    assert result.unwrap() == [1]


def test_a_run_stream_is_exported() -> None:
    """For annotations of programs."""
    assert RunStream is Run
