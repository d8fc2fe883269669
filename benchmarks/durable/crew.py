"""Workers that start quickly, since they are forked from a process that has imported everything.

Each is a process of its own, which is killed by SIGKILL as any other.
"""

import asyncio
import multiprocessing
import os
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from benchmarks.durable.deeds import Deeds
from benchmarks.durable.process import main

__all__ = ["Crew", "fork", "until_all_work", "working"]

_PROGRAMS = multiprocessing.get_context("forkserver")
_PROGRAMS.set_forkserver_preload(
    ["benchmarks.durable.process", "arc_plugins.journals.sql.journals"]
)


def fork(url: str, log: Path, *run_ids: str, **options: Any) -> BaseProcess:
    """Start a process that works; see `benchmarks.durable.process`."""
    worker = _PROGRAMS.Process(target=_work, args=((url, str(log), *run_ids), options))
    worker.start()
    return worker


def _work(arguments: tuple[str, ...], options: dict[str, Any]) -> None:
    with Path(os.devnull).open("w") as nowhere, redirect_stdout(nowhere):
        asyncio.run(main(*arguments, options=options))


class Crew:
    """Some workers, each of which is replaced when it is killed."""

    def __init__(self, size: int, url: str, log: Path, **options: Any) -> None:
        self._url, self._log, self._options = url, log, options
        self.killed: set[int] = set()
        self._workers = [self._start() for _ in range(size)]

    @property
    def pids(self) -> list[int]:
        """Of those who live."""
        return [each.pid for each in self._workers if each.pid is not None]

    def kill(self, pid: int) -> None:
        """Kill one, and start another one in its place."""
        place = self.pids.index(pid)
        worker = self._workers[place]
        worker.kill()
        worker.join()
        assert worker.exitcode == -9, worker.exitcode
        self.killed.add(pid)
        self._workers[place] = self._start()

    def _start(self) -> BaseProcess:
        return fork(self._url, self._log, **self._options)

    def close(self) -> None:
        """Have all let go of their runs, and end."""
        for worker in self._workers:
            worker.terminate()
        for worker in self._workers:
            worker.join()


@contextmanager
def working(size: int, url: str, log: Path, **options: Any) -> Iterator[Crew]:
    """Some workers, for as long as the block lasts."""
    crew = Crew(size, url, log, **options)
    try:
        yield crew
    finally:
        crew.close()


async def until_all_work(crew: Crew, log: Path) -> None:
    """Wait until each has begun a run: a worker that starts needs its database."""
    deeds = Deeds(log)
    while not set(crew.pids) <= deeds.runs_of.keys():
        await asyncio.sleep(0.05)
        deeds.read_all()
