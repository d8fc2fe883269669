"""A worker is stopped and cut off, others end its runs, and it wakes up: it changes nothing."""

import argparse
import asyncio
import os
import signal
import time
from pathlib import Path

import sqlalchemy as sa

from benchmarks.durable.claims import Claims
from benchmarks.durable.crew import fork, working
from benchmarks.durable.databases import connect, cut_connections, empty_database
from benchmarks.durable.deeds import Deeds, counts_of_all
from benchmarks.durable.many_workers import until_finished
from benchmarks.durable.verdict import results_of
from benchmarks.durable.world import World, application, submit_runs

__all__ = ["run"]

_NAME = "zombie"
_JITTER_S = 1.0
_HELD = 5
_AWAKE_S = 5.0
_TABLES = ("arc_runs", "arc_run_steps", "arc_run_events", "arc_approvals")


async def run(options: argparse.Namespace) -> None:
    """Print what it was in the middle of, and whether anything is other after it woke up."""
    runs = options.runs or 40
    ids = [f"r{number}" for number in range(runs)]
    with empty_database("postgres") as (url, folder):
        log = folder / "log"
        async with application(url, World(log), work=False) as app:
            await submit_runs(app, ids)
            with connect(url) as connection:
                held, before, after, begun = await _wake_the_dead(url, log, connection)
            answers = await results_of(app, ids)
        counts = counts_of_all(log).values()
    print(f"runs that it held: {held}; steps that it began after it woke up: {begun}")
    claims = Claims()
    claims.at_least("runs that it held", held, _HELD)
    claims.equal("answers", len(answers), runs)
    claims.equal("tables that are other after it woke up", before != after, False)
    claims.equal("payments made twice", sum(each["pay"] > 1 for each in counts), 0)
    claims.equal("ends told twice", sum(each["end"] > 1 for each in counts), 0)
    claims.end()


async def _wake_the_dead(
    url: str, log: Path, connection: sa.Connection
) -> tuple[int, list[str], list[str], int]:
    """How many runs it held, the tables before and after it woke up, and what it began then."""
    deeds = Deeds(log)
    zombie = fork(f"{url}?application_name={_NAME}", log, jitter_s=_JITTER_S)
    assert zombie.pid is not None
    while len(deeds.runs_of[zombie.pid]) < _HELD:
        await asyncio.sleep(0.02)
        deeds.read_all()
    os.kill(zombie.pid, signal.SIGSTOP)
    held = len(deeds.runs_of[zombie.pid])
    with working(2, url, log, jitter_s=_JITTER_S):
        cut_connections(connection, _NAME)
        await until_finished(connection)
        before, woke_at = _digests(connection), time.time()
        os.kill(zombie.pid, signal.SIGCONT)
        await asyncio.sleep(_AWAKE_S)
        zombie.terminate()
        zombie.join()
    begun = sum(each.pid == zombie.pid and each.at > woke_at for each in deeds.read_all())
    return held, before, _digests(connection), begun


def _digests(connection: sa.Connection) -> list[str]:
    query = "SELECT md5(string_agg(t::text, '|' ORDER BY t::text)) FROM {} t"
    return [str(connection.scalar(sa.text(query.format(table)))) for table in _TABLES]
