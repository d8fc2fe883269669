"""Durable runs in one process."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("croniter", reason="needs the extra durable")
from sqlalchemy import event

from arc_autoconfig import ArcSettings
from arc_core import AgentCommand, AgentErrorCode, AgentResult, ConfigurationError, RunFinished
from arc_core import settings as core
from arc_core.errors import FormError
from arc_core.log import get_logger
from arc_core.runs.journal import RunSuspended
from arc_core.runs.store import RunState, RunStore, Waiting
from arc_core.testing.conformance.run_journal.rules import (
    Attempt,
    NotingBody,
    by,
    command,
    end_of,
    rest_of,
    taking_runs,
    until,
)
from arc_plugins.journals.settings import DurableSettings, ScheduleSettings, SchedulesSettings
from arc_plugins.journals.sql import sweep
from arc_plugins.journals.sql.journals import DurableRunJournals
from tests.arc_plugins.journals.sql.bodies import Gate, do_step
from tests.arc_plugins.journals.sql.databases import execute, journals_at, scalar

pytestmark = pytest.mark.slow


async def test_a_run_begins_at_once_without_a_queue(database: str) -> None:
    """Also if the process takes nothing from queues; the same one twice is one run."""
    body = NotingBody(do_step)
    async with _begun(database, body, work=False) as journals:
        await journals.begin(command(), run_id="r")
        await journals.begin(command(), run_id="r")
        result = await end_of(journals, "r")

    assert (result.success, body.counts["model/1"]) == (True, 1)


async def test_an_attempt_that_has_lost_its_run_tells_no_hook_of_an_end(database: str) -> None:
    """It is asked whose the run is before the last step, which tells hooks what stays told."""
    left = asyncio.Event()

    async def acts(attempt: Attempt, _: AgentCommand) -> AgentResult:
        await attempt.do("model/1")
        execute(database, "UPDATE arc_runs SET life = 'of another attempt'")
        try:
            return await attempt.finish()
        finally:
            left.set()

    body = NotingBody(acts)
    async with _begun(database, body) as journals:
        await journals.begin(command(), run_id="r")
        await left.wait()

    assert [type(each) for each in body.left] == [RunSuspended]
    assert body.counts == {"model/1": 1}


@pytest.mark.parametrize("how", ["begin", "submit"])
async def test_a_run_that_is_cancelled_at_once_ends_in_order(database: str, how: str) -> None:
    """Its body has begun, or is begun for that, so that it can tell hooks of the end."""

    async def hang(attempt: Attempt, _: AgentCommand) -> AgentResult:
        await attempt.do("model/1", during=asyncio.Event().wait)
        return await attempt.finish()

    body = NotingBody(hang)
    async with _begun(database, body) as journals:
        await getattr(journals, how)(command(), run_id="r")
        await journals.cancel("r")
        result = await end_of(journals, "r")

    assert result.error_code is AgentErrorCode.CANCELLED
    assert len(body.lives) == 1


async def test_an_end_that_cannot_be_recorded_is_a_failure(database: str) -> None:
    """Also if it was told already; the run does not stay as one that goes on."""

    async def acts(attempt: Attempt, _: AgentCommand) -> AgentResult:
        metadata = {"connection": object()}
        result = AgentResult(success=True, content="", run_id="r", metadata=metadata)
        await attempt.publish(RunFinished(result, run_id="r", seq=1))
        raise LookupError("it cannot be recorded")

    async with _begun(database, NotingBody(acts)) as journals:
        await journals.submit(command(), run_id="r")
        result = await end_of(journals, "r")

    assert result.error_code is AgentErrorCode.UNKNOWN


async def test_a_run_that_no_attempt_has_resumes(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The connection broke as it was begun, and its caller was told of a failure."""
    monkeypatch.setattr(sweep, "_LOST_AFTER_S", 0.1)
    body = NotingBody(do_step)
    async with _begun(database, body) as journals:
        executor, later = journals._open.driver.executor, datetime.now(UTC) + timedelta(hours=1)
        await journals.submit(command(), run_id="r", not_before=later)
        taken = f"state = 'running', life = 'lost', executor = '{executor}', not_before = NULL"
        execute(database, f"UPDATE arc_runs SET {taken}")
        result = await end_of(journals, "r")

    assert (result.success, len(body.lives)) == (True, 1)


