"""All connections to PostgreSQL are cut again and again while runs go on."""

import argparse
import asyncio

from benchmarks.durable.claims import Claims
from benchmarks.durable.crew import until_all_work, working
from benchmarks.durable.databases import connect, cut_connections, empty_database
from benchmarks.durable.many_workers import OPEN, until_finished
from benchmarks.durable.verdict import claim_counts, print_counts, results_of
from benchmarks.durable.world import World, application, submit_runs

__all__ = ["run"]

_CUTS = 10
_PAUSE_S = 2.0
_JITTER_S = 0.5


async def run(options: argparse.Namespace) -> None:
    """Print how many answers there are, and what was done twice."""
    runs, wanted, cuts = options.runs or 400, options.kills or _CUTS, 0
    ids = [f"r{number}" for number in range(runs)]
    with empty_database("postgres") as (url, folder):
        log = folder / "log"
        async with application(url, World(log), work=False) as app:
            await submit_runs(app, ids)
            with working(2, url, log, jitter_s=_JITTER_S) as crew, connect(url) as connection:
                await until_all_work(crew, log)
                while cuts < wanted and connection.scalar(OPEN):
                    await asyncio.sleep(_PAUSE_S)
                    cuts += cut_connections(connection) > 0
                await until_finished(connection)
            answers = await results_of(app, ids)
        claims = Claims()
        claims.at_least("cuts of all connections under load", cuts, wanted)
        claim_counts(claims, url, log, run_ids=ids, answers=answers, hits=())
        print_counts(log)
        claims.end()
