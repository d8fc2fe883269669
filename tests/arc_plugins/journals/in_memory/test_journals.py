"""Runs in memory: what is special to runs that end with their process."""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable
from datetime import UTC, datetime, timedelta

import pytest

from arc_core import (
    AgentCommand,
    AgentResult,
    ApprovalRequest,
    Approve,
    Attachment,
    Capability,
    ConfigurationError,
    Decision,
    DecisionError,
    Message,
    Part,
    RunConflictError,
    RunFinished,
    RunJournal,
    RunState,
    RunSuspended,
    Text,
    TextDelta,
    ToolCallFinished,
    ToolOutcome,
    ToolResult,
    ToolResultMessage,
    UnknownRunError,
    UserMessage,
    Waiting,
)
from arc_core.log import get_logger
from arc_core.messages.attachments import attachments_in
from arc_core.runs.requests import find_requests
from arc_plugins.journals.in_memory.journals import InMemoryRunJournals

COMMAND = AgentCommand(user_prompt="pay")
NOW = datetime(2026, 1, 1, tzinfo=UTC)
DECISION = Decision(answer=Approve(), by="ann", at=NOW)


class UnusedForm:
    """Values stay what they are."""

    def write(self, value: object) -> str:
        raise AssertionError("nothing is written")

    def read(self, text: str) -> object:
        raise AssertionError("nothing is read")


class Clock:
    """Stands still until it is told otherwise."""

    now = NOW

    def __call__(self) -> datetime:
        return self.now


def asking(run_id: str, *, until: datetime | None = None) -> ApprovalRequest:
    """A request of a run."""
    return ApprovalRequest(run_id=run_id, key="approve/0", tool="pay", since=NOW, until=until)


class Engine:
    """Counts what it does: a model call, a call that a person decides, and a finish."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.until: datetime | None = None

    async def __call__(self, command: AgentCommand, journal: RunJournal) -> AgentResult:
        await self.do(journal, "model/1")
        await journal.decision("approve/0", asking(journal.run_id, until=self.until))
        await self.do(journal, "tool/0")
        return AgentResult(success=True, content=command.user_prompt, run_id=journal.run_id)

    async def do(self, journal: RunJournal, key: str) -> object:
        async def work() -> object:
            self.done.append(f"{key} in life {journal.attempt_id}")
            return object()

        return await journal.step(key, work, form=UnusedForm())


async def suspend(attempt: Awaitable[object]) -> RunSuspended:
    """How an attempt leaves."""
    with pytest.raises(RunSuspended) as raised:
        await attempt
    return raised.value


async def result_of(journals: InMemoryRunJournals, run_id: str) -> AgentResult:
    """The end of a run, once its events are over."""
    async for _ in journals.events(run_id):
        pass
    found = (await journals.find(run_id)).outcome
    assert isinstance(found, AgentResult)
    return found


@pytest.fixture
def engine() -> Engine:
    return Engine()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def journals(engine: Engine, clock: Clock) -> AsyncIterator[InMemoryRunJournals]:
    journals = InMemoryRunJournals(logger=get_logger("journals"), max_finished=2, clock=clock)
    await journals.start(engine)
    yield journals
    await journals.aclose()


async def test_a_run_in_place_that_does_not_ask_is_not_kept(journals: InMemoryRunJournals) -> None:
    """`execute` leaves nothing behind."""
    assert Capability.KEEPS not in journals.capabilities
    journal = journals.open(COMMAND, run_id="r", deps="deps")

    value = await Engine().do(journal, "model/1")

    assert await Engine().do(journal, "model/1") is value
    assert (journal.run_id, journal.deps, journal.last_seq) == ("r", "deps", 0)
    with pytest.raises(UnknownRunError):
        await journals.find("r")


async def test_a_run_in_place_resumes_once_it_is_approved(
    journals: InMemoryRunJournals, engine: Engine
) -> None:
    """What its caller has begun goes on in a task of the journals, from where it was."""
    suspended = await suspend(engine(COMMAND, journals.open(COMMAND, run_id="r")))
    waiting = (await journals.find("r")).outcome

    await journals.decide("r", "approve/0", DECISION)
    result = await result_of(journals, "r")

    assert waiting == Waiting(run_id="r", state=RunState.WAITING, requests=suspended.requests)
    assert result.content == "pay"
    assert engine.done == ["model/1 in life 1", "tool/0 in life 2"]


async def test_a_decided_run_resumes_after_the_steps_of_the_first_attempt(
    journals: InMemoryRunJournals, engine: Engine
) -> None:
    """A sibling of the waiting call ends and is recorded; it is not done twice at once."""
    journal, may_end = journals.open(COMMAND, run_id="r"), asyncio.Event()
    sibling = asyncio.create_task(journal.step("tool/1", may_end.wait, form=UnusedForm()))
    await asyncio.sleep(0)
    await suspend(engine(COMMAND, journal))

    await journals.decide("r", "approve/0", DECISION)
    before, done_before = (await journals.find("r")).outcome, list(engine.done)
    may_end.set()
    await sibling

    assert isinstance(before, Waiting)
    assert (before.state, done_before) == (RunState.RUNNING, ["model/1 in life 1"])
    assert (await result_of(journals, "r")).success


async def test_an_attempt_that_is_overtaken_does_nothing_more(
    journals: InMemoryRunJournals, engine: Engine
) -> None:
    """Its next step leaves before the work begins, and its events are not kept."""
    journal = journals.open(COMMAND, run_id="r")
    await suspend(engine(COMMAND, journal))
    await journals.decide("r", "approve/0", DECISION)

    suspended = await suspend(engine.do(journal, "tool/1"))
    await journal.publish(TextDelta("late", run_id="r", seq=9))

    assert (suspended.requests, journal.is_closing) == ((), True)
    assert [event.seq async for event in journals.events("r")] == [1]
    assert "tool/1 in life 1" not in engine.done


async def test_a_run_in_place_that_ends_after_asking_is_forgotten(
    journals: InMemoryRunJournals, engine: Engine
) -> None:
    """A deadline may end it while a sibling is at work."""
    journal = journals.open(COMMAND, run_id="r")
    await suspend(engine(COMMAND, journal))

    await engine.do(journal, "finish")

    assert list(await find_requests(journals)) == []
    with pytest.raises(UnknownRunError):
        await journals.decide("r", "approve/0", DECISION)


async def test_a_reader_of_a_run_in_place_gets_all_that_its_caller_has_not(
    journals: InMemoryRunJournals,
) -> None:
    """Events of the first attempt are its caller's; those of runs below have their own numbers."""
    told = [TextDelta("below", run_id="inner", seq=7), TextDelta("next", run_id="r", seq=4)]

    async def act(command: AgentCommand, journal: RunJournal) -> AgentResult:
        await journal.decision("approve/0", asking(journal.run_id))
        for event in told:
            await journal.publish(event)
        return AgentResult(success=True, content=command.user_prompt, run_id=journal.run_id)

    await journals.start(act)
    await suspend(act(COMMAND, journals.open(COMMAND, run_id="r")))
    await journals.decide("r", "approve/0", DECISION)
    events = [event async for event in journals.events("r", after=3)]

    assert [(event.run_id, event.seq) for event in events] == [("inner", 7), ("r", 4), ("r", 5)]


