"""Many runs over four workers, of which one is killed now and then and replaced."""

import argparse
import asyncio
import random
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from benchmarks.durable.databases import empty_database
from benchmarks.durable.matrix import counts_of_all, start
from benchmarks.durable.world import POINTS, World, application

__all__ = ["run"]

_WORKERS = 4
_MAX_RUNNING = 16
_LIMITS: dict[str, Any] = {"queues": {"default": {"max_running": _MAX_RUNNING}}}
_OPTIONS: dict[str, Any] = {"jitter_s": 0.3, "durable": _LIMITS}
_OPEN = ("queued", "running", "waiting")


async def run(options: argparse.Namespace) -> None:
    """Print how many answers there are, what was done twice, and how many ran at once."""
    runs, kills = options.runs or 1000, options.kills or 200
    with empty_database("postgres") as (url, folder):
        log = folder / "log"
        began = time.perf_counter()
        crew = [await start(url, log, **_OPTIONS) for _ in range(_WORKERS)]
        ids = [f"r{number}" for number in range(runs)]
        async with application(url, World(log), work=False, **_LIMITS) as app:
            for run_id in ids:
                await app.submit(f"run={run_id} turns=1", run_id=run_id)
            killer = asyncio.create_task(_Killer(crew, url, log).kill(kills))
            most = await _watch(url, runs)
            killer.cancel()
            await asyncio.wait([killer])
            results = [await app.result(run_id) for run_id in ids]
        took_s = time.perf_counter() - began
        for each in crew:
            each.terminate()
        for each in crew:
            await each.communicate()
        _report(log, ids, results, most=most, took_s=took_s)


class _Killer:
    """Kills workers that are at work, and starts others in their place.

    Args:
        crew: The workers.
        url: Of the database.
        log: Where they write what they do.
    """

    def __init__(self, crew: list[asyncio.subprocess.Process], url: str, log: Path) -> None:
        self._crew, self._url, self._log = crew, url, log

    async def kill(self, kills: int) -> None:
        """Kill so many, one after the other."""
        for number in range(1, kills + 1):
            place = random.randrange(len(self._crew))
            worker = self._crew[place]
            assert worker.stdout is not None
            await worker.stdout.readline()  # it is ready
            await asyncio.sleep(random.uniform(0.0, 1.0))
            worker.kill()
            await worker.wait()
            self._crew[place] = await start(self._url, self._log, **_OPTIONS)
            print(f"\rkilled {number} ", end="", flush=True)


async def _watch(url: str, runs: int) -> int:
    """The most runs that went on at once, until all have ended."""
    engine = sa.create_engine(sa.make_url(url).set(drivername="postgresql+psycopg"))
    most = 0
    try:
        while True:
            with engine.connect() as connection:
                rows = connection.execute(
                    sa.text("SELECT state, count(*) FROM arc_runs GROUP BY state")
                ).all()
            counts: dict[str, int] = {str(row[0]): int(row[1]) for row in rows}
            most = max(most, counts.get("running", 0))
            if sum(counts.values()) - sum(counts.get(s, 0) for s in _OPEN) >= runs:
                return most
            await asyncio.sleep(0.05)
    finally:
        engine.dispose()


def _report(
    log: Path, ids: list[str], results: Sequence[object], *, most: int, took_s: float
) -> None:
    answers = sum(getattr(each, "content", None) is not None for each in results)
    whole = sum("find look pay" in str(getattr(each, "content", "")) for each in results)
    done = list(counts_of_all(log).values())
    print(f"runs {len(ids)}, answers {answers}, with all three results {whole}, {took_s:.0f} s")
    print(f"most at once {most}, allowed {_MAX_RUNNING}")
    for point in POINTS:
        counts = [each[point] for each in done]
        again = sum(count - 1 for count in counts if count > 1)
        print(f"{point}: never {counts.count(0)}, again {again}, most for one run {max(counts)}")
