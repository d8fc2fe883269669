"""What a durable step costs, in multiples of one INSERT and commit, and what is kept."""

import argparse
import json
import statistics
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import sqlalchemy as sa
from pydantic import SecretStr

from arc_autoconfig import Application
from arc_core import AgentCommand, AgentResult, RunJournal
from arc_core.log import get_logger
from arc_core.settings import ConversationSettings
from arc_plugins.journals.settings import DurableSettings, SchedulesSettings
from arc_plugins.journals.sql.journals import DurableRunJournals
from benchmarks.durable.databases import empty_database, names
from benchmarks.durable.world import World, application

__all__ = ["run"]

_TURNS = 20
_STEPS = 3 + 4 * _TURNS  # enter, the last answer, finish; in each turn the model and three tools


async def run(options: argparse.Namespace) -> None:
    """Print a line for each database."""
    for kind in names(options.database):
        with empty_database(kind) as (url, folder):
            rows, runs, bare = _Rows(url), list[float](), list[float]()
            async with application(url, World(folder / "log")) as app:
                for number in range(options.runs or 20):  # in turns: the machine has other work
                    rows.insert(20)
                    runs.append(await _run_s(app, number))
            async with _taking_steps(url) as journals:
                for number in range(options.runs or 20):
                    rows.insert(20)
                    bare.append(await _bare_run_s(journals, number))
        row_ms, run_ms, bare_ms = (1e3 * statistics.median(each) for each in (rows.s, runs, bare))
        print(f"{kind}: INSERT and commit {row_ms:.2f} ms")
        for name, ms in (("with the engine", run_ms), ("of the journal alone", bare_ms)):
            step_ms = ms / _STEPS
            print(f"{kind}: a step {name} {step_ms:.2f} ms, {step_ms / row_ms:.1f} INSERTs")
        with empty_database(kind) as (url, folder):
            kept_mb = await _kept_mb(url, folder)
        print(f"{kind}: 100 turns of 5 KB keep {kept_mb:.2f} MB")


def _engine(url: str) -> sa.Engine:
    parsed = sa.make_url(url)
    if parsed.drivername == "postgresql":
        return sa.create_engine(parsed.set(drivername="postgresql+psycopg"))
    engine = sa.create_engine(parsed)
    with engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA journal_mode=WAL")
    return engine


class _Rows:
    """Rows of 300 characters, each with a commit of its own.

    Attributes:
        s: How long each took, in seconds.
    """

    def __init__(self, url: str) -> None:
        self.s: list[float] = []
        self._engine = _engine(url)
        with self._engine.begin() as connection:
            connection.execute(sa.text("CREATE TABLE bench_rows (id INTEGER PRIMARY KEY, t TEXT)"))

    def insert(self, count: int) -> None:
        row = sa.text("INSERT INTO bench_rows VALUES (:id, :t)")
        for number in range(len(self.s), len(self.s) + count):
            began = time.perf_counter()
            with self._engine.begin() as connection:
                connection.execute(row, {"id": number, "t": "x" * 300})
            self.s.append(time.perf_counter() - began)
        self._engine.dispose()


async def _run_s(app: Application, number: int) -> float:
    began = time.perf_counter()
    result = await app.execute(f"run=r{number} turns={_TURNS}")
    assert result.success, result.error_message
    return time.perf_counter() - began


@asynccontextmanager
async def _taking_steps(url: str) -> AsyncIterator[DurableRunJournals]:
    """Journals whose runs are nothing but steps, one after the other."""

    async def give() -> str:
        return "x" * 300

    async def body(command: AgentCommand, journal: RunJournal) -> AgentResult:
        for number in range(_STEPS):
            await journal.step(f"tool/{number}", give, form=_TEXT)
        return AgentResult(success=True, run_id=journal.run_id)

    journals = DurableRunJournals(
        settings=DurableSettings(url=SecretStr(url), work=True),
        schedules=SchedulesSettings(),
        conversation=ConversationSettings(),
        logger=get_logger("benchmark"),
    )
    await journals.start(body)
    try:
        yield journals
    finally:
        await journals.aclose()


async def _bare_run_s(journals: DurableRunJournals, number: int) -> float:
    began, run_id = time.perf_counter(), f"bare-{number}"
    await journals.begin(AgentCommand(user_prompt="Go."), run_id=run_id)
    async for _ in journals.events(run_id):
        pass
    return time.perf_counter() - began


class _TextForm:
    def write(self, value: str) -> str:
        return json.dumps(value)

    def read(self, text: str) -> str:
        return str(json.loads(text))


_TEXT = _TextForm()


async def _kept_mb(url: str, folder: Path) -> float:
    async with application(url, World(folder / "log", size=5_000 // 3)) as app:
        await app.execute("run=r0 turns=1")
        before = _size(url, folder)
        result = await app.execute("run=r1 turns=100")
        assert isinstance(result, AgentResult)
        assert result.success, result.error_message
    return (_size(url, folder) - before) / 1e6


def _size(url: str, folder: Path) -> int:
    if url.startswith("sqlite"):
        engine = _engine(url)
        with engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        engine.dispose()
        return (folder / "runs.db").stat().st_size
    engine = _engine(url)
    with engine.connect() as connection:
        size: int = connection.exec_driver_sql(
            "SELECT sum(pg_total_relation_size(oid)) FROM pg_class "
            "WHERE relkind = 'r' AND relname ~ '^arc_'"
        ).scalar_one()
    engine.dispose()
    return int(size)
