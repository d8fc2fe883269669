"""PostgreSQL is restarted again and again while runs go on; of a server of its own.

Needs the programs of a PostgreSQL server, as Debian's package postgresql brings them.
"""

import argparse
import asyncio
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from arc_autoconfig import Application
from arc_core import AgentResult
from benchmarks.durable.deeds import counts_of_all
from benchmarks.durable.matrix import start
from benchmarks.durable.world import POINTS, World, application

__all__ = ["run"]

_RESTARTS = 3
_PAUSE_S = 3.0


class _Server:
    """A PostgreSQL in a folder.

    Args:
        folder: Where its data are to be.
    """

    def __init__(self, folder: Path) -> None:
        self._folder, self._port = folder, _free_port()
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
    runs = options.runs or 200
    with tempfile.TemporaryDirectory() as notes, _server() as server:
        log = Path(notes) / "log"
        crew = [await start(server.url, log, jitter_s=0.3) for _ in range(2)]
        async with application(server.url, World(log), work=False) as app:
            for number in range(runs):
                await app.submit(f"run=r{number} turns=1", run_id=f"r{number}")
            for restart in range(_RESTARTS):
                await asyncio.sleep(_PAUSE_S)
                mode = "immediate" if restart % 2 else "fast"
                await asyncio.to_thread(server.control, "restart", "-m", mode)
                print(f"restarted {mode}", flush=True)
            answers = await _wait_for_answers(app, runs)
        for worker in crew:
            worker.terminate()
            await worker.communicate()
        done = counts_of_all(log).values()
    print(f"runs {runs}, answers {answers}")
    for point in POINTS:
        again = sum(max(0, each[point] - 1) for each in done)
        print(f"{point}: never {sum(not each[point] for each in done)}, again {again}")


@contextmanager
def _server() -> Iterator[_Server]:
    with tempfile.TemporaryDirectory() as folder:
        server = _Server(Path(folder))
        try:
            yield server
        finally:
            server.control("stop", "-m", "fast")


async def _wait_for_answers(app: Application, runs: int) -> int:
    while True:
        results = [await app.result(f"r{number}") for number in range(runs)]
        if all(isinstance(each, AgentResult) for each in results):
            return sum(isinstance(each, AgentResult) and each.success for each in results)
        await asyncio.sleep(0.5)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
