"""The lock that says whether a process lives, and what processes tell each other."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial

import pytest

pytest.importorskip("croniter", reason="needs the extra durable")

from arc_core import AgentCommand, AgentResult
from arc_core.log import get_logger
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
from arc_plugins.journals.sql import session as module
from arc_plugins.journals.sql.database import Database, run_address
from arc_plugins.journals.sql.journals import DurableRunJournals
from arc_plugins.journals.sql.session import ProcessSession, Wakeups, is_free, write_notifications
from tests.arc_plugins.journals.sql.bodies import Gate, do_step
from tests.arc_plugins.journals.sql.databases import execute, journals_at, scalar

_CUT = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '{}'"


@asynccontextmanager
async def _session(url: str, executor: str = "one") -> AsyncIterator[tuple[Database, Wakeups]]:
    """A process that holds its lock, and hears what is told."""
    database, wakeups = Database(run_address(url)), Wakeups()
    session = ProcessSession(
        database, executor=executor, wakeups=wakeups, logger=get_logger("test")
    )
    await session.start()
    try:
        yield database, wakeups
    finally:
        await session.aclose()
        database.close()


def _is_free(url: str, executor: str) -> bool:
    database = Database(run_address(url))
    with database.write() as connection:
        found = is_free(connection, module.lock_key(database.own_schema(), executor))
    database.close()
    return found


@pytest.mark.slow
async def test_the_lock_of_a_process_that_lives_is_taken(postgres_database: str) -> None:
    """It is free once its connection is closed."""
    async with _session(postgres_database):
        before = await asyncio.to_thread(_is_free, postgres_database, "one")

    async def is_free_now() -> bool:
        return await asyncio.to_thread(_is_free, postgres_database, "one")

    await until(is_free_now)
    assert not before


@pytest.mark.slow
async def test_after_a_reconnect_everything_is_looked_at_once(postgres_database: str) -> None:
    """Something may have been told while the connection was broken; the lock is held again."""
    named = f"{postgres_database}&application_name=cut-{id(postgres_database)}"
    async with _session(named) as (_, wakeups):
        await until(lambda: _hears(wakeups))
        with wakeups.reading("r") as written:
            execute(postgres_database, _CUT.format(f"cut-{id(postgres_database)}"))
            await written.wait()
        await until(lambda: _hears(wakeups))

        assert not await asyncio.to_thread(_is_free, postgres_database, "one")


async def _hears(wakeups: Wakeups) -> bool:
    return wakeups.are_heard


_HOLDS_LOCK = " AND query LIKE '%pg_try_advisory_lock%' AND backend_start > '{}'"
_IS_BACK = "SELECT count(*) FROM pg_stat_activity WHERE application_name = '{}'"


@pytest.mark.slow
async def test_a_process_that_is_busy_while_its_connection_breaks_hears_again(
    postgres_database: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It does not say that notifications do not arrive, though it looks at them late."""
    monkeypatch.setattr(module, "_CHECK_S", 3.0)
    monkeypatch.setattr(module, "_PROBE_S", 2.0)
    name = f"busy-{id(postgres_database)}"
    async with _session(f"{postgres_database}&application_name={name}") as (_, wakeups):
        await until(lambda: _hears(wakeups))
        cut_at = scalar(postgres_database, "SELECT now()")
        execute(postgres_database, (_CUT + _HOLDS_LOCK).format(name, "-infinity"))
        while not scalar(postgres_database, (_IS_BACK + _HOLDS_LOCK).format(name, cut_at)):
            continue  # the event loop is busy
        await asyncio.sleep(0)
        await until(lambda: _hears(wakeups))

    assert "notifications_do_not_arrive" not in caplog.text


