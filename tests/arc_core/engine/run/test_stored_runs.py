"""Runs that a journal keeps, as the caller that waits for them sees them."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

import pytest
from pydantic import BaseModel

from arc_core import (
    AgentCommand,
    AgentErrorCode,
    AgentResult,
    AssistantMessage,
    Capability,
    NumberedEvent,
    ResponseFormat,
    RunFinished,
    RunSummary,
    TextDelta,
    UserMessage,
)
from arc_core.engine.run.executor import ReActAgentExecutor
from arc_core.forms import to_json
from arc_core.testing import ScriptedChatModel
from arc_core.testing.run_journals import DictRunJournals
from arc_core.testing.scripted_agent import scripted_agent

COMMAND = AgentCommand(user_prompt="Hello")


class KeepingJournals(DictRunJournals):
    """Runs what is submitted at once, and gives its events when it has ended.

    Attributes:
        fails_at: The method that raises, if any.
        cancelled: The runs that were cancelled.
        events_read: How many events its readers were given.
    """

    capabilities = frozenset({Capability.KEEPS})

    def __init__(self, fails_at: str = "") -> None:
        super().__init__()
        self.fails_at = fails_at
        self.cancelled: list[str] = []
        self.events_read = 0
        self.asked = asyncio.Event()

    async def submit(self, command: AgentCommand, *, run_id: str, **options: Any) -> None:
        self._fail_at("submit")
        if self.fails_at == "never answers":
            self.asked.set()
            await asyncio.Event().wait()
        to_json(command)
        await super().submit(command, run_id=run_id, **options)
        await self.take_up(run_id)

    async def find(self, run_id: str) -> RunSummary:
        self._fail_at("find")
        return await super().find(run_id)

    async def events(self, run_id: str, *, after: int = 0) -> AsyncGenerator[NumberedEvent]:
        async with aclosing(super().events(run_id, after=after)) as events:
            async for event in events:
                self.events_read += 1
                yield event
                self._fail_at("events")
        self._fail_at("events")

    async def cancel(self, run_id: str) -> None:
        self.cancelled.append(run_id)
        self._fail_at("cancel")

    def _fail_at(self, method: str) -> None:
        if self.fails_at == method:
            raise OSError("password=hunter2")


async def engine_of(journals: KeepingJournals, *turns: Any) -> ReActAgentExecutor:
    """A started engine."""
    engine = scripted_agent(ScriptedChatModel(turns), run_journals=journals)
    await engine.start()
    return engine


async def test_a_caller_gets_the_result_and_the_texts() -> None:
    """As from any other engine."""
    engine = await engine_of(KeepingJournals(), "Hi there.", "Hi there.")

    result = await engine.execute(COMMAND)
    texts = [text async for text in engine.execute_stream(COMMAND)]

    assert (result.content, "".join(texts)) == ("Hi there.", "Hi there.")


async def test_a_caller_that_awaits_the_result_reads_no_events() -> None:
    """Each of them would cost a look into the database."""
    journals = KeepingJournals()
    engine = await engine_of(journals, "Hi there.")

    result = await engine.execute(COMMAND)

    assert (result.content, journals.events_read) == ("Hi there.", 0)


async def test_a_kept_result_has_its_messages() -> None:
    """Whatever the journal keeps of them twice is its own affair."""
    journals = KeepingJournals()
    engine = await engine_of(journals, "Hi there.")

    result = await engine.execute(COMMAND)
    kept = (await journals.find(result.run_id)).outcome

    assert isinstance(kept, AgentResult)
    assert kept.messages == result.messages == (UserMessage("Hello"), AssistantMessage("Hi there."))


class Greeting(BaseModel):
    """What the model is to say."""

    text: str


async def test_a_structured_answer_has_its_type() -> None:
    """The journal keeps its JSON only."""
    engine = await engine_of(KeepingJournals(), '{"text": "Hi"}')
    command = AgentCommand(
        user_prompt="Hello", response_format=ResponseFormat.JSON, response_schema=Greeting
    )

    assert (await engine.execute(command)).output == Greeting(text="Hi")


@pytest.mark.parametrize("method", ["submit", "events", "find"])
async def test_a_journal_that_fails_is_a_result(method: str) -> None:
    """What it raised stays in the log, and a run that has begun is not cancelled."""
    journals = KeepingJournals(fails_at=method)
    engine = await engine_of(journals, "Hi there.")

    result = await engine.execute(COMMAND)

    assert result.error_code is AgentErrorCode.UNAVAILABLE
    assert "hunter2" not in str(result)
    assert journals.cancelled == []


async def test_metadata_that_has_no_json_is_invalid_input() -> None:
    """The message names the key."""
    engine = await engine_of(KeepingJournals(), "Hi there.")

    result = await engine.execute(COMMAND.model_copy(update={"metadata": {"lock": object()}}))

    assert result.error_code is AgentErrorCode.INVALID_INPUT
    assert "lock" in str(result.error_message)


async def test_a_cancel_in_the_middle_of_submitting_cancels_the_run() -> None:
    """It may be kept already, and has no reader."""
    journals = KeepingJournals(fails_at="never answers")
    task = asyncio.create_task((await engine_of(journals, "Hi there.")).execute(COMMAND))
    await journals.asked.wait()

    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert len(journals.cancelled) == 1


@pytest.mark.parametrize("fails_at", ["", "cancel"])
async def test_leaving_a_stream_cancels_its_run(fails_at: str) -> None:
    """It has no other reader; if that fails, the log has it, and the reader leaves in order."""
    journals = KeepingJournals(fails_at)
    engine = await engine_of(journals, "Hi there.")

    async with aclosing(engine.stream_events(COMMAND)) as events:
        first = await anext(events)

    assert isinstance(first, TextDelta)
    assert journals.cancelled == [first.run_id]


async def test_the_end_stands_where_its_event_does() -> None:
    """`RunFinished` has the place among the events that the journal gave it."""
    engine = await engine_of(KeepingJournals(), "Hi")

    events = [event async for event in engine.stream_events(COMMAND)]

    assert isinstance(events[-1], RunFinished)
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
