"""Kills a process at every place of a run, and counts what was done in both of its lives."""

import argparse
import asyncio
import json
import os
import sys
import time
from pathlib import Path

from benchmarks.durable.databases import empty_database, names
from benchmarks.durable.deeds import counts_of_all
from benchmarks.durable.world import POINTS

__all__ = ["run", "start"]


async def start(url: str, log: Path, *runs: str, **options: object) -> asyncio.subprocess.Process:
    """Start a process that works; see `benchmarks.durable.process`."""
    return await asyncio.create_subprocess_exec(
        sys.executable,
        *("-W", "ignore", "-m", "benchmarks.durable.process", url, str(log), *runs),
        env={**os.environ, "ARC_BENCH": json.dumps(options)},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


async def run(options: argparse.Namespace) -> None:
    """Print a table: a row for each place of the kill, a column for each thing that is done."""
    for kind in names(options.database):
        print(f"\n{kind}: killed in | {' | '.join(POINTS)} | answer | s")
        for point in options.points or (None, *POINTS):
            with empty_database(kind) as (url, folder):
                print(await _row(url, folder, point), flush=True)


async def _row(url: str, folder: Path, point: str | None) -> str:
    log = folder / "log"
    if point is not None:
        first = await start(url, log, "r1", kill_at=point)
        await first.communicate()
        assert first.returncode == -9, first.returncode
    began = time.perf_counter()
    out, err = await (await start(url, log, "r1")).communicate()
    took_s = time.perf_counter() - began
    ends = [line for line in out.decode().splitlines() if line.startswith("{")]
    if not ends:
        raise SystemExit(err.decode()[-3000:])
    done, end = counts_of_all(log)["r1"], json.loads(ends[0])
    counts = " | ".join(str(done[each]) for each in POINTS)
    return f"{point or 'nothing'} | {counts} | {end['content']!r} | {took_s:.1f}"