@pytest.mark.slow
async def test_a_process_that_hears_nothing_looks_itself_and_says_so(
    postgres_database: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """As behind a pooler that gives a connection to several programs."""
    monkeypatch.setattr(module, "_PROBE_S", 0.0)
    monkeypatch.setattr(ProcessSession, "_hear", lambda *_: None)

    async def is_said() -> bool:
        return "notifications_do_not_arrive" in caplog.text

    async with taking_runs(journals_at(postgres_database), NotingBody(do_step)) as journals:
        await journals.submit(command(), run_id="r")
        result = await end_of(journals, "r")
        await until(is_said)
        assert isinstance(journals, DurableRunJournals)
        health = await journals.check_health()

    assert result.success
    assert caplog.text.count("notifications_do_not_arrive") == 1
    assert "notifications do not arrive" in health.summary


@pytest.mark.slow
async def test_a_lost_notification_costs_seconds_and_no_run(
    postgres_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker looks by itself for what is submitted and decided, and a reader for events."""
    monkeypatch.setattr(Wakeups, "_tell", lambda *_: None)
    body = NotingBody(_ask)
    async with (
        taking_runs(journals_at(postgres_database), body),
        taking_runs(journals_at(postgres_database, work=False), NotingBody(do_step)) as asking,
    ):
        await asking.submit(command(), run_id="r")
        await rest_of(asking, "r")
        await asking.decide("r", "approve/0", by("ann"))
        result = await end_of(asking, "r")

    assert result.success
    assert len(body.lives) == 2


async def _ask(attempt: Attempt, _: AgentCommand) -> AgentResult:
    await attempt.ask()
    return await attempt.finish()


@pytest.mark.slow
async def test_a_worker_is_told_of_what_is_submitted_elsewhere(
    postgres_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It does not look for it, and the reader elsewhere does not look for its end."""
    gate = Gate()
    async with (
        taking_runs(journals_at(postgres_database), NotingBody(gate.act)) as working,
        taking_runs(journals_at(postgres_database, work=False), NotingBody(do_step)) as asking,
    ):
        for each in (working, asking):
            assert isinstance(each, DurableRunJournals)
            await until(partial(_hears, each._wakeups))
        monkeypatch.setattr("arc_plugins.journals.sql.sweep._QUIET_S", 1e6)
        monkeypatch.setattr("arc_plugins.journals.sql.journals._LOST_S", 1e6)
        await asking.submit(command(), run_id="first")  # after the pause that has begun
        gate.may_end.set()
        ends = [await end_of(asking, "first")]
        await asking.submit(command(), run_id="second")
        ends.append(await end_of(asking, "second"))

    assert [end.success for end in ends] == [True, True]


def test_many_names_are_told_in_several_notifications() -> None:
    """PostgreSQL takes 8,000 bytes in one."""
    names = [f"{number:03}" + "é" * 197 for number in range(60)]

    told = list(write_notifications("here", names))

    assert len(told) > 1
    assert max(len(each.encode()) for each in told) < 8_000
    assert [name for each in told for name in each.split("\n")[1:]] == names
    assert {each.split("\n")[0] for each in told} == {"here"}


async def test_what_is_told_meanwhile_is_told_together() -> None:
    """However much is written, one statement at a time tells of it."""
    wakeups, told = Wakeups(), list[list[str]]()

    async def send(names: Sequence[str]) -> None:
        told.append(list(names))
        await asyncio.sleep(0)

    wakeups.send = send
    wakeups.wake_readers("a")
    await asyncio.sleep(0)
    for name in ("b", "c", "b"):
        wakeups.wake_readers(name)
    wakeups.look()
    await wakeups.drain()

    assert told == [["a"], ["", "b", "c"]]


def test_a_reader_is_not_woken_by_events_that_it_does_not_read() -> None:
    """One that waits for the end of a run looks when that may have come, and not for each event."""
    wakeups = Wakeups()
    with wakeups.reading("r", after=9) as late, wakeups.reading("r") as early:
        wakeups.wake_readers("r", 8)
        woken = early.is_set(), late.is_set()
        wakeups.wake_readers("r")

        assert woken == (True, False)
        assert late.is_set()