async def test_a_run_that_waits_holds_no_place_of_its_queue(database: str) -> None:
    """Another one runs meanwhile; its own place is that of the queue again once it is decided."""

    async def acts(attempt: Attempt, asked: AgentCommand) -> AgentResult:
        if asked.user_prompt == "asks":
            await attempt.ask()
        return await attempt.finish()

    queues = {"slow": {"max_running": 1, "per_tenant": 1}}
    async with _begun(database, NotingBody(acts), queues=queues) as journals:
        await journals.submit(command("asks"), run_id="r", queue="slow")
        await rest_of(journals, "r")
        await journals.submit(command("other"), run_id="s", queue="slow")
        other = await end_of(journals, "s")
        await journals.decide("r", "approve/0", by("ann"))
        result = await end_of(journals, "r")

    assert (other.success, result.success) == (True, True)


def test_closing_has_time_beyond_that_of_the_steps(database: str) -> None:
    """Otherwise the application would cut off a step that may still end, and others do it again."""
    assert journals_at(database, handover_timeout_s=60).close_timeout_s > 60


async def test_two_durable_applications_work_in_one_process(tmp_path: Path) -> None:
    """Each on its own database."""
    first, second = (journals_at(f"sqlite:///{tmp_path / name}") for name in ("a.db", "b.db"))
    async with (
        taking_runs(first, NotingBody(do_step)) as one,
        taking_runs(second, NotingBody(do_step)) as other,
    ):
        for each in (one, other):
            await each.submit(command(), run_id="r")
        ends = [await end_of(each, "r") for each in (one, other)]

    assert [end.success for end in ends] == [True, True]


async def test_of_two_that_open_a_file_one_works(sqlite_database: str) -> None:
    """The other one submits and reads, and works once the first one has closed."""
    first, second = NotingBody(do_step), NotingBody(do_step)
    one, other = journals_at(sqlite_database), journals_at(sqlite_database)
    await other_start(one, first)
    try:
        async with taking_runs(other, second):
            await other.submit(command(), run_id="r")
            await end_of(other, "r")
            health = await other.check_health()
            await one.aclose()
            await other.submit(command(), run_id="s")
            await end_of(other, "s")
    finally:
        await one.aclose()

    assert "another process works" in health.summary
    assert (first.counts["model/1"], second.counts["model/1"]) == (1, 1)


async def test_one_that_takes_no_runs_leaves_a_file_to_others(sqlite_database: str) -> None:
    """It has come before them, while a third one worked, and would let runs wait for ever."""
    one, idle = journals_at(sqlite_database), journals_at(sqlite_database, work=False)
    body, none = NotingBody(do_step), NotingBody(do_step)
    await other_start(one, none)
    try:
        async with taking_runs(idle, none), taking_runs(journals_at(sqlite_database), body):
            await one.aclose()
            await idle.submit(command(), run_id="r")
            await end_of(idle, "r")
    finally:
        await one.aclose()

    assert (none.counts["model/1"], body.counts["model/1"]) == (0, 1)


async def other_start(journals: RunStore, body: NotingBody) -> None:
    """Start journals that the test closes itself."""
    await journals.start(body)


