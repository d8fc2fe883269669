"""How soon a run goes on in another process after its own was killed."""

import argparse
import statistics

from benchmarks.durable.claims import Claims
from benchmarks.durable.crew import working
from benchmarks.durable.databases import connect, empty_database
from benchmarks.durable.killing import Killer
from benchmarks.durable.many_workers import until_finished
from benchmarks.durable.world import World, application

__all__ = ["run"]

_GOAL_S = 4.0
_JITTER_S = 1.0


async def run(options: argparse.Namespace) -> None:
    """Print the seconds from each kill to the next step, one run at a time."""
    runs = options.runs or 20
    with empty_database("postgres") as (url, folder):
        log = folder / "log"
        async with application(url, World(log), work=False) as app:
            with working(3, url, log, jitter_s=_JITTER_S) as crew, connect(url) as connection:
                killer = Killer(crew, connection, log, within_s=1.0)
                while len(killer.hits) < runs:
                    run_id = f"r{len(killer.hits)}"
                    await app.submit(f"run={run_id} turns=1", run_id=run_id)
                    await killer.kill()
                    await until_finished(connection)
        took_s = killer.takeovers_s()
    print("\nseconds:", *(f"{each:.1f}" for each in took_s))
    print(f"half of them within {statistics.median(took_s):.1f} s")
    claims = Claims()
    claims.at_most("slowest takeover in s", took_s[-1], _GOAL_S)
    claims.end()
