"""What durable runs offer to those who operate them, in both databases."""

import asyncio
from collections.abc import Sequence
from time import monotonic
from typing import Any

import pytest

pytest.importorskip("croniter", reason="needs the extra durable")


from arc_core import (
    AgentCommand,
    AgentErrorCode,
    AgentResult,
    Capability,
    ConfigurationError,
    KeptRunCounts,
    RetryError,
    RunFinished,
    RunState,
    TurnRestarted,
    UnknownRunError,
)
from arc_core.engine.journal.records import Record, StopStep
from arc_core.engine.journal.step_forms import ASKED
from arc_core.testing.conformance.run_journal.rules import (
    RESULT,
    Attempt,
    NotingBody,
    by,
    command,
    end_of,
    rest_of,
    taking_runs,
    until,
)
from arc_plugins.journals.sql import sweep
from arc_plugins.journals.sql.journals import DurableRunJournals
from tests.arc_plugins.journals.sql.bodies import do_step
from tests.arc_plugins.journals.sql.databases import execute, journals_at

pytestmark = pytest.mark.slow


async def _ask(attempt: Attempt, _: AgentCommand) -> AgentResult:
    await attempt.ask()
    return await attempt.finish()


class _FailingFirst:
    """A body whose second step ends the first life."""

    def __init__(self) -> None:
        self.lives = self.stops = 0

    async def __call__(self, attempt: Attempt, _: AgentCommand) -> AgentResult:
        self.lives += 1
        await attempt.do("model/1")
        await attempt.tell(f"life {self.lives}")
        if self.lives > 1:
            await attempt.do("model/2")
            return await attempt.finish()
        await attempt.journal.step("model/2", self._stop, form=ASKED)
        return await self._fail(attempt)

    async def _stop(self) -> Record[Any]:
        """What the engine records of a step that ends the run."""
        self.stops += 1
        return Record(value=StopStep(code=AgentErrorCode.REFUSED), active_s=0.0, last_seq=1)

    async def _fail(self, attempt: Attempt) -> AgentResult:
        async def work() -> AgentResult:
            code = AgentErrorCode.REFUSED
            result = AgentResult(success=False, error_code=code, run_id=attempt.run_id)
            await attempt.publish(RunFinished(result, run_id=attempt.run_id, seq=2))
            return result

        return await attempt.journal.step("finish", work, form=RESULT)


def _working_on(url: str, *queues: str, **settings: Any) -> DurableRunJournals:
    journals = journals_at(url, **settings)
    journals.work_on(queues)
    return journals


def test_the_members_are_those_that_commands_ask_for(sqlite_database: str) -> None:
    """A database keeps, lists, retries, shares and queues, for all commands."""
    journals = journals_at(sqlite_database)

    assert journals.capabilities == frozenset(Capability)


async def test_without_queues_nothing_runs(database: str) -> None:
    """What is submitted, begun and decided waits for a process that works."""
    body = NotingBody(do_step)
    async with taking_runs(_working_on(database), body) as journals:
        await journals.submit(command(), run_id="r")
        assert isinstance(journals, DurableRunJournals)
        await journals.begin(command(), run_id="s")
        found = [each.state for each in await journals.list()]

    assert (found, body.lives) == ([RunState.QUEUED] * 2, [])


async def test_only_the_named_queues_are_worked_on(database: str) -> None:
    """The others wait."""
    body = NotingBody(do_step)
    journals = _working_on(database, "slow", work=False, queues={"slow": {}})
    async with taking_runs(journals, body):
        await journals.submit(command(), run_id="r")
        await journals.submit(command(), run_id="s", queue="slow")
        await end_of(journals, "s")
        [queued] = await journals.list(state=RunState.QUEUED)

    assert (queued.run_id, len(body.lives)) == ("r", 1)


async def test_the_concurrency_bounds_runs_of_a_queue(database: str) -> None:
    """In the place of the setting."""
    at_once, most = 0, 0

    async def note(attempt: Attempt, _: AgentCommand) -> AgentResult:
        nonlocal at_once, most
        at_once += 1
        most = max(most, at_once)
        await attempt.do("model/1")
        result = await attempt.finish()
        at_once -= 1
        return result

    journals = journals_at(database)
    journals.work_on(("default",), concurrency=1)
    async with taking_runs(journals, NotingBody(note)):
        for number in range(3):
            await journals.submit(command(), run_id=f"r{number}")
        for number in range(3):
            await end_of(journals, f"r{number}")

    assert most == 1