async def test_a_run_of_another_layout_is_left_alone(database: str) -> None:
    """It is shown as incompatible, and is not begun."""
    body = NotingBody(do_step)
    async with taking_runs(journals_at(database), body) as journals:
        later = datetime.now(UTC) + timedelta(hours=1)
        await journals.submit(command(), run_id="r", not_before=later)
        execute(database, "UPDATE arc_runs SET layout = 'arc-0', not_before = NULL")
        await journals.submit(command(), run_id="s")
        await end_of(journals, "s")
        found = (await journals.find("r")).outcome

    assert found == Waiting(run_id="r", state=RunState.INCOMPATIBLE)
    assert len(body.lives) == 1


async def test_a_run_of_another_layout_is_not_cancelled(database: str) -> None:
    """The version that has its layout can; its row is as it was."""
    async with taking_runs(journals_at(database), NotingBody(do_step)) as journals:
        later = datetime.now(UTC) + timedelta(hours=1)
        await journals.submit(command(), run_id="r", not_before=later)
        execute(database, "UPDATE arc_runs SET layout = 'arc-0'")
        with pytest.raises(ConfigurationError, match=r"layout is arc-0[\s\S]*has arc-1"):
            await journals.cancel("r")
        execute(database, "UPDATE arc_runs SET layout = 'arc-1'")
        found = (await journals.find("r")).outcome

    assert found == Waiting(run_id="r", state=RunState.QUEUED)


@pytest.mark.parametrize("tenant", ["a\x00b", "\ud800"])
async def test_a_tenant_that_no_database_keeps_is_refused(
    sqlite_database: str, tenant: str
) -> None:
    """By Arc, with its place, and not by a driver."""
    asked = command().model_copy(update={"tenant_id": tenant})
    async with taking_runs(journals_at(sqlite_database), NotingBody(do_step)) as journals:
        with pytest.raises(FormError, match=r"\$\.tenant_id"):
            await journals.submit(asked, run_id="r")


async def test_a_queue_that_is_not_there_is_refused(sqlite_database: str) -> None:
    """The message has the names of those that are."""
    journals = journals_at(sqlite_database, queues={"slow": {}})
    async with taking_runs(journals, NotingBody(do_step)):
        with pytest.raises(ConfigurationError, match=r"no queue 'fast'[\s\S]*default, slow"):
            await journals.submit(command(), run_id="r", queue="fast")


async def test_finished_runs_are_removed(database: str) -> None:
    """After the days of the setting, with all that belongs to them."""
    async with taking_runs(journals_at(database), NotingBody(do_step)) as journals:
        await journals.submit(command(), run_id="r")
        await end_of(journals, "r")
    execute(database, "UPDATE arc_runs SET finished_at = '2020-01-01T00:00:00.000000Z'")
    async with taking_runs(journals_at(database), NotingBody(do_step)) as journals:
        await until(lambda: _is_empty(database, "arc_runs"))

    assert await _is_empty(database, "arc_run_steps")
    assert await _is_empty(database, "arc_run_events")


async def _end_after(database: str, deaths: int) -> tuple[AgentResult, list[int]]:
    """The end of a run whose processes died so often, and what its attempt was told of that."""
    told: list[int] = []

    async def acts(attempt: Attempt, _: AgentCommand) -> AgentResult:
        told.append(attempt.journal.given_up_after)
        return await attempt.finish()

    async with taking_runs(journals_at(database), NotingBody(acts)) as journals:
        soon = datetime.now(UTC) + timedelta(seconds=1)
        await journals.submit(command(), run_id="r", not_before=soon)
        execute(database, f"UPDATE arc_runs SET crashes = {deaths}")
        return await end_of(journals, "r"), told


@pytest.mark.parametrize(("deaths", "told"), [(20, 0), (21, 21)])
async def test_a_run_that_ends_its_processes_is_given_up(
    database: str, deaths: int, told: int
) -> None:
    """After twenty deaths without a new step, an attempt is made that only ends it."""
    assert (await _end_after(database, deaths))[1] == [told]


