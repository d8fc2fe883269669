"""Queues and schedules over several processes."""

from collections import Counter
from pathlib import Path

import pytest

pytest.importorskip("croniter", reason="needs the extra durable")

from tests.arc_plugins.journals.sql.processes import counts_in, process

pytestmark = pytest.mark.slow

_RUNS = 8


def test_limits_of_a_queue_hold_over_all_processes(postgres_database: str, tmp_path: Path) -> None:
    """Never more runs at once than it lets, and never more of one tenant."""
    log = tmp_path / "log"
    queues = {"slow": {"max_running": 3, "per_tenant": 2}}
    with (
        process(postgres_database, log, "one", queues=queues) as one,
        process(postgres_database, log, "two", queues=queues) as two,
    ):
        for number in range(_RUNS):
            one.tell(f"slowly {'ab'[number % 2]}{number} {'ab'[number % 2]}")
        finished = 0
        while finished < _RUNS:
            finished = sum(key == "finish" for _, key in counts_in(log)) if log.exists() else 0
        two.tell("result a0")
        two.wait_for("result a0")

    most, most_of_a = _most_at_once(log), _most_at_once(log, "a")
    assert (most <= 3, most_of_a <= 2) == (True, True), f"{most} at once, {most_of_a} of one tenant"
    assert set(counts_in(log).values()) == {1}


def test_limits_of_a_queue_hold_when_a_process_is_killed(
    postgres_database: str, tmp_path: Path
) -> None:
    """Its places are taken until its runs are begun again, and free after that: all runs end."""
    log = tmp_path / "log"
    queues = {"slow": {"max_running": 3}}
    with process(postgres_database, log, "one", queues=queues) as one:
        for number in range(_RUNS):
            one.tell(f"slowly r{number} a")
        one.wait_for("in ")
        with process(postgres_database, log, "two", queues=queues):
            one.kill()
            while sum(key == "finish" for _, key in counts_in(log)) < _RUNS:
                pass

    most = _most_at_once(log)
    assert most <= 3, f"{most} at once"
    assert {run for run, key in counts_in(log) if key == "finish"} == {
        f"r{number}" for number in range(_RUNS)
    }


def test_a_process_that_takes_no_runs_leaves_the_number_of_workers_alone(
    postgres_database: str, tmp_path: Path
) -> None:
    """It is that of those who work."""
    log = tmp_path / "log"
    queues: dict[str, dict[str, int]] = {"slow": {}}
    with (
        process(postgres_database, log, "one", queues=queues, max_running=2) as one,
        process(postgres_database, log, "two", queues=queues, max_running=9, work=False),
    ):
        for number in range(_RUNS):
            one.tell(f"slowly r{number} a")
        while not log.exists() or sum(key == "finish" for _, key in counts_in(log)) < _RUNS:
            pass

    assert _most_at_once(log) <= 2


def test_a_tick_begins_one_run_over_all_processes(postgres_database: str, tmp_path: Path) -> None:
    """Each run has the id of its tick."""
    log = tmp_path / "log"
    schedules = [{"cron": "* * * * * *", "prompt": "Brief me."}]
    with (
        process(postgres_database, log, "one", schedules=schedules),
        process(postgres_database, log, "two", schedules=schedules),
    ):
        while not log.exists() or sum(key == "finish" for _, key in counts_in(log)) < 2:
            pass

    counts = counts_in(log)
    assert set(counts.values()) == {1}
    assert all(run.startswith("arc-") and run.endswith("Z") for run, _ in counts)


def test_processes_that_start_at_once_make_the_tables_once(
    postgres_database: str, tmp_path: Path
) -> None:
    """On an empty database, all of them start."""
    log = tmp_path / "log"
    with (
        process(postgres_database, log, is_ready=False) as one,
        process(postgres_database, log, is_ready=False) as two,
        process(postgres_database, log, is_ready=False) as three,
    ):
        for worker in (one, two, three):
            worker.wait_for("ready")


def _most_at_once(log: Path, tenant: str = "") -> int:
    """How many runs went on at the same time, by the order of the lines."""
    running: Counter[str] = Counter()
    most = 0
    for line in log.read_text("utf-8").splitlines():
        run, key, _ = line.split()
        if run.startswith(tenant):
            running[run] = 0 if key == "finish" else 1
            most = max(most, running.total())
    return most
