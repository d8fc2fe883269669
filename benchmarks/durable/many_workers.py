"""Many runs over four workers, of which one that is at work is killed again and again."""

import argparse
import asyncio
import time
from typing import Any

import sqlalchemy as sa

from benchmarks.durable.claims import Claims
from benchmarks.durable.crew import working
from benchmarks.durable.databases import connect, empty_database
from benchmarks.durable.killing import Killer
from benchmarks.durable.verdict import claim_counts, most_at_once, print_counts, results_of
from benchmarks.durable.world import World, application, submit_runs

__all__ = ["OPEN", "run", "until_finished"]

_WORKERS = 4
_MAX_RUNNING = 16
_LIMITS: dict[str, Any] = {"queues": {"default": {"max_running": _MAX_RUNNING}}}
_JITTER_S = 1.0
"""A run takes about four seconds, so that there are runs left for the last kill."""

_WITHIN_S = 1.0
_SPREAD = 0.9
"""The last kill is when so many of the runs have ended; those before, evenly."""

_LOOK_S = 0.05
OPEN = sa.text("SELECT count(*) FROM arc_runs WHERE state <> 'finished'")


async def run(options: argparse.Namespace) -> None:
    """Print how many answers there are, what was done twice, and how many ran at once."""
    runs, kills = options.runs or 1000, options.kills or 200
    with empty_database("postgres") as (url, folder):
        log, began = folder / "log", time.perf_counter()
        ids = [f"r{number}" for number in range(runs)]
        async with application(url, World(log), work=False, **_LIMITS) as app:
            await submit_runs(app, ids)
            with (
                working(_WORKERS, url, log, jitter_s=_JITTER_S, durable=_LIMITS) as crew,
                connect(url) as connection,
            ):
                killer = Killer(crew, connection, log, within_s=_WITHIN_S)
                while len(killer.hits) < kills and (left := connection.scalar(OPEN)):
                    if runs - left >= len(killer.hits) * runs * _SPREAD / kills:
                        await killer.kill()
                    await asyncio.sleep(_LOOK_S)
                await until_finished(connection)
            answers = await results_of(app, ids)
        hits, claims = killer.hits, Claims()
        claims.at_least("kills of workers that held runs", len(hits), kills)
        claims.at_most("runs at once", most_at_once(url, log, hits), _MAX_RUNNING)
        claim_counts(claims, url, log, run_ids=ids, answers=answers, hits=hits)
        print(f"attempts that were killed: {sum(len(hit.run_ids) for hit in hits)}")
        print(f"runs that were hit: {len(killer.hit_runs)}")
        print_counts(log)
        print(f"{time.perf_counter() - began:.0f} s")
        claims.end()


async def until_finished(connection: sa.Connection) -> None:
    """Wait until all runs have ended."""
    left = True
    while left:
        await asyncio.sleep(0.2)
        left = bool(connection.scalar(OPEN))