async def test_a_queue_that_is_not_there_stops_the_start(sqlite_database: str) -> None:
    """The message has those that are."""
    journals = _working_on(sqlite_database, "fast")
    with pytest.raises(ConfigurationError, match=r"no queue 'fast'[\s\S]*there are: default"):
        await journals.start(NotingBody(do_step))


async def test_runs_are_listed_newest_first(database: str) -> None:
    """With who asked whom, and how they ended."""
    async with taking_runs(journals_at(database), NotingBody(do_step)) as journals:
        assert isinstance(journals, DurableRunJournals)
        for number in range(3):
            await journals.submit(command(), run_id=f"r{number}")
            await end_of(journals, f"r{number}")
        newest = await journals.list(limit=2)
        finished = await journals.list(state=RunState.FINISHED)

    assert [each.run_id for each in newest] == ["r2", "r1"]
    assert len(finished) == 3
    first = newest[0]
    assert (first.state, first.agent, first.user_id) == (RunState.FINISHED, "default", "ann")
    assert (first.queue, first.layout, first.error_code) == ("default", "arc-2", None)
    assert first.finished_at is not None
    assert first.finished_at >= first.since


async def test_a_run_that_waits_is_listed_with_what_it_asks(database: str) -> None:
    """And only among those that wait."""
    async with taking_runs(journals_at(database), NotingBody(_ask)) as journals:
        assert isinstance(journals, DurableRunJournals)
        await journals.submit(command(), run_id="r")
        await rest_of(journals, "r")
        [waiting] = await journals.list(state=RunState.WAITING)
        others: list[Sequence[Any]] = [
            await journals.list(state=each) for each in RunState if each is not RunState.WAITING
        ]

    assert [each.key for each in waiting.requests] == ["approve/0"]
    assert not any(others)


async def test_a_failed_run_is_retried_after_its_last_good_step(database: str) -> None:
    """Its good steps are read; the one that has ended it is done again."""
    acts = _FailingFirst()
    body = NotingBody(acts)
    async with taking_runs(journals_at(database), body) as journals:
        assert isinstance(journals, DurableRunJournals)
        await journals.submit(command(), run_id="r")
        failed = await end_of(journals, "r")
        await journals.retry("r")
        result = await end_of(journals, "r")

    assert (failed.error_code, result.success) == (AgentErrorCode.REFUSED, True)
    assert (body.counts["model/1"], acts.stops, body.counts["model/2"]) == (1, 1, 1)


async def test_events_of_a_retried_run_go_on(database: str) -> None:
    """A reader gets one end, and one who has the old end gets the new one."""
    async with taking_runs(journals_at(database), NotingBody(_FailingFirst())) as journals:
        assert isinstance(journals, DurableRunJournals)
        await journals.submit(command(), run_id="r")
        await end_of(journals, "r")
        before = [each async for each in journals.events("r")]
        await journals.retry("r")
        await end_of(journals, "r")
        after = [each async for each in journals.events("r")]
        rest = [each async for each in journals.events("r", after=before[-1].seq)]

    assert [each.seq for each in before] == [1, 2]
    assert [each.seq for each in after] == [1, 2, 3]
    assert after[1] == TurnRestarted(2), "a reader keeps the text of the turn that has failed"
    assert [type(each) for each in rest] == [RunFinished]


async def test_a_cancelled_run_can_be_retried(database: str) -> None:
    """It is not cancelled any more."""
    async with taking_runs(journals_at(database), NotingBody(_ask)) as journals:
        assert isinstance(journals, DurableRunJournals)
        await journals.submit(command(), run_id="r")
        await rest_of(journals, "r")
        await journals.cancel("r")
        await journals.retry("r")
        await rest_of(journals, "r")
        await journals.decide("r", "approve/0", by("ann"))
        result = await end_of(journals, "r")

    assert result.success


async def test_only_a_failed_run_can_be_retried(database: str) -> None:
    """The errors say where it is instead."""
    async with taking_runs(journals_at(database), NotingBody(_ask)) as journals:
        assert isinstance(journals, DurableRunJournals)
        await journals.submit(command(), run_id="r")
        await rest_of(journals, "r")
        with pytest.raises(RetryError, match="it is waiting"):
            await journals.retry("r")
        await journals.decide("r", "approve/0", by("ann"))
        await end_of(journals, "r")
        with pytest.raises(RetryError, match="it has an answer"):
            await journals.retry("r")
        with pytest.raises(UnknownRunError):
            await journals.retry("s")


