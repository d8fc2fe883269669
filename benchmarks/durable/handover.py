"""Real `arc worker` processes are told to end by SIGTERM, one after the other, under load."""

import argparse
import asyncio
import json
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from pathlib import Path

import sqlalchemy as sa

from arc_autoconfig import Application
from benchmarks.durable.claims import Claims
from benchmarks.durable.databases import connect, empty_database
from benchmarks.durable.many_workers import until_finished
from benchmarks.durable.verdict import claim_counts, print_counts, results_of
from benchmarks.durable.world import World, application, submit_runs

__all__ = ["run"]

_WORKERS = 2
_HANDOVERS = 10
_JITTER_S = 1.0
_WORKS = b"works on default\n"
_ARC = "from arc_autoconfig.cli.main import main; main()"
_HELD = sa.text("SELECT count(*) FROM arc_runs WHERE state = 'running' AND executor LIKE :executor")


async def run(options: argparse.Namespace) -> None:
    """Print exit codes, and that no step was done twice and no hook told of an end too early."""
    runs, handovers = options.runs or 20, options.kills or _HANDOVERS
    ids: list[str] = []
    with empty_database("postgres") as (url, folder):
        log = folder / "log"
        async with application(url, World(log), work=False) as app:
            crew = [await _start(url, log) for _ in range(_WORKERS)]
            codes, held = [], 0
            with connect(url) as connection:
                for _ in range(handovers):
                    ids += await _submit(app, len(ids), runs)
                    held += await _runs_of(crew[0], connection)
                    codes.append(await _end(crew.pop(0)))
                    crew.append(await _start(url, log))
                await until_finished(connection)
            codes += [await _end(worker) for worker in crew]
            answers = await results_of(app, ids)
        claims = Claims()
        claims.at_least("runs in the hands of workers that were ended", held, handovers)
        claims.equal("exit codes", sorted(set(codes)), [0])
        claim_counts(claims, url, log, run_ids=ids, answers=answers, hits=())
        print_counts(log)
        claims.end()


async def _submit(app: Application, first: int, count: int) -> list[str]:
    ids = [f"r{number}" for number in range(first, first + count)]
    await submit_runs(app, ids)
    return ids


async def _runs_of(worker: Process, connection: sa.Connection) -> int:
    """How many runs it holds, once it holds some."""
    held = 0
    while not held:
        await asyncio.sleep(0.05)
        held = connection.scalar(_HELD, {"executor": f"%-{worker.pid}-%"})
    return held


async def _start(url: str, log: Path) -> Process:
    settings = {
        "durable.enabled": "true",
        "durable.url": url,
        "plugins.load": "benchmarks.durable.plugin",
        "components.chat_model": "bench_model",
        "guard.rate_limit_per_minute": "0",
        "guard.rate_limit_per_hour": "0",
    }
    options = [each for name, value in settings.items() for each in ("--set", f"{name}={value}")]
    world = {"log": str(log), "jitter_s": _JITTER_S}
    worker = await asyncio.create_subprocess_exec(
        *(sys.executable, "-W", "ignore", "-c", _ARC, "worker", *options),
        env={**os.environ, "BENCH_WORLD": json.dumps(world), "PYTHONPATH": str(Path.cwd())},
        stdout=DEVNULL,
        stderr=PIPE,
    )
    assert worker.stderr is not None
    said = b""
    while not said.endswith(_WORKS):
        line = await worker.stderr.readline()
        if not line:
            raise SystemExit(said.decode())
        said += line
    return worker


async def _end(worker: Process) -> int:
    """Send SIGTERM; the exit code."""
    worker.terminate()
    await worker.communicate()
    assert worker.returncode is not None
    return worker.returncode