async def test_a_run_whose_end_ends_its_processes_is_not_begun_again(database: str) -> None:
    """It says so itself then."""
    result, told = await _end_after(database, 22)

    assert (result.error_code, told) == (AgentErrorCode.UNKNOWN, [])
    assert result.error_message == "The run was given up: its process died 22 times."


async def test_a_full_disk_keeps_the_run_where_it_was(sqlite_database: str) -> None:
    """Its step waits, new runs are refused with the reason, and both go on once there is room."""
    gate = Gate()
    body = NotingBody(gate.act)
    journals = journals_at(sqlite_database)
    async with taking_runs(journals, body):
        await journals.begin(command(), run_id="r")
        await gate.at_work.wait()
        limit = _PageLimit(journals)
        limit.set(1)
        gate.may_end.set()
        with pytest.raises(OSError, match="no room left"):
            await journals.submit(command("x" * 100_000), run_id="s")
        limit.set(1_000_000)
        result = await end_of(journals, "r")

    assert (result.success, body.counts["model/1"]) == (True, 1)


@pytest.mark.parametrize("cron", ["every day", "", "0 7 31 2 *", "99 * * * *"])
async def test_a_schedule_that_cannot_be_stops_the_start(sqlite_database: str, cron: str) -> None:
    """The message has its line."""
    schedules = (ScheduleSettings(cron=cron, prompt="Brief me."),)
    with pytest.raises(ConfigurationError, match=re.escape(repr(cron))):
        await journals_at(sqlite_database, schedules=schedules).start(NotingBody(do_step))


async def test_a_schedule_of_an_unknown_queue_stops_the_start(sqlite_database: str) -> None:
    """It would fail at each tick otherwise."""
    schedules = (ScheduleSettings(cron="0 7 * * *", prompt="Brief me.", queue="fast"),)
    with pytest.raises(ConfigurationError, match=r"no queue 'fast'[\s\S]*\[\[schedules\]\]"):
        await journals_at(sqlite_database, schedules=schedules).start(NotingBody(do_step))


async def test_runs_begin_by_the_clock(database: str) -> None:
    """With the agent and the prompt of the schedule."""
    asked = asyncio.Queue[AgentCommand]()

    async def note(attempt: Attempt, command: AgentCommand) -> AgentResult:
        asked.put_nowait(command)
        return await attempt.finish()

    schedules = (ScheduleSettings(cron="* * * * * *", prompt="Brief me.", agent="briefing"),)
    async with taking_runs(journals_at(database, schedules=schedules), NotingBody(note)):
        command = await asked.get()

    assert (command.user_prompt, command.agent) == ("Brief me.", "briefing")


def test_the_file_stands_beside_the_conversations(tmp_path: Path) -> None:
    """If nothing else is set."""
    settings = ArcSettings(conversation={"url": f"sqlite:///{tmp_path / 'conversations.db'}"})
    journals = DurableRunJournals(
        settings=DurableSettings(),
        schedules=SchedulesSettings(),
        conversation=settings.section(core.ConversationSettings),
        logger=get_logger("test"),
    )

    assert journals._address.file == tmp_path / "arc-runs.db"


@asynccontextmanager
async def _begun(url: str, body: NotingBody, **settings: Any) -> AsyncIterator[DurableRunJournals]:
    journals = journals_at(url, **settings)
    async with taking_runs(journals, body):
        yield journals


class _PageLimit:
    """Makes the disk of a file full, as far as SQLite sees it."""

    def __init__(self, journals: DurableRunJournals) -> None:
        self._pages = 1_000_000
        event.listen(journals._open._database.engine, "checkout", self._apply)

    def set(self, pages: int) -> None:
        self._pages = pages

    def _apply(self, connection: Any, _record: object, _proxy: object) -> None:
        connection.execute(f"PRAGMA max_page_count = {self._pages}").fetchall()


async def _is_empty(url: str, table: str) -> bool:
    return bool(scalar(url, f"SELECT count(*) FROM {table}") == 0)
