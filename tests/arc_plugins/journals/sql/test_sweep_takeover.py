"""Runs of a process that died are taken over by one that lives."""

import asyncio
import threading
from datetime import UTC, datetime, timedelta
from time import monotonic

import pytest

pytest.importorskip("croniter", reason="needs the extra durable")

from arc_core.testing.conformance.run_journal.rules import (
    NotingBody,
    command,
    end_of,
    taking_runs,
    until,
)
from arc_plugins.journals.sql.journals import DurableRunJournals
from arc_plugins.journals.sql.session import lock_key
from tests.arc_plugins.journals.sql.bodies import do_step
from tests.arc_plugins.journals.sql.databases import (
    ADD_UNREADABLE_REQUEST,
    end_of_despite,
    execute,
    journals_at,
    scalar,
)

_LEASE_S = 1.5
_APART_S = 1.5
_DEAD = "UPDATE arc_runs SET state = 'running', carried = false, executor = 'dead', life = 'x'"


@pytest.mark.slow
async def test_runs_without_a_process_resume(postgres_database: str) -> None:
    """A lock that nothing holds in two looks is that of a process that died."""
    async with taking_runs(journals_at(postgres_database, work=False), NotingBody(do_step)) as one:
        await one.submit(command(), run_id="r")
    execute(postgres_database, _DEAD)
    body = NotingBody(do_step)
    async with taking_runs(journals_at(postgres_database), body) as journals:
        result = await end_of(journals, "r")

    assert (result.success, body.counts["model/1"]) == (True, 1)


@pytest.mark.slow
async def test_runs_without_a_process_resume_though_a_request_cannot_be_read(
    postgres_database: str,
) -> None:
    """A look that fails for it says nothing of the database."""
    later = datetime.now(UTC) + timedelta(days=1)
    async with taking_runs(journals_at(postgres_database, work=False), NotingBody(do_step)) as one:
        await one.submit(command(), run_id="r")
        await one.submit(command(), run_id="waits", not_before=later)
    execute(postgres_database, f"{_DEAD} WHERE run_id = 'r'")
    execute(postgres_database, ADD_UNREADABLE_REQUEST)
    async with taking_runs(journals_at(postgres_database), NotingBody(do_step)) as journals:
        result = await end_of(journals, "r")

    assert result.success


@pytest.mark.slow
async def test_a_worker_that_was_cut_off_judges_no_other_for_a_lease(
    postgres_database: str,
) -> None:
    """Others may have been cut off with it, and need time to take their locks again."""
    named = f"{postgres_database}&application_name=cut-{id(postgres_database)}"
    async with taking_runs(journals_at(postgres_database, work=False), NotingBody(do_step)) as one:
        await one.submit(command(), run_id="r", not_before=datetime.now(UTC) + timedelta(days=1))
    async with taking_runs(journals_at(named, lease_s=_LEASE_S), NotingBody(do_step)) as journals:
        cut = f"""SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE application_name = 'cut-{id(postgres_database)}'"""
        execute(postgres_database, cut)
        execute(postgres_database, f"{_DEAD}, not_before = NULL")
        begins = monotonic()
        await end_of_despite(journals, "r")
        took_s = monotonic() - begins

    assert took_s >= _LEASE_S + _APART_S, f"the run was taken over after {took_s:.1f} s"


@pytest.mark.slow
async def test_a_process_keeps_its_lock_while_its_threads_wait(postgres_database: str) -> None:
    """Its connection breaks meanwhile, and it takes the lock again."""
    may_answer = threading.Event()
    async with taking_runs(journals_at(postgres_database), NotingBody(do_step)) as journals:
        assert isinstance(journals, DurableRunJournals)
        executor, threads = journals._open.driver.executor, journals._threads
        waits = [asyncio.create_task(threads.call(may_answer.wait)) for _ in range(8)]
        before = await asyncio.to_thread(_holder, postgres_database, executor)
        execute(postgres_database, f"SELECT pg_terminate_backend({before})")

        async def has_another() -> bool:
            holder = await asyncio.to_thread(_holder, postgres_database, executor)
            return holder not in {None, before}

        await until(has_another)
        may_answer.set()
        await asyncio.wait(waits)


@pytest.mark.slow
async def test_a_process_that_takes_no_runs_takes_its_lock_again(postgres_database: str) -> None:
    """Else a worker would take over a run that it is ending, once its connection has broken."""
    name = f"command-{id(postgres_database)}"
    journals = journals_at(f"{postgres_database}&application_name={name}")
    journals.work_on(())
    holds = f"""SELECT pid FROM pg_locks JOIN pg_stat_activity USING (pid)
        WHERE locktype = 'advisory' AND application_name = '{name}'"""

    async with taking_runs(journals, NotingBody(do_step)):
        before = await asyncio.to_thread(scalar, postgres_database, holds)
        execute(postgres_database, f"SELECT pg_terminate_backend({before})")

        async def has_another() -> bool:
            return await asyncio.to_thread(scalar, postgres_database, holds) not in {None, before}

        await until(has_another)


def _holder(url: str, executor: str) -> int | None:
    """The process of the server that serves the one who has a lock."""
    key = lock_key(scalar(url, "SELECT current_schema()"), executor) & 0xFFFF_FFFF
    pid: int | None = scalar(url, f"SELECT pid FROM pg_locks WHERE objid = {key}::bigint::oid")
    return pid