async def test_a_process_that_takes_no_runs_ends_those_that_it_cancels(database: str) -> None:
    """At once and with their hooks, so that none waits for a worker; here of a command."""
    waiting, body = NotingBody(_ask), NotingBody(do_step)
    async with taking_runs(journals_at(database), waiting) as journals:
        await journals.submit(command(), run_id="r")
        await rest_of(journals, "r")
    async with taking_runs(_working_on(database), body) as journals:
        await journals.submit(command(), run_id="s")
        for run_id in "rs":
            await journals.cancel(run_id)
        found = [(await journals.find(run_id)).outcome for run_id in "rs"]

    codes = [each.error_code for each in found if isinstance(each, AgentResult)]
    assert codes == [AgentErrorCode.CANCELLED] * 2
    assert body.counts == {"finish": 2}


async def test_kept_runs_are_counted(database: str) -> None:
    """Those that wait, and those that are queued, over all processes."""
    told = asyncio.Queue[KeptRunCounts]()
    async with taking_runs(journals_at(database), NotingBody(_ask)) as journals:
        await journals.submit(command(), run_id="r")
        await rest_of(journals, "r")
    async with taking_runs(_working_on(database), NotingBody(_ask)) as journals:
        await journals.submit(command(), run_id="s")
    other = journals_at(database, work=False)
    other.report_runs(told.put_nowait)
    async with taking_runs(other, NotingBody(_ask)):
        counts = await told.get()

    assert counts == KeptRunCounts(waiting=1, queued=1)


async def test_counts_are_told_again(sqlite_database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What exports them may be set up only after they were told for the first time."""
    monkeypatch.setattr(sweep, "_COUNT_EVERY_S", 0.01)
    told, journals = asyncio.Queue[KeptRunCounts](), journals_at(sqlite_database)
    journals.report_runs(told.put_nowait)
    async with taking_runs(journals, NotingBody(_ask)):
        counts = [await told.get() for _ in range(2)]

    assert counts == [KeptRunCounts()] * 2


async def test_runs_of_this_process_are_counted(
    sqlite_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that goes on, and that it has come from a process that died."""
    monkeypatch.setattr(sweep, "_COUNT_EVERY_S", 0.01)
    told, may_end = list[KeptRunCounts](), asyncio.Event()

    async def wait(attempt: Attempt, _: AgentCommand) -> AgentResult:
        await attempt.do("model/1", during=may_end.wait)
        return await attempt.finish()

    async with taking_runs(_working_on(sqlite_database), NotingBody(wait)) as journals:
        await journals.submit(command(), run_id="r")
    execute(sqlite_database, "UPDATE arc_runs SET state = 'running', executor = 'local'")
    other = journals_at(sqlite_database)
    other.report_runs(told.append)
    async with taking_runs(other, NotingBody(wait)):
        await until(lambda: _has(told, running=1))
        may_end.set()
        await end_of(other, "r")
        await until(lambda: _has(told[-1:], running=0))

    assert sum(each.taken_over for each in told) == 1
    assert told[-1] == KeptRunCounts()


async def _has(told: list[KeptRunCounts], *, running: int) -> bool:
    return any(each.running == running for each in told)


@pytest.mark.timing
async def test_nothing_is_waited_for_when_no_run_goes_on(database: str) -> None:
    """Closing lets a run that waits be, and takes a moment."""
    async with taking_runs(journals_at(database), NotingBody(_ask)) as journals:
        await journals.submit(command(), run_id="r")
        await rest_of(journals, "r")
        begins = monotonic()
        await journals.aclose()
        took_s = monotonic() - begins

    assert took_s < 0.6, f"{took_s:.2f} s"


async def test_runs_that_a_worker_has_to_do_are_logged(
    database: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Once at the start, if this process takes none."""
    with caplog.at_level("INFO"):
        async with taking_runs(journals_at(database), NotingBody(_ask)):
            pass
        without = "need_a_worker" in caplog.text
        async with taking_runs(journals_at(database, work=False), NotingBody(_ask)):
            pass

    assert (without, caplog.text.count("need_a_worker")) == (False, 1)
