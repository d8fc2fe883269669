"""What the runs of one process write at the same time."""

import asyncio
from collections.abc import AsyncIterator
from functools import partial
from typing import Any

import pytest

pytest.importorskip("croniter", reason="needs the extra durable")

from sqlalchemy import Connection, event
from sqlalchemy.exc import IntegrityError

from arc_core.log import get_logger
from arc_core.runs.journal import RecordedPart
from arc_plugins.journals.sql.database import Database, DatabaseThreads, run_address
from arc_plugins.journals.sql.journal import GroupCommit
from arc_plugins.journals.sql.tables import versions

_RUNS = 20


@pytest.fixture
async def threads(sqlite_database: str) -> AsyncIterator[tuple[DatabaseThreads, list[Any]]]:
    """Those of a database, and all commits to it."""
    database, commits = Database(run_address(sqlite_database)), list[Any]()
    database.prepare()
    event.listen(database.engine, "commit", commits.append)
    threads = DatabaseThreads(database, logger=get_logger("test"))
    yield threads, commits
    threads.close()
    database.close()


def _write(connection: Connection) -> bool:
    connection.execute(versions.update().values(version=1))
    return True


def _refuse(connection: Connection) -> bool:
    connection.execute(versions.insert().values(version=1))
    return True


async def test_runs_that_write_at_once_share_a_transaction(
    threads: tuple[DatabaseThreads, list[Any]],
) -> None:
    """However many there are: it is one commit for all of them."""
    group = GroupCommit(threads[0])

    tasks = [asyncio.create_task(group.append(f"r{n}", _write)) for n in range(_RUNS)]
    await asyncio.wait(tasks)

    assert [task.result() for task in tasks] == [True] * _RUNS
    assert len(threads[1]) == 1


async def test_what_runs_tell_is_written_at_one_moment(
    threads: tuple[DatabaseThreads, list[Any]],
) -> None:
    """Each waits for the same one, so that their writes come together."""
    group, told = GroupCommit(threads[0]), asyncio.Event()
    written = list[asyncio.Task[bool]]()

    def write(run_id: str) -> None:
        written.append(asyncio.create_task(group.append(run_id, _write)))
        if len(written) == _RUNS:
            told.set()

    for number in range(_RUNS):
        group.write_soon(partial(write, f"r{number}"))
    await told.wait()
    await asyncio.wait(written)

    assert len(threads[1]) == 1


async def test_a_write_that_is_refused_fails_alone(
    threads: tuple[DatabaseThreads, list[Any]],
) -> None:
    """The others of its group are written."""
    group = GroupCommit(threads[0])

    works = {"a": _write, "b": _refuse, "c": _write}
    tasks = [asyncio.create_task(group.append(*each)) for each in works.items()]
    await asyncio.wait(tasks)

    one, refused, other = tasks
    assert (one.result(), other.result()) == (True, True)
    assert isinstance(refused.exception(), IntegrityError)


async def test_parts_of_all_runs_of_a_group_are_added_in_one_order(
    threads: tuple[DatabaseThreads, list[Any]],
) -> None:
    """Or two processes whose runs bring the same parts would wait for each other."""
    group, there = GroupCommit(threads[0]), list[str]()
    parts = [RecordedPart(each * 64, "t") for each in "abc"]

    def keep(connection: Connection) -> bool:
        event.listen(connection, "before_cursor_execute", note)
        return True

    def note(*execution: Any) -> None:
        if "INTO arc_run_parts " in execution[2]:
            there.extend(str(row[0])[0] for row in execution[3])

    runs = (("r1", [parts[2]]), ("r2", [parts[0], parts[1]]))
    tasks = [asyncio.create_task(group.append(name, keep, parts=its)) for name, its in runs]
    await asyncio.wait(tasks)

    assert there == ["a", "b", "c"]
