"""Processes that are killed, stopped or cut off: the run goes on, and nothing is done twice."""

import signal
from collections.abc import Iterator
from contextlib import aclosing, contextmanager
from pathlib import Path
from time import monotonic

import pytest

pytest.importorskip("croniter", reason="needs the extra durable")

from arc_core.testing.conformance.run_journal.rules import NotingBody, finish, taking_runs
from arc_plugins.journals.sql.session import lock_key
from tests.arc_plugins.journals.sql.databases import execute, journals_at, scalar
from tests.arc_plugins.journals.sql.processes import PLACES, WorkerProcess, counts_in, process

pytestmark = pytest.mark.slow

_TAKEOVER_S = 4.0
"""After this time another worker has taken a run over, on a machine with nothing else to do."""

_BUSY_TAKEOVER_S = 5 * _TAKEOVER_S
_LONGEST_RUN_S = 30.0
_EXECUTOR = "SELECT executor FROM arc_runs WHERE run_id = 'r'"


def stop_at_each_place(worker: WorkerProcess, how: str) -> None:
    """Have a process begin runs, or submit them, each of which stops at another place."""
    for number, place in enumerate(PLACES):
        worker.tell(f"{how} r{number} {place}")
    worker.wait_for("stopped", times=len(PLACES))


def test_killed_anywhere_a_run_resumes_elsewhere(postgres_database: str, tmp_path: Path) -> None:
    """At each border of a step and inside each: only the step in flight is done again, soon."""
    log = tmp_path / "log"
    with process(postgres_database, log) as second, process(postgres_database, log, "first") as one:
        stop_at_each_place(one, "begin")
        killed_at = one.kill()
        goes_on_at, _ = second.wait_for("in ")
        _wait_for_results(second)

    assert goes_on_at - killed_at <= _BUSY_TAKEOVER_S
    assert counts_in(log) == _wanted_counts()


def test_killed_anywhere_a_run_of_a_queue_resumes_elsewhere(
    postgres_database: str, tmp_path: Path
) -> None:
    """Another worker takes it out of its queue."""
    log = tmp_path / "log"
    with process(postgres_database, log, "first") as one:
        stop_at_each_place(one, "submit")
        with process(postgres_database, log) as second:
            killed_at = one.kill()
            goes_on_at, _ = second.wait_for("in ")
            _wait_for_results(second)

    assert goes_on_at - killed_at <= _BUSY_TAKEOVER_S
    assert counts_in(log) == _wanted_counts()


@pytest.mark.parametrize("how", ["begin", "submit"])
def test_killed_anywhere_a_run_resumes_after_a_restart(
    sqlite_database: str, tmp_path: Path, how: str
) -> None:
    """The next process that opens the file takes its runs up."""
    log = tmp_path / "log"
    with process(sqlite_database, log, "first") as one:
        stop_at_each_place(one, how)
        one.kill()
    with process(sqlite_database, log) as second:
        _wait_for_results(second)

    assert counts_in(log) == _wanted_counts()


@contextmanager
def _two_workers(
    database: str, log: Path, *, stops: str
) -> Iterator[tuple[WorkerProcess, WorkerProcess]]:
    """One that has begun the run `r` and stopped at a place, and another one."""
    named = f"{database}&application_name=first"
    with process(database, log) as second, process(named, log, "first") as one:
        one.tell(f"begin r {stops}")
        one.wait_for("stopped")
        yield one, second


def test_a_stopped_worker_that_wakes_changes_nothing(
    postgres_database: str, tmp_path: Path
) -> None:
    """Its connections were cut and its run has ended elsewhere; what it would record is refused."""
    log = tmp_path / "log"
    with _two_workers(postgres_database, log, stops="in tool/0") as (one, second):
        one.signal(signal.SIGSTOP)
        _cut_connections(postgres_database, "first")
        second.wait_for("in r finish")
        _wait_for_result(second, "r")
        one.tell("go_on")
        one.signal(signal.SIGCONT)
        one.wait_for("suspended r")

    query = "SELECT string_agg(value, ' ' ORDER BY key) FROM arc_run_steps WHERE key LIKE 'tool%'"
    assert scalar(postgres_database, query) == '"second" "first"'
    assert counts_in(log)["r", "finish"] == 1


