"""Schedules that several programs keep in one database."""

import asyncio
from collections.abc import Sequence

import pytest

pytest.importorskip("dbos", reason="needs the extra durable")
from dbos import DBOS

from arc_core.testing.conformance.run_journal.rules import NotingBody, finish, taking_runs
from arc_plugins.journals.settings import ScheduleSettings
from tests.arc_plugins.journals.sql.databases import journals_at

_BRIEF = ScheduleSettings(cron="0 7 * * *", prompt="Brief me.", agent="briefing")
_FAST = ScheduleSettings(cron="0 8 * * *", prompt="Be quick.", queue="fast")


async def _open_with(
    url: str, *schedules: ScheduleSettings, queues: Sequence[str] | None = ("default", "fast")
) -> set[str]:
    """Open and close journals; the cron lines of the schedules that are kept then."""
    journals = journals_at(url, schedules=schedules, queues={"fast": {}}, work=False)
    if queues is not None:
        journals.work_on(queues)
    async with taking_runs(journals, NotingBody(finish)):
        kept = await asyncio.to_thread(DBOS.list_schedules)
    return {each["schedule"] for each in kept}


async def test_a_process_that_takes_no_queue_removes_no_schedule(sqlite_database: str) -> None:
    """It may be any program that submits runs, and its settings have none."""
    await _open_with(sqlite_database, _BRIEF)

    assert await _open_with(sqlite_database, queues=None) == {_BRIEF.cron}


async def test_a_worker_removes_schedules_of_its_own_queues_alone(sqlite_database: str) -> None:
    """Those of other queues belong to other workers."""
    await _open_with(sqlite_database, _BRIEF, _FAST)

    assert await _open_with(sqlite_database, queues=("default",)) == {_FAST.cron}


async def test_a_schedule_that_is_removed_is_logged(
    sqlite_database: str, caplog: pytest.LogCaptureFixture
) -> None:
    """With what it takes to write it down again, but for its prompt."""
    await _open_with(sqlite_database, _BRIEF)
    assert "schedule_removed" not in caplog.text

    await _open_with(sqlite_database)

    [record] = [each for each in caplog.records if "schedule_removed" in each.getMessage()]
    said = [record.__dict__[name] for name in ("cron", "agent", "queue")]
    assert said == [_BRIEF.cron, "briefing", "default"]
