"""Many runs that wait for a person: what they cost, and that each has its effect once.

All processes are killed while they wait. Others come, two deciders approve each of them at the
same time, and each goes on to its end.
"""

import argparse
import asyncio
import time
from asyncio.subprocess import Process
from pathlib import Path

import sqlalchemy as sa

from arc_autoconfig import Application
from benchmarks.durable.claims import Claims
from benchmarks.durable.databases import connect, empty_database
from benchmarks.durable.decider import decide_at_once
from benchmarks.durable.deeds import Deeds, counts_of_all, done_again, repeated_alive
from benchmarks.durable.matrix import start
from benchmarks.durable.verdict import results_of
from benchmarks.durable.world import World, application, submit_runs

__all__ = ["run"]

_WORKERS = 2
_NOT_WAITING = sa.text("SELECT count(*) FROM arc_runs WHERE state <> 'waiting'")
_NOT_FINISHED = sa.text("SELECT count(*) FROM arc_runs WHERE state <> 'finished'")
_MOST_MB = 150


async def run(options: argparse.Namespace) -> None:
    """Print memory before and while they wait, bytes a run, and the effects after decisions."""
    runs = options.runs or 10_000
    ids = [f"r{number}" for number in range(runs)]
    with empty_database("postgres") as (url, folder):
        log = folder / "log"
        await _suspend(url, log, ids)
        took_s, told, most_mb = await _decide(url, log)
        async with application(url, World(log), work=False, waits=True) as app:
            answers = await results_of(app, ids)
            left = await app.waiting()
        print(f"from the first decision to the last end {took_s:.0f} s, {runs / took_s:.0f} a s")
        claims = Claims()
        _claim(claims, url, log, ids=ids, told=told)
        claims.equal("answers", len(answers), runs)
        claims.equal("requests left", len(left), 0)
        claims.at_most("MB of a worker while all wait", most_mb, _MOST_MB)
        claims.end()


def _claim(
    claims: Claims, url: str, log: Path, *, ids: list[str], told: list[dict[str, int]]
) -> None:
    deeds, counts = Deeds(log).read_all(), counts_of_all(log)
    paid = [counts[each]["pay"] for each in ids]
    claims.equal("decisions that counted", sum(each["first"] for each in told), len(ids))
    claims.equal("deciders who came second", sum(each["second"] for each in told), len(ids))
    claims.equal("runs that have paid once", paid.count(1), len(ids))
    claims.equal("finished steps done again", done_again(url, deeds), 0)
    claims.equal("steps repeated", repeated_alive(deeds, ()), 0)


async def _suspend(url: str, log: Path, ids: list[str]) -> None:
    """Have all wait, and then kill all processes."""
    began, empty = time.perf_counter(), _size(url)
    crew = await _start_crew(url, log)
    before = [_memory_mb(each) for each in crew]
    async with application(url, World(log), work=False, waits=True) as app:
        await _submit(app, ids)
        submitted_s = time.perf_counter() - began
        await _until_none(url, _NOT_WAITING)
        print(
            f"submitted after {submitted_s:.0f} s, wait after {time.perf_counter() - began:.0f} s"
        )
    waiting_mb = [_memory_mb(each) for each in crew]
    print(f"{len(ids)} runs wait; workers had {before} MB, have {waiting_mb} MB")
    print(f"bytes a run in the database: {(_size(url) - empty) / len(ids):.0f}")
    for each in crew:
        each.kill()
        await each.communicate()


async def _submit(app: Application, ids: list[str]) -> None:
    await submit_runs(app, ids)


async def _decide(url: str, log: Path) -> tuple[float, list[dict[str, int]], int]:
    """Have all go on in new processes; how long it took, the deciders' counts, and memory."""
    crew = await _start_crew(url, log)
    memory_mb = [_memory_mb(each) for each in crew]
    began = time.perf_counter()
    told = await decide_at_once(url, "ann", "bob")
    print(f"decided after {time.perf_counter() - began:.0f} s by {told}")
    await _until_none(url, _NOT_FINISHED)
    took_s = time.perf_counter() - began
    print(f"new workers had {memory_mb} MB, have {[_memory_mb(each) for each in crew]} MB")
    for each in crew:
        each.terminate()
        await each.communicate()
    return took_s, told, max(memory_mb)


async def _start_crew(url: str, log: Path) -> list[Process]:
    crew = [await start(url, log, waits=True) for _ in range(_WORKERS)]
    for each in crew:
        assert each.stdout is not None
        await each.stdout.readline()  # it is ready
    return crew


def _memory_mb(process: Process) -> int:
    status = Path(f"/proc/{process.pid}/status").read_text()
    line = next(each for each in status.splitlines() if each.startswith("VmRSS"))
    return int(line.split()[1]) // 1024


def _size(url: str) -> int:
    with connect(url) as connection:
        size: int = connection.scalar(sa.text("SELECT pg_database_size(current_database())"))
    return size


async def _until_none(url: str, query: sa.TextClause) -> None:
    with connect(url) as connection:
        left = True
        while left:
            await asyncio.sleep(0.2)
            left = bool(connection.scalar(query))