async def test_finished_runs_are_bounded(journals: InMemoryRunJournals, engine: Engine) -> None:
    """Of more than `max_finished` the oldest is forgotten."""
    for name in ("first", "second", "third"):
        await journals.submit(COMMAND, run_id=name)
        async for _ in journals.events(name):
            pass
        await journals.decide(name, "approve/0", DECISION)
        await result_of(journals, name)

    with pytest.raises(UnknownRunError):
        await journals.find("first")
    assert isinstance((await journals.find("second")).outcome, AgentResult)


async def test_of_a_finished_run_nothing_is_kept_that_its_steps_needed() -> None:
    """Its metadata are a plain dictionary, without the notes of which step has changed what."""

    async def answer(command: AgentCommand, journal: RunJournal) -> AgentResult:
        metadata = OrderedDict(seat="12A")
        return AgentResult(success=True, run_id=journal.run_id, metadata=metadata)

    journals = InMemoryRunJournals(logger=get_logger("journals"))
    await journals.start(answer)
    await journals.submit(COMMAND, run_id="r")

    result = await result_of(journals, "r")
    await journals.aclose()

    assert type(result.metadata) is dict
    assert result.metadata == {"seat": "12A"}


async def finish(journals: InMemoryRunJournals, run_id: str, *, attached: bytes = b"") -> None:
    """A run to whose messages and tool result something is attached, and its end."""
    file = (Attachment("image/png", attached),) if attached else ()
    command = AgentCommand(user_prompt=run_id, attachments=file)
    await journals.submit(command, run_id=run_id)
    await result_of(journals, run_id)


def bytes_in(*messages: Message) -> int:
    """How many bytes are attached."""
    files = [file for message in messages for file in attachments_in(message)]
    return sum(len(file.data or b"") for file in files)


async def with_attachments(command: AgentCommand, journal: RunJournal) -> AgentResult:
    """A run that says again what it was sent, and has a tool that does."""
    content: tuple[Part, ...] = (Text("see"), *command.attachments)
    told = ToolResult("1", "look", content, ToolOutcome.SUCCESS)
    await journal.publish(ToolCallFinished(told, 1.0, run_id=journal.run_id, seq=1))
    messages = (UserMessage(content), ToolResultMessage((told,)))
    return AgentResult(success=True, content="x" * 1_000, run_id=journal.run_id, messages=messages)


