"""Many runs that wait for a person: what they cost, and that each has its effect once."""

import argparse
import asyncio
import time
from collections.abc import Sequence
from pathlib import Path

import sqlalchemy as sa

from arc_autoconfig import Application
from arc_core import AgentResult, ApprovalRequest, Approve, DecisionError
from benchmarks.durable.databases import empty_database
from benchmarks.durable.matrix import counts_of_all, start
from benchmarks.durable.world import World, application

__all__ = ["run"]


async def run(options: argparse.Namespace) -> None:
    """Print memory before and while they wait, bytes a run, and the effects after decisions."""
    runs = options.runs or 10_000
    with empty_database("postgres") as (url, folder):
        log = folder / "log"
        ids = [f"r{number}" for number in range(runs)]
        crew = [await start(url, log, waits=True) for _ in range(2)]
        before = [_memory_mb(each) for each in crew]
        async with application(url, World(log), work=False, waits=True) as app:
            for run_id in ids:
                await app.submit(f"run={run_id} turns=1", run_id=run_id)
            await _until(url, "waiting", runs)
            waiting_mb = [_memory_mb(each) for each in crew]
            print(f"{runs} runs wait; workers had {before} MB, have {waiting_mb} MB")
            print(f"bytes a run in the database: {_size(url) / runs:.0f}")
            for each in crew:
                each.kill()
                await each.communicate()
            requests = await app.waiting()
            print(f"requests: {len(requests)}")
            refused = await _decide_twice(app, requests)
            print(f"second deciders told so: {refused}")
            crew = [await start(url, log, waits=True) for _ in range(2)]
            began = time.perf_counter()
            await _until(url, "finished", runs)
            print(f"all ended {time.perf_counter() - began:.0f} s after workers came back")
            results = [await app.result(run_id) for run_id in ids]
        for each in crew:
            each.terminate()
            await each.communicate()
        paid = [done["pay"] for done in counts_of_all(log).values()]
        answers = sum(isinstance(each, AgentResult) and each.success for each in results)
        more = sum(count > 1 for count in paid)
        print(f"answers {answers}; paid once {paid.count(1)}, never {paid.count(0)}, more {more}")


async def _decide_twice(app: Application, requests: Sequence[ApprovalRequest]) -> int:
    refused = 0
    for request in requests:
        deciders = (
            app.decide(request.run_id, request.key, Approve(), by=name) for name in ("ann", "bob")
        )
        for end in await asyncio.gather(*deciders, return_exceptions=True):
            refused += isinstance(end, DecisionError)
    return refused


def _memory_mb(process: asyncio.subprocess.Process) -> int:
    status = Path(f"/proc/{process.pid}/status").read_text()
    line = next(each for each in status.splitlines() if each.startswith("VmRSS"))
    return int(line.split()[1]) // 1024


def _connect(url: str) -> sa.Engine:
    return sa.create_engine(sa.make_url(url).set(drivername="postgresql+psycopg"))


def _size(url: str) -> int:
    engine = _connect(url)
    with engine.connect() as connection:
        size: int = connection.execute(
            sa.text("SELECT pg_database_size(current_database())")
        ).scalar_one()
    engine.dispose()
    return size


async def _until(url: str, state: str, runs: int) -> None:
    engine = _connect(url)
    ended = "finished_at IS NOT NULL" if state == "finished" else "state = 'waiting'"
    query = sa.text(f"SELECT count(*) FROM arc_runs WHERE {ended}")
    try:
        while True:
            with engine.connect() as connection:
                if connection.execute(query).scalar_one() >= runs:
                    return
            await asyncio.sleep(0.2)
    finally:
        engine.dispose()
