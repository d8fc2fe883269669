"""What is written and read of runs, in the database."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial
from typing import Any

import pytest

pytest.importorskip("croniter", reason="needs the extra durable")

from sqlalchemy import Connection, event, func, select

from arc_core import ConfigurationError
from arc_plugins.journals.settings import QueueSettings
from arc_plugins.journals.sql import run_store, upkeep
from arc_plugins.journals.sql.database import Database, run_address
from arc_plugins.journals.sql.queues import claim
from arc_plugins.journals.sql.run_queries import list_runs
from arc_plugins.journals.sql.run_store import Taken
from arc_plugins.journals.sql.tables import events, runs, steps
from tests.arc_plugins.journals.sql.databases import connect_with_run


@pytest.fixture
def connection() -> Iterator[Connection]:
    """A database with a run that is queued."""
    with connect_with_run() as connection:
        yield connection


def _claim(connection: Connection) -> Sequence[Taken]:
    """Take the run out of its queue."""
    return claim(connection, "default", limits=QueueSettings(), room=1, executor="there")


LOOKS: dict[str, Callable[[Connection], object]] = {
    "due": _claim,
    "all there is to see to": lambda connection: upkeep.look(
        connection, executor="local", is_file=False, queues=["default", "slow"]
    ),
    "old": lambda connection: upkeep.remove_finished(connection, days=30),
    "newest": lambda connection: list_runs(connection, state=None, limit=50),
}


@pytest.mark.parametrize("look", LOOKS)
def test_what_is_asked_often_reads_no_whole_table(connection: Connection, look: str) -> None:
    """However many runs are kept, an index has those that are looked for."""
    asked: list[tuple[str, Any]] = []

    def note(_: Any, __: Any, statement: str, values: Any, *___: Any) -> None:
        asked.append((statement, values))

    event.listen(connection, "before_cursor_execute", note)
    LOOKS[look](connection)
    event.remove(connection, "before_cursor_execute", note)

    plans = [
        step
        for statement, values in asked
        for *_, step in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", values)
    ]
    assert plans
    assert not [step for step in plans if step.startswith("SCAN arc_") and "USING" not in step]
    assert not [step for step in plans if "TEMP B-TREE FOR ORDER BY" in step]


def test_a_run_that_is_cancelled_in_no_process_gets_an_attempt(connection: Connection) -> None:
    """No process takes it out of its queue then, and the same once more does nothing."""
    mine = {"attempt_id": "one", "executor": "here"}

    taken = run_store.end_run(connection, "r", **mine)

    assert taken is not None
    assert taken.is_cancelling
    assert _claim(connection) == []
    assert run_store.end_run(connection, "r", attempt_id="three", executor="there") is None
    assert run_store.owns(connection, "r", attempt_id="one")


def test_a_cancelled_run_of_another_layout_is_left_as_it_is(connection: Connection) -> None:
    """Its row is as it was, and it is said which version can cancel it."""
    connection.exec_driver_sql("UPDATE arc_runs SET layout = 'arc-0'")

    with pytest.raises(ConfigurationError, match=r"layout is arc-0[\s\S]*has arc-1"):
        run_store.end_run(connection, "r", attempt_id="one", executor="here")

    row = connection.exec_driver_sql("SELECT state, life, cancelling FROM arc_runs").one()
    assert tuple(row) == ("queued", None, 0)


def test_a_run_that_its_last_attempt_has_left_goes_on_to_its_end(connection: Connection) -> None:
    """Its process died: the next one queues it at once, whatever its time was."""
    connection.exec_driver_sql("UPDATE arc_runs SET not_before = '2999-01-01T00:00:00.000000Z'")
    run_store.end_run(connection, "r", attempt_id="one", executor="here")

    assert upkeep.requeue_of_executor(connection, "here") == 1
    [found] = _claim(connection)

    assert found.is_cancelling


def _die(connection: Connection) -> Taken:
    """Take the run, after the process that had it has died."""
    upkeep.requeue_of_executor(connection, "there")
    [found] = _claim(connection)
    return found


def test_a_new_step_resets_the_number_of_deaths(connection: Connection) -> None:
    """A run that makes progress is not what ends its processes."""
    lives = [_die(connection) for _ in range(3)]
    assert [each.crashes for each in lives] == [0, 1, 2]

    append = partial(run_store.append, connection, "r", batch=None, has_died=True)
    assert not append(attempt_id=lives[1].attempt_id, records=[("tool/0", "{}")])
    assert append(attempt_id=lives[2].attempt_id, records=[("tool/0", "{}")])

    assert _die(connection).crashes == 1


def test_events_are_not_progress(connection: Connection) -> None:
    """A step that dies again and again may tell something each time."""
    _die(connection)
    life = _die(connection).attempt_id
    batch = run_store.Batch(number=1, before=0, last=1, body=b"")

    run_store.append(connection, "r", attempt_id=life, records=[], batch=batch, has_died=True)

    assert _die(connection).crashes == 2


@pytest.mark.parametrize(("life", "written"), [("one", 1), ("two", 0)])
def test_a_step_waits_for_what_changes_the_owner_of_its_run(
    postgres_database: str, life: str, written: int
) -> None:
    """An attempt that another one has followed meanwhile writes neither steps nor events."""
    database = Database(run_address(postgres_database))
    database.prepare()
    row = {"run_id": "r", "state": "running", "queue": "default", "command": "{}", "deps": None}
    with database.write() as connection:
        run_store.insert_run(connection, {**row, "life": "one"})

    with ThreadPoolExecutor() as thread:
        with database.write() as connection:
            connection.execute(runs.update().values(life=life))
            appending = thread.submit(_append, database)
            done, _ = wait([appending], timeout=0.2)
        is_written = appending.result()
    with database.query() as connection:
        counts = [
            connection.scalar(select(func.count()).select_from(each)) for each in (steps, events)
        ]
    database.close()

    assert (len(done), is_written, counts) == (0, bool(written), [written, written])


def _append(database: Database) -> bool:
    """Write a step and an event for the attempt `one`."""
    batch = run_store.Batch(number=1, before=0, last=1, body=b"")
    with database.query() as connection:
        return run_store.append(
            connection, "r", attempt_id="one", records=[("tool/0", "{}")], batch=batch
        )
