"""Workers are killed while tools run at once, some of them alike, and hooks take their time.

If places of parallel calls came from their timing, a run that goes on would give calls the results
of others. It goes on until so many runs were hit by a kill, most of them with some others that were
in the same process. With PostgreSQL four workers are killed, and one that runs nothing sees to it
that others go on; with SQLite one process follows another.
"""

import argparse
import statistics
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.durable.claims import Claims
from benchmarks.durable.crew import working
from benchmarks.durable.databases import connect, empty_database, names
from benchmarks.durable.killing import Killer
from benchmarks.durable.many_workers import OPEN, until_finished
from benchmarks.durable.verdict import claim_counts, print_counts, results_of
from benchmarks.durable.world import World, application, submit_runs

__all__ = ["run"]

_COPIES = 5
_JITTER_S = 0.15
_WITHIN_S = 1.5


_SPARE = 1.8
"""Some runs come through without being hit."""


@dataclass(frozen=True, slots=True)
class _Size:
    """How many processes there are."""

    killed: int
    spared: int
    runs_each: int


_SIZES = {
    "postgres": _Size(killed=4, spared=1, runs_each=12),
    "sqlite": _Size(killed=1, spared=0, runs_each=12),
}


async def run(options: argparse.Namespace) -> None:
    """Print what was done over all lives, and whether each call has its own result."""
    for kind in names(options.database):
        print(f"\n{kind}")
        with empty_database(kind) as (url, folder):
            await _show(url, folder / "log", runs=options.runs or 1000, size=_SIZES[kind])


async def _show(url: str, log: Path, *, runs: int, size: _Size) -> None:
    began = time.perf_counter()
    ids = [f"r{number}" for number in range(round(runs * _SPARE))]
    async with application(url, World(log), work=False) as app:
        await submit_runs(app, ids)
    killer = await _kill_until_hit(url, log, runs=runs, size=size)
    async with application(url, World(log), work=False) as app:
        answers = await results_of(app, ids)
    claims, hits = Claims(), killer.hits
    claims.at_least("runs that were hit by a kill", len(killer.hit_runs), runs)
    claim_counts(claims, url, log, run_ids=ids, answers=answers, hits=hits, copies=_COPIES)
    took_s = killer.takeovers_s()
    print(f"kills of workers that held runs: {len(hits)}; attempts that they ended: {len(took_s)}")
    print(f"the next step after {statistics.median(took_s):.1f} s, at most {took_s[-1]:.1f} s")
    print_counts(log)
    print(f"{time.perf_counter() - began:.0f} s")
    claims.end()


async def _kill_until_hit(url: str, log: Path, *, runs: int, size: _Size) -> Killer:
    world: dict[str, Any] = {"jitter_s": _JITTER_S, "copies": _COPIES}
    durable = {"max_running": size.runs_each}
    watches: dict[str, Any] = {"queues": ["none"], "durable": {"queues": {"none": {}}}}
    with (
        working(size.killed, url, log, durable=durable, **world) as crew,
        working(size.spared, url, log, **watches, **world),
        connect(url) as connection,
    ):
        killer = Killer(crew, connection, log, within_s=_WITHIN_S)
        while len(killer.hit_runs) < runs and connection.scalar(OPEN):
            await killer.kill_with_fresh_runs()
        await until_finished(connection)
    return killer