def test_a_worker_that_hangs_keeps_its_runs(postgres_database: str, tmp_path: Path) -> None:
    """Its connection lasts, and so does its lock: no other one begins its run."""
    log = tmp_path / "log"
    with _two_workers(postgres_database, log, stops="in tool/0") as (one, second):
        one.signal(signal.SIGSTOP)
        before = scalar(postgres_database, _EXECUTOR)
        second.tell(f"later s {_TAKEOVER_S}")
        second.wait_for("in s finish")
        after = scalar(postgres_database, _EXECUTOR)
        one.tell("go_on")
        one.signal(signal.SIGCONT)
        _wait_for_result(one, "r")

    assert before == after
    assert {times for (run, _), times in counts_in(log).items() if run == "r"} == {1}


def test_a_worker_whose_connections_break_is_not_declared_dead(
    postgres_database: str, tmp_path: Path
) -> None:
    """Nothing is repeated, and no other worker begins its run."""
    log = tmp_path / "log"
    with _two_workers(postgres_database, log, stops="after model/1") as (one, second):
        for _ in range(3):
            _cut_connections(postgres_database, "first")
            _wait_for_lock(postgres_database)
        one.tell("go_on")
        one.wait_for("in r finish")
        _wait_for_result(second, "r")

    assert set(counts_in(log).values()) == {1}
    assert "second" not in log.read_text("utf-8")


async def test_a_reader_loses_no_event_and_gets_none_twice(
    postgres_database: str, tmp_path: Path
) -> None:
    """It reads in a third process, on over the death of the one that ran."""
    log, reader = tmp_path / "log", journals_at(postgres_database, work=False)
    with process(postgres_database, log, "first") as one:
        one.tell("begin r in model/2")
        one.wait_for("stopped")
        async with taking_runs(reader, NotingBody(finish)) as here:
            async with aclosing(here.events("r")) as events:
                read = [(await anext(events)).seq for _ in range(3)]
            with process(postgres_database, log):
                one.kill()
                rest = [event.seq async for event in here.events("r", after=2)]

    assert (read, rest) == ([1, 2, 3], [3, 4])


def test_a_closing_worker_hands_its_runs_over(postgres_database: str, tmp_path: Path) -> None:
    """It cancels nothing, and the other worker goes on at once."""
    log = tmp_path / "log"
    with process(postgres_database, log) as second:
        with process(postgres_database, log, "first", handover_timeout_s=0.1) as one:
            one.tell("begin r in model/2")
            one.wait_for("stopped")
        second.wait_for("in r model/2")
        _wait_for_result(second, "r")

    assert {key for key, times in counts_in(log).items() if times == 2} == {("r", "model/2")}


def test_a_run_is_cancelled_from_another_process(postgres_database: str, tmp_path: Path) -> None:
    """Its task is, where it runs, within about a second."""
    log = tmp_path / "log"
    with process(postgres_database, log) as second, process(postgres_database, log, "first") as one:
        one.tell("begin r in model/1")
        one.wait_for("stopped")
        second.tell("cancel r")
        one.wait_for("cancelled r")
        _wait_for_result(second, "r", "CANCELLED")

    assert counts_in(log)["r", "finish"] == 0


def _wanted_counts() -> dict[tuple[str, str], int]:
    keys = {place.split()[1] for place in PLACES}
    counts = {(f"r{number}", key): 1 for number in range(len(PLACES)) for key in keys}
    for number, place in enumerate(PLACES):
        where, key = place.split()
        counts[f"r{number}", key] += where == "in"
        counts[f"r{number}", "tool/0"] += (
            key == "tool/1"
        )  # it is in flight until tool/1 is recorded
    return counts


def _wait_for_results(worker: WorkerProcess) -> None:
    for number in range(len(PLACES)):
        _wait_for_result(worker, f"r{number}")


def _wait_for_result(worker: WorkerProcess, run_id: str, code: str = "None") -> None:
    """Ask until a run has ended as it should."""
    line, ends = "", monotonic() + _LONGEST_RUN_S
    while line != f"result {run_id} {code}":
        assert monotonic() < ends, f"it has not ended as {code}: {line}"
        worker.tell(f"result {run_id}")
        _, line = worker.wait_for(f"result {run_id}")


def _cut_connections(url: str, name: str) -> None:
    execute(
        url,
        f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '{name}'",
    )


def _wait_for_lock(url: str) -> None:
    """Wait until the process of the run has its lock again."""
    key = lock_key(scalar(url, "SELECT current_schema()"), scalar(url, _EXECUTOR))
    query = f"SELECT count(*) FROM pg_locks WHERE objid = {key & 0xFFFF_FFFF}::bigint::oid"
    ends = monotonic() + _BUSY_TAKEOVER_S
    while not scalar(url, query):
        assert monotonic() < ends, "the lock was not taken again"
