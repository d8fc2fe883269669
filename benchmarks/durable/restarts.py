"""PostgreSQL is restarted again and again while runs go on; of a server of its own.

Needs the programs of a PostgreSQL server, as Debian's package postgresql brings them.
"""

import argparse
import asyncio
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.durable.claims import Claims
from benchmarks.durable.crew import until_all_work, working
from benchmarks.durable.databases import connect
from benchmarks.durable.many_workers import OPEN, until_finished
from benchmarks.durable.verdict import claim_counts, print_counts, results_of
from benchmarks.durable.world import World, application, submit_runs
from tests.ports import free_port

__all__ = ["run"]

_RESTARTS = 3
_PAUSE_S = 3.0
_JITTER_S = 0.5


class _Server:
    """A PostgreSQL in a folder.

    Args:
        folder: Where its data are to be.
    """

    def __init__(self, folder: Path) -> None:
        self._folder, self._port = folder, free_port()
        self._user = "postgres" if os.geteuid() == 0 else None
        if self._user is not None:
            os.chown(folder, pwd.getpwnam(self._user).pw_uid, -1)
        self._do("initdb", "-A", "trust", "-U", "postgres", "-N", "-D", str(folder / "data"))
        self.control("start")

    @property
    def url(self) -> str:
        """Its address."""
        return f"postgresql://postgres@127.0.0.1:{self._port}/postgres"

    def control(self, action: str, *options: str) -> None:
        """Start, restart or stop it."""
        server = f"-p {self._port} -k {self._folder} -c listen_addresses=127.0.0.1"
        log = str(self._folder / "log")
        self._do(
            "pg_ctl",
            "-D",
            str(self._folder / "data"),
            "-o",
            server,
            "-l",
            log,
            "-w",
            *options,
            action,
        )

    def _do(self, program: str, *arguments: str) -> None:
        found = shutil.which(program) or next(
            map(str, sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{program}"))), program
        )
        subprocess.run(
            [found, *arguments],
            check=True,
            cwd=self._folder,
            user=self._user,
            stdout=subprocess.DEVNULL,
        )


async def run(options: argparse.Namespace) -> None:
    """Print how many answers there are, and what was done twice."""
    runs, restarts = options.runs or 200, options.kills or _RESTARTS
    ids = [f"r{number}" for number in range(runs)]
    with tempfile.TemporaryDirectory() as notes, _server() as server:
        log = Path(notes) / "log"
        async with application(server.url, World(log), work=False) as app:
            await submit_runs(app, ids)
            with working(2, server.url, log, jitter_s=_JITTER_S) as crew:
                await until_all_work(crew, log)
                under_load = await _restart(server, restarts)
                with connect(server.url) as connection:
                    await until_finished(connection)
            answers = await results_of(app, ids)
        claims = Claims()
        claims.equal("restarts under load", under_load, restarts)
        claim_counts(claims, server.url, log, run_ids=ids, answers=answers, hits=())
        print_counts(log)
    claims.end()


async def _restart(server: _Server, times: int) -> int:
    """Restart it, each second time as if it crashed; how often runs went on then."""
    under_load = 0
    for number in range(times):
        await asyncio.sleep(_PAUSE_S)
        with connect(server.url) as connection:
            under_load += bool(connection.scalar(OPEN))
        mode = "immediate" if number % 2 else "fast"
        await asyncio.to_thread(server.control, "restart", "-m", mode)
        print(f"restarted {mode}", flush=True)
    return under_load


@contextmanager
def _server() -> Iterator[_Server]:
    with tempfile.TemporaryDirectory() as folder:
        server = _Server(Path(folder))
        try:
            yield server
        finally:
            server.control("stop", "-m", "fast")
