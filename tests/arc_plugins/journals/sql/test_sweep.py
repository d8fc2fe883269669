"""What a process does between its looks at the queues."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

pytest.importorskip("croniter", reason="needs the extra durable")

from arc_core import AgentCommand, AgentErrorCode, AgentResult
from arc_core.runs.journal import RunJournal
from arc_core.runs.store import RunStore
from arc_core.testing.conformance.run_journal.rules import (
    NotingBody,
    command,
    end_of,
    finish,
    taking_runs,
)
from arc_plugins.journals.sql import sweep, upkeep
from tests.arc_plugins.journals.sql.databases import ADD_UNREADABLE_REQUEST, execute, journals_at

_NEVER_S, _SOON_S = 1e6, 0.2
_LONG = timedelta(days=1)
_DEAD = "UPDATE arc_runs SET state = 'running', executor = 'dead', life = 'x', not_before = NULL"


async def test_a_long_queue_is_carried_in_one_look(
    sqlite_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Workers that have room do not wait for the next look."""
    names = [f"r{number}" for number in range(120)]
    submitting = journals_at(sqlite_database)
    submitting.work_on(())
    async with taking_runs(submitting, NotingBody(finish)):
        for name in names:
            await submitting.submit(command(), run_id=name)
    monkeypatch.setattr(sweep, "_LOOK_S", _NEVER_S)
    async with taking_runs(journals_at(sqlite_database), NotingBody(finish)) as journals:
        ends = [await end_of(journals, name) for name in names]

    assert all(end.success for end in ends)


async def _see_it_lost(journals: RunStore) -> None:
    """Have runs brought to their process until a run that no attempt has would be queued again."""
    clock = asyncio.get_running_loop().time
    ends, number = clock() + 3 * _SOON_S, 0
    while clock() < ends:
        number += 1
        await journals.submit(command(), run_id=f"other {number}")
        await end_of(journals, f"other {number}")


def _look_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweep, "_LOST_AFTER_S", _SOON_S)
    monkeypatch.setattr(sweep, "_LOOK_S", 0.01)


class _SlowEnding(NotingBody):
    """Ends runs, as an engine does whose hooks take their time."""

    def __init__(self) -> None:
        super().__init__(finish)
        self.begun, self.goes_on = asyncio.Event(), asyncio.Event()

    async def __call__(self, command: AgentCommand, journal: RunJournal) -> AgentResult:
        self.begun.set()
        await self.goes_on.wait()
        return await super().__call__(command, journal)


async def test_a_cancel_of_another_process_ends_a_run_once_however_slow_its_hooks_are(
    sqlite_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker leaves a run alone that a living process ends."""
    _look_often(monkeypatch)
    command_line, ending, working = journals_at(sqlite_database), _SlowEnding(), NotingBody(finish)
    command_line.work_on(())
    async with (
        taking_runs(journals_at(sqlite_database), working) as journals,
        taking_runs(command_line, ending),
    ):
        await journals.submit(command(), run_id="r1", not_before=datetime.now(UTC) + _LONG)
        cancelling = asyncio.create_task(command_line.cancel("r1"))
        await ending.begun.wait()
        await _see_it_lost(journals)
        ending.goes_on.set()
        await cancelling
        ended = await end_of(journals, "r1")

    assert ended.error_code is AgentErrorCode.CANCELLED
    assert (len(ending.lives), "r1" in {each.run_id for each in working.journals}) == (1, False)


async def test_a_run_that_a_dead_process_was_ending_is_ended_by_the_worker(
    sqlite_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lock of its process is free then, whatever the database says."""
    _look_often(monkeypatch)
    body = NotingBody(finish)
    async with taking_runs(journals_at(sqlite_database), body) as journals:
        await journals.submit(command(), run_id="r1", not_before=datetime.now(UTC) + _LONG)
        execute(sqlite_database, _DEAD)
        ended = await end_of(journals, "r1")

    assert ended.success
    assert len(body.lives) == 1


async def test_a_request_that_cannot_be_read_holds_up_no_run(
    sqlite_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its own run waits on, whose request a newer version may have written."""
    _look_often(monkeypatch)
    async with taking_runs(journals_at(sqlite_database), NotingBody(finish)) as journals:
        await journals.submit(command(), run_id="waits", not_before=datetime.now(UTC) + _LONG)
        execute(sqlite_database, ADD_UNREADABLE_REQUEST)
        for name in ("r1", "r2"):
            await journals.submit(command(), run_id=name)
        ends = [await end_of(journals, name) for name in ("r1", "r2")]

    assert all(end.success for end in ends)


async def test_a_run_is_taken_while_old_ones_are_removed(
    sqlite_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many of them there are."""
    monkeypatch.setattr(upkeep, "remove_finished", lambda *_, **__: 1)  # without an end
    async with taking_runs(journals_at(sqlite_database), NotingBody(finish)) as journals:
        for name in ("r1", "r2"):
            await journals.submit(command(), run_id=name)
            assert (await end_of(journals, name)).success
