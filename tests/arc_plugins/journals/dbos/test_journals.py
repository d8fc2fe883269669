"""Durable runs in one process."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("dbos", reason="needs the extra durable")
from sqlalchemy import event, make_url

from arc_autoconfig import ArcSettings
from arc_core import AgentCommand, AgentErrorCode, AgentResult, ConfigurationError
from arc_core import settings as core
from arc_core.interfaces.optional import HealthStatus
from arc_core.interfaces.run_journal import RunJournals, RunState, Waiting
from arc_core.log import get_logger
from arc_core.testing.conformance.run_journal.bodies import Attempt, NotingBody, command
from arc_core.testing.conformance.run_journal.rules import end_of, taking_runs, until
from arc_plugins.journals.dbos.journals import DurableRunJournals
from arc_plugins.journals.dbos.settings import DurableSettings, ScheduleSettings
from tests.arc_plugins.journals.dbos.databases import execute, journals_at, scalar
from tests.arc_plugins.journals.dbos.proxy import proxied

pytestmark = pytest.mark.slow


async def _finish(attempt: Attempt, _: AgentCommand) -> AgentResult:
    await attempt.do("model/1")
    return await attempt.finish()


class _Gate:
    """A body whose second step ends when the test says so."""

    def __init__(self) -> None:
        self.at_work, self.may_end = asyncio.Event(), asyncio.Event()

    async def act(self, attempt: Attempt, _: AgentCommand) -> AgentResult:
        async def wait() -> None:
            self.at_work.set()
            await self.may_end.wait()

        await attempt.do("enter")
        await attempt.do("model/1", during=wait)
        return await attempt.finish()


async def test_a_run_begins_at_once_without_a_queue(database: str) -> None:
    """Also if the process takes nothing from queues; the same one twice is one run."""
    body = NotingBody(_finish)
    async with _begun(database, body, work=False) as journals:
        await journals.begin(command(), run_id="r")
        await journals.begin(command(), run_id="r")
        result = await end_of(journals, "r")

    assert (result.success, body.counts["model/1"]) == (True, 1)


async def test_a_second_durable_application_is_refused(tmp_path: Path) -> None:
    """DBOS is one instance per process, and the message says so."""
    first, second = (journals_at(f"sqlite:///{tmp_path / name}") for name in ("a.db", "b.db"))
    async with taking_runs(first, NotingBody(_finish)):
        with pytest.raises(ConfigurationError, match="DBOS is one instance per process"):
            await second.start(NotingBody(_finish))


async def test_of_two_that_open_a_file_one_works(sqlite_database: str) -> None:
    """The other one submits and reads, and works once the first one has closed."""
    first, second = NotingBody(_finish), NotingBody(_finish)
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


async def other_start(journals: RunJournals, body: NotingBody) -> None:
    """Start journals that the test closes itself."""
    await journals.start(body)


async def test_a_run_of_another_layout_is_left_alone(database: str) -> None:
    """It is shown as incompatible, and is not begun."""
    body = NotingBody(_finish)
    async with taking_runs(journals_at(database), body) as journals:
        later = datetime.now(UTC) + timedelta(hours=1)
        await journals.submit(command(), run_id="r", not_before=later)
        _change(database, "UPDATE arc_runs SET layout = 'arc-0', not_before = NULL")
        await journals.submit(command(), run_id="s")
        await end_of(journals, "s")
        found = await journals.result("r")

    assert found == Waiting(run_id="r", state=RunState.INCOMPATIBLE)
    assert len(body.lives) == 1


async def test_a_queue_that_is_not_there_is_refused(sqlite_database: str) -> None:
    """The message has the names of those that are."""
    journals = journals_at(sqlite_database, queues={"slow": {}})
    async with taking_runs(journals, NotingBody(_finish)):
        with pytest.raises(ConfigurationError, match=r"no queue 'fast'[\s\S]*default, slow"):
            await journals.submit(command(), run_id="r", queue="fast")


async def test_finished_runs_are_removed(database: str) -> None:
    """After the days of the setting, with all that belongs to them."""
    async with taking_runs(journals_at(database), NotingBody(_finish)) as journals:
        await journals.submit(command(), run_id="r")
        await end_of(journals, "r")
    _change(database, "UPDATE arc_runs SET finished_at = '2020-01-01T00:00:00.000000Z'")
    async with taking_runs(journals_at(database), NotingBody(_finish)) as journals:
        await until(lambda: _is_empty(database, "arc_runs"))

    assert await _is_empty(database, "arc_run_steps")
    assert await _is_empty(database, "arc_run_events")


async def test_a_run_that_ends_its_processes_is_ended(database: str) -> None:
    """After twenty crashes it fails, and is not begun again."""
    body = NotingBody(_finish)
    async with taking_runs(journals_at(database), body) as journals:
        soon = datetime.now(UTC) + timedelta(seconds=1)
        await journals.submit(command(), run_id="r", not_before=soon)
        _change(database, "UPDATE arc_runs SET crashes = 21")
        result = await end_of(journals, "r")

    assert (result.error_code, body.lives) == (AgentErrorCode.UNKNOWN, [])


async def test_a_full_disk_keeps_the_run_where_it_was(sqlite_database: str) -> None:
    """Its step waits, new runs are refused with the reason, and both go on once there is room."""
    gate = _Gate()
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


async def test_a_database_that_is_away_for_a_while_loses_nothing(postgres_database: str) -> None:
    """Steps wait for it, and events come through."""
    gate = _Gate()
    body = NotingBody(gate.act)
    async with (
        proxied(postgres_database) as proxy,
        taking_runs(journals_at(proxy.url), body) as journals,
    ):
        await journals.submit(command(), run_id="r")
        await gate.at_work.wait()
        await proxy.cut()
        gate.may_end.set()
        assert isinstance(journals, DurableRunJournals)
        health = await journals.check_health()
        await proxy.listen()
        result = await end_of_despite(journals, "r")

    assert (health.status, result.success) == (HealthStatus.ERROR, True)
    assert body.counts == {"enter": 1, "model/1": 1, "finish": 1}


@pytest.mark.parametrize(
    "url", ["postgresql://nobody@127.0.0.1:1/runs", "sqlite:////no/such/folder/runs.db"]
)
async def test_a_database_that_is_not_there_stops_the_start(url: str) -> None:
    """The message names the setting, and nothing stays open."""
    with pytest.raises(ConfigurationError, match=r"durable\.url"):
        await journals_at(url).start(NotingBody(_finish))


async def test_a_schedule_that_cannot_be_stops_the_start(sqlite_database: str) -> None:
    """The message has its line."""
    schedules = (ScheduleSettings(cron="every day", prompt="Brief me."),)
    with pytest.raises(ConfigurationError, match="'every day'"):
        await journals_at(sqlite_database, schedules=schedules).start(NotingBody(_finish))


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
        conversation=settings.section(core.ConversationSettings),
        logger=get_logger("test"),
    )

    assert journals._address.file == tmp_path / "arc-runs.db"


async def end_of_despite(journals: RunJournals, run_id: str) -> AgentResult:
    """The end of a run, whose database may still be away."""

    async def has_ended() -> bool:
        try:
            return isinstance(await journals.result(run_id), AgentResult)
        except OSError:
            return False

    await until(has_ended)
    found = await journals.result(run_id)
    assert isinstance(found, AgentResult)
    return found


@asynccontextmanager
async def _begun(url: str, body: NotingBody, **settings: Any) -> AsyncIterator[DurableRunJournals]:
    journals = journals_at(url, **settings)
    async with taking_runs(journals, body):
        yield journals


class _PageLimit:
    """Makes the disk of a file full, as far as SQLite sees it."""

    def __init__(self, journals: DurableRunJournals) -> None:
        self._pages = 1_000_000
        assert journals._database is not None
        event.listen(journals._database.engine, "checkout", self._apply)

    def set(self, pages: int) -> None:
        self._pages = pages

    def _apply(self, connection: Any, _record: object, _proxy: object) -> None:
        connection.execute(f"PRAGMA max_page_count = {self._pages}").fetchall()


def _change(url: str, statement: str) -> None:
    if not url.startswith("sqlite"):
        execute(url, statement)
        return
    with closing(sqlite3.connect(str(make_url(url).database))) as connection:
        connection.execute(statement)
        connection.commit()


async def _is_empty(url: str, table: str) -> bool:
    query = f"SELECT count(*) FROM {table}"
    if not url.startswith("sqlite"):
        return bool(scalar(url, query) == 0)
    with closing(sqlite3.connect(str(make_url(url).database))) as connection:
        return bool(connection.execute(query).fetchone() == (0,))
