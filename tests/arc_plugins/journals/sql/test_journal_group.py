"""What the runs of one process write at the same time."""

import asyncio
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest
from pydantic import BaseModel, computed_field

pytest.importorskip("croniter", reason="needs the extra durable")

from sqlalchemy import event, select, text

from arc_core import AgentResult, RunFinished, TextDelta
from arc_core.log import get_logger
from arc_core.runs.journal import RecordedPart
from arc_plugins.journals.sql.database import Database, DatabaseThreads, run_address
from arc_plugins.journals.sql.journal import GroupCommit, RunWriter
from arc_plugins.journals.sql.run_store import insert_run, take
from arc_plugins.journals.sql.session import Wakeups
from arc_plugins.journals.sql.tables import events, steps

_RUNS = 20


class _Runs:
    """Runs of one process, and all commits to their database."""

    def __init__(self, database: Database, threads: DatabaseThreads) -> None:
        self.database, self.threads, self._group = database, threads, GroupCommit(threads)
        self.commits: list[Any] = []
        event.listen(database.engine, "commit", self.commits.append)

    def take(self, run_id: str, *, attempt_id: str = "a") -> RunWriter:
        """Begin an attempt at a run, which is added first."""
        row = {"run_id": run_id, "state": "queued", "queue": "q", "command": "{}", "deps": None}
        with self.database.write() as connection:
            insert_run(connection, row)
            taken = take(connection, run_id, attempt_id=attempt_id, ticket=1)
        self.commits.clear()
        return RunWriter(self._group, taken, wakeups=Wakeups())

    def read(self, column: Any) -> list[Any]:
        """Return a column of all rows."""
        with self.database.query() as connection:
            return list(connection.scalars(select(column).order_by(column)))


@pytest.fixture
async def runs(sqlite_database: str) -> AsyncIterator[_Runs]:
    """Runs in a database of their own."""
    database = Database(run_address(sqlite_database))
    database.prepare()
    threads = DatabaseThreads(database, logger=get_logger("test"))
    yield _Runs(database, threads)
    threads.close()
    database.close()


async def _record(writers: Sequence[RunWriter]) -> list[bool]:
    tasks = [asyncio.create_task(writer.record("tool/0", '"given"')) for writer in writers]
    await asyncio.wait(tasks)
    return [task.result() for task in tasks]


async def test_runs_that_write_at_once_share_a_transaction(runs: _Runs) -> None:
    """However many there are: it is one commit for all of them."""
    writers = [runs.take(f"r{number:02}") for number in range(_RUNS)]

    recorded = await _record(writers)

    assert recorded == [True] * _RUNS
    assert len(runs.commits) == 1
    assert runs.read(steps.c.run_id) == [writer.run_id for writer in writers]


async def test_steps_of_a_run_that_end_at_once_share_a_transaction(runs: _Runs) -> None:
    """And those that end meanwhile share the next one."""
    writer = runs.take("r")

    first = [asyncio.create_task(writer.record(f"tool/{n}", '"given"')) for n in range(3)]
    await asyncio.wait(first, return_when=asyncio.FIRST_COMPLETED)

    assert [task.done() for task in first] == [True] * 3
    assert len(runs.commits) == 1


async def test_what_runs_tell_is_written_at_one_moment(runs: _Runs) -> None:
    """Each waits for the same one, so that their writes come together."""
    loop, is_written = asyncio.get_running_loop(), asyncio.Event()
    writers = [runs.take(f"r{number:02}") for number in range(_RUNS)]
    event.listen(
        runs.database.engine, "commit", lambda _: loop.call_soon_threadsafe(is_written.set)
    )

    for writer in writers:
        writer.tell(TextDelta("half", run_id=writer.run_id, seq=1))
    await is_written.wait()

    assert len(runs.commits) == 1
    assert [await writer.drain() for writer in writers] == [True] * _RUNS
    assert runs.read(events.c.run_id) == [writer.run_id for writer in writers]


