"""What a durable step costs, in multiples of one INSERT and commit, and what is kept."""

import argparse
import statistics
import time
from pathlib import Path

import sqlalchemy as sa

from arc_core import AgentResult
from benchmarks.durable.databases import empty_database, names
from benchmarks.durable.world import World, application

__all__ = ["run"]

_TURNS = 20
_STEPS = 3 + 4 * _TURNS  # enter, the last answer, finish; in each turn the model and three tools


async def run(options: argparse.Namespace) -> None:
    """Print a line for each database."""
    for kind in names(options.database):
        with empty_database(kind) as (url, folder):
            row_ms = _row_ms(url)
            run_ms = await _run_ms(url, folder, runs=options.runs or 20)
        print(
            f"{kind}: INSERT and commit {row_ms:.2f} ms, a step {run_ms / _STEPS:.2f} ms "
            f"({run_ms / _STEPS / row_ms:.1f} times), a run of {_STEPS} steps {run_ms:.0f} ms"
        )
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


def _row_ms(url: str, rows: int = 200) -> float:
    engine, times = _engine(url), []
    with engine.begin() as connection:
        connection.execute(sa.text("CREATE TABLE bench_rows (id INTEGER PRIMARY KEY, text TEXT)"))
    for number in range(rows):
        began = time.perf_counter()
        with engine.begin() as connection:
            connection.execute(
                sa.text("INSERT INTO bench_rows VALUES (:id, :text)"),
                {"id": number, "text": "x" * 300},
            )
        times.append(time.perf_counter() - began)
    engine.dispose()
    return 1e3 * statistics.median(times)


async def _run_ms(url: str, folder: Path, *, runs: int) -> float:
    times = []
    async with application(url, World(folder / "log")) as app:
        for number in range(runs):
            began = time.perf_counter()
            result = await app.execute(f"run=r{number} turns={_TURNS}")
            times.append(time.perf_counter() - began)
            assert result.success, result.error_message
    return 1e3 * statistics.median(times)


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