async def test_finished_runs_keep_a_bounded_number_of_bytes() -> None:
    """What was attached to the oldest goes first; their ends and events stay readable."""
    journals = InMemoryRunJournals(logger=get_logger("journals"), max_bytes=4_000_000)
    await journals.start(with_attachments)
    for number in range(25):
        await finish(journals, str(number), attached=bytes([number]) * 1_000_000)
    kept: list[int] = []
    for number in range(25):
        events = [event async for event in journals.events(str(number))]
        tool_result, end = events
        assert isinstance(tool_result, ToolCallFinished)
        assert isinstance(end, RunFinished)
        sizes = {
            bytes_in(ToolResultMessage((tool_result.result,))),
            bytes_in(end.result.messages[0]),
            bytes_in(end.result.messages[1]),
            bytes_in((await result_of(journals, str(number))).messages[0]),
        }
        kept += sizes
    await journals.aclose()

    assert kept == [0] * 22 + [1_000_000] * 3


async def test_finished_runs_that_are_too_large_are_forgotten() -> None:
    """The oldest first; the newest stays, however large it is."""

    async def say_much(command: AgentCommand, journal: RunJournal) -> AgentResult:
        text = command.user_prompt * int(command.user_prompt)
        return AgentResult(success=True, content=text, run_id=journal.run_id)

    journals = InMemoryRunJournals(logger=get_logger("journals"), max_bytes=1_000_000)
    await journals.start(say_much)
    for number in ("300000", "300001", "60000", "900000"):
        await finish(journals, number)
    newest = (await journals.find("900000")).outcome
    for run_id in ("300000", "300001", "60000"):
        with pytest.raises(UnknownRunError):
            await journals.find(run_id)
    await journals.aclose()

    assert isinstance(newest, AgentResult)


async def test_a_finished_run_knows_its_command_again() -> None:
    """Although it does not keep what was attached: another attachment is another command."""
    journals = InMemoryRunJournals(logger=get_logger("journals"))
    await journals.start(with_attachments)
    await finish(journals, "r", attached=b"one")

    await finish(journals, "r", attached=b"one")
    with pytest.raises(RunConflictError):
        await finish(journals, "r", attached=b"two")
    await journals.aclose()


async def test_closing_says_what_is_lost(
    journals: InMemoryRunJournals, engine: Engine, caplog: pytest.LogCaptureFixture
) -> None:
    """Runs that wait for people or for their time end with the process, and their readers."""
    await suspend(engine(COMMAND, journals.open(COMMAND, run_id="asked")))
    await journals.submit(COMMAND, run_id="later", not_before=NOW + timedelta(days=1))
    reader = asyncio.ensure_future(anext(journals.events("later"), None))
    await asyncio.sleep(0)

    await journals.aclose()
    await journals.aclose()

    (record,) = (each for each in caplog.records if each.levelno == logging.WARNING)
    assert (record.__dict__["waiting"], record.__dict__["others"]) == (1, 1)
    assert await reader is None
    with pytest.raises(ConfigurationError, match="closed"):
        await journals.submit(COMMAND, run_id="late")


async def test_a_run_that_does_not_leave_is_cancelled_at_closing(clock: Clock) -> None:
    """After `handover_timeout_s`; it sees that its process lets go, so that it has no end."""
    journals = InMemoryRunJournals(logger=get_logger("journals"), handover_timeout_s=0)
    seen: list[bool] = []
    begun = asyncio.Event()

    async def hang(command: AgentCommand, journal: RunJournal) -> AgentResult:
        try:
            begun.set()
            await asyncio.Event().wait()
        finally:
            seen.append(journal.is_closing)
        raise AssertionError(command)

    await journals.start(hang)
    await journals.submit(COMMAND, run_id="r")
    await begun.wait()
    await journals.aclose()

    assert seen == [True]


async def test_a_decision_after_the_time_is_too_late(
    journals: InMemoryRunJournals, engine: Engine, clock: Clock
) -> None:
    """Also before the timer has come to it; the run then goes on with a denial."""
    engine.until = NOW + timedelta(hours=1)
    await suspend(engine(COMMAND, journals.open(COMMAND, run_id="r")))
    clock.now = engine.until

    with pytest.raises(DecisionError, match="not decided in time, and expiry has denied it"):
        await journals.decide("r", "approve/0", DECISION)

    assert (await result_of(journals, "r")).success


async def test_there_is_one_queue(journals: InMemoryRunJournals) -> None:
    """Another one is refused, with what to do."""
    with pytest.raises(ConfigurationError, match="there is no queue 'night'"):
        await journals.submit(COMMAND, run_id="r", queue="night")


async def test_a_filter_that_is_not_a_field_is_refused(journals: InMemoryRunJournals) -> None:
    """A slip of the pen does not show everything."""
    with pytest.raises(TypeError, match="no field 'user'"):
        await find_requests(journals, {"user": "ann"})
