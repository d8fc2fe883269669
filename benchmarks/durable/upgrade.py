"""An upgrade while runs go on: processes of an older version and of this one work on one database.

`--older` names a folder with the older version, such as a checkout of it, whose benchmarks start
its processes; with a `.venv` in it, these have its libraries. One of them is killed at work;
everything that waits is approved as it comes.
"""

import argparse
import asyncio
import json
import os
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections import Counter
from pathlib import Path

import sqlalchemy as sa

from arc_autoconfig import Application
from arc_core import Approve, DecisionError
from benchmarks.durable.claims import Claims
from benchmarks.durable.databases import connect, empty_database, names
from benchmarks.durable.deeds import Deeds, counts_of_all, done_again
from benchmarks.durable.verdict import results_of
from benchmarks.durable.world import World, application, submit_runs

__all__ = ["run"]

_LEFT = sa.text("SELECT count(*) FROM arc_runs WHERE state <> 'finished'")
_WAITING = sa.text("SELECT count(*) FROM arc_runs WHERE state = 'waiting'")
_LAYOUTS = sa.text("SELECT layout, count(*) FROM arc_runs GROUP BY layout ORDER BY layout")
_LOOK_S = 0.3
_SUBMIT = """
import asyncio, sys
from pathlib import Path
from benchmarks.durable.world import World, application

async def main(url, log, *run_ids):
    async with application(url, World(Path(log)), work=False, waits=True) as app:
        for run_id in run_ids:
            await app.submit(f"run={run_id} turns=1", run_id=run_id)

asyncio.run(main(*sys.argv[1:]))
"""


async def run(options: argparse.Namespace) -> None:
    """Print for each database what became of the runs of both versions."""
    if options.older is None:
        sys.exit("--older is needed: a folder with the version before")
    for kind in names(options.database):
        with empty_database(kind) as (url, folder):
            print(f"\n{kind}")
            await _Upgrade(url, folder / "log", options.older).run(options.runs or 1000)


class _Upgrade:
    def __init__(self, url: str, log: Path, older: Path) -> None:
        self._url, self._log, self._older = url, log, older
        self._size = 1 if url.startswith("sqlite") else 2

    async def run(self, runs: int) -> None:
        began = time.perf_counter()
        ids = {name: [f"{name}{number}" for number in range(runs // 2)] for name in ("old", "new")}
        older = [await self._start(self._older) for _ in range(self._size)]
        await self._submit_by_older(ids["old"])
        await self._until_waiting(runs // 8)
        before = self._tables()
        older[0].kill()  # at work
        await older.pop(0).communicate()
        crew = [*older, await self._start(self._older)]
        crew += [await self._start(Path.cwd()) for _ in range(self._size)]
        print(f"both versions work after {time.perf_counter() - began:.0f} s")
        async with application(self._url, World(self._log), work=False, waits=True) as app:
            await submit_runs(app, ids["new"])
            if self._size == 1:  # on a file, one process works: the older one makes room
                await _stop(crew.pop(0))
            await self._approve_all(app)
            answers = await results_of(app, [*ids["old"], *ids["new"]])
        for each in crew:
            await _stop(each)
        print(f"all have ended after {time.perf_counter() - began:.0f} s")
        self._claim(before, answers=len(answers), runs=runs)

    async def _start(self, folder: Path) -> Process:
        """A process of a version that works."""
        process = await asyncio.create_subprocess_exec(
            *_python(folder, "-m", "benchmarks.durable.process", self._url, str(self._log)),
            cwd=folder,
            env=self._environment(folder),
            stdout=PIPE,
        )
        if self._size > 1 or folder == self._older:
            assert process.stdout is not None
            await process.stdout.readline()  # it is ready
        return process

    async def _submit_by_older(self, run_ids: list[str]) -> None:
        process = await asyncio.create_subprocess_exec(
            *_python(self._older, "-c", _SUBMIT, self._url, str(self._log), *run_ids),
            cwd=self._older,
            env=self._environment(self._older),
        )
        assert await process.wait() == 0

    def _environment(self, folder: Path) -> dict[str, str]:
        options = json.dumps({"waits": True})
        return os.environ | {"PYTHONPATH": str(folder), "ARC_BENCH": options}

    async def _until_waiting(self, count: int) -> None:
        with connect(self._url) as connection:
            waiting = 0
            while waiting < count:
                await asyncio.sleep(_LOOK_S)
                waiting = connection.scalar(_WAITING) or 0

    async def _approve_all(self, app: Application) -> None:
        with connect(self._url) as connection:
            while connection.scalar(_LEFT):
                for request in await app.waiting():
                    try:
                        await app.decide(request.run_id, request.key, Approve(), by="ann")
                    except DecisionError:  # its run has been taken since
                        continue
                await asyncio.sleep(_LOOK_S)

    def _tables(self) -> dict[str, str]:
        """The columns and indexes of each table of runs."""
        with connect(self._url) as connection:
            inspector = sa.inspect(connection)
            return {
                name: str([
                    [(each["name"], str(each["type"])) for each in inspector.get_columns(name)],
                    sorted(str(each["name"]) for each in inspector.get_indexes(name)),
                ])
                for name in inspector.get_table_names()
                if name.startswith("arc_")
            }  # fmt: skip

    def _claim(self, before: dict[str, str], *, answers: int, runs: int) -> None:
        after, counts = self._tables(), counts_of_all(self._log)
        paid = Counter(each["pay"] for each in counts.values())
        changed = [name for name, table in before.items() if after.get(name) != table]
        with connect(self._url) as connection:
            print("layouts:", [tuple(row) for row in connection.execute(_LAYOUTS)])
        claims = Claims()
        claims.equal("answers", answers, runs)
        claims.equal("runs that have paid once", paid[1], runs)
        deeds = Deeds(self._log).read_all()
        claims.equal("finished steps done again", done_again(self._url, deeds), 0)
        claims.equal("tables of the older version that are other now", changed, [])
        claims.end()


def _python(folder: Path, *arguments: str) -> tuple[str, ...]:
    own = folder / ".venv" / "bin" / "python"
    return (str(own) if own.exists() else sys.executable, "-W", "ignore", *arguments)


async def _stop(process: Process) -> None:
    process.terminate()
    await process.communicate()