async def test_a_write_that_is_refused_fails_alone(runs: _Runs) -> None:
    """The others of its group are written; the run that is refused writes no more."""
    writers = [runs.take(name) for name in "abc"]
    with runs.database.write() as connection:
        connection.execute(
            text(
                "CREATE TRIGGER refuse BEFORE INSERT ON arc_run_steps WHEN new.run_id = 'b' "
                "BEGIN SELECT RAISE(ABORT, 'refused'); END"
            )
        )

    recorded = await _record(writers)

    assert recorded == [True, False, True]
    assert [writer.is_lost for writer in writers] == [False, True, False]
    assert runs.read(steps.c.run_id) == ["a", "c"]


class _Unwritable(BaseModel):
    """An answer that raises as it is written."""

    @computed_field
    def total(self) -> int:
        """A field that the answer lacks."""
        return dict[str, int]()["total"]


async def test_an_event_that_cannot_be_written_fails_its_run_alone(runs: _Runs) -> None:
    """Whatever it raises: the others of its group, before it and behind it, are written."""
    writers = [runs.take(name) for name in "abc"]
    result = AgentResult(success=True, output=_Unwritable(), run_id="below")
    writers[1].tell(RunFinished(result, run_id="below", seq=1))

    async with asyncio.timeout(5):
        recorded = await _record(writers)

    assert recorded == [True, False, True]
    assert runs.read(steps.c.run_id) == ["a", "c"]


async def test_a_writing_that_is_cancelled_holds_no_run(runs: _Runs) -> None:
    """Before it begins, too: those that wait are answered, and others are written."""
    writers = [runs.take(name) for name in "abc"]
    waiting = [asyncio.create_task(it.record("tool/0", '"given"')) for it in writers[:2]]
    await asyncio.sleep(0)  # they have asked for a task that writes, which has not begun

    [writing] = [task for task in asyncio.all_tasks() if task.get_name() == "arc-journal-writes"]
    writing.cancel()
    async with asyncio.timeout(5):
        await asyncio.wait(waiting)
        later = await writers[2].record("tool/0", '"given"')

    assert [task.result() for task in waiting] == [False, False]
    assert later


@pytest.mark.skipif(sys.version_info < (3, 12), reason="needs eager tasks, of Python 3.12")
async def test_a_loop_whose_tasks_begin_at_once_is_answered(runs: _Runs) -> None:
    """A change is taken there before the call that has begun the writing returns."""
    writer = runs.take("r")
    asyncio.get_running_loop().set_task_factory(getattr(asyncio, "eager_task_factory"))  # noqa: B009

    async with asyncio.timeout(5):
        recorded = await writer.record("tool/0", '"given"')

    assert recorded
    assert await writer.drain()


async def test_an_attempt_that_another_one_has_followed_fails_alone(runs: _Runs) -> None:
    """It records nothing, and writes no more."""
    other, lost = runs.take("other"), runs.take("r")
    follower = runs.take("r", attempt_id="b")

    assert await _record([other, lost]) == [True, False]
    assert lost.is_lost
    assert runs.read(steps.c.run_id) == ["other"]
    assert await _record([follower]) == [True]


async def test_runs_leave_if_something_unforeseen_ends_their_writing(runs: _Runs) -> None:
    """Those that wait are answered, and none waits for what is never written."""
    writers = [runs.take(name) for name in "ab"]
    runs.threads.close()  # so that it takes no more work

    async with asyncio.timeout(5):
        recorded = await _record(writers)
        drained = [await writer.drain() for writer in writers]

    assert recorded == drained == [False, False]


async def test_parts_of_all_runs_of_a_group_are_added_in_one_order(runs: _Runs) -> None:
    """Or two processes whose runs bring the same parts would wait for each other."""
    parts, one, other = [RecordedPart(each * 64, "t") for each in "abc"], *map(runs.take, "rs")
    one.keep_parts([parts[2]])
    other.keep_parts(parts[:2])

    with _rows_added_to(runs.database, "arc_run_parts") as added:
        await _record([other, one])

    assert [digest[0] for digest, _ in added] == ["a", "b", "c"]


@contextmanager
def _rows_added_to(database: Database, table: str) -> Iterator[list[Any]]:
    """All rows that are added to a table meanwhile, in their order."""
    added = list[Any]()

    def note(*execution: Any) -> None:
        if f"INTO {table} " in execution[2]:
            added.extend(execution[3])

    event.listen(database.engine, "before_cursor_execute", note)
    yield added
    event.remove(database.engine, "before_cursor_execute", note)
