"""Kills workers that hold runs, each at a random moment, and keeps what each kill hit."""

import asyncio
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa

from benchmarks.durable.crew import Crew
from benchmarks.durable.deeds import Deeds

__all__ = ["Hit", "Killer"]

_RUNNING = sa.text("SELECT run_id FROM arc_runs WHERE state = 'running'")
_LEFT = sa.text("SELECT count(*) FROM arc_runs WHERE state <> 'finished'")
_LOOK_S = 0.02


@dataclass(frozen=True, slots=True)
class Hit:
    """A kill of a worker, and the runs that it had begun and not ended."""

    at: float
    pid: int
    run_ids: frozenset[str]


class Killer:
    """Kills of a crew, one after the other.

    Args:
        crew: The workers.
        connection: To their database.
        log: Where they write what they do.
        within_s: So long after a worker is seen at work it is killed, at random.
    """

    def __init__(
        self, crew: Crew, connection: sa.Connection, log: Path, *, within_s: float
    ) -> None:
        self._crew, self._connection, self._within_s = crew, connection, within_s
        self._deeds = Deeds(log)
        self.hits: list[Hit] = []

    @property
    def hit_runs(self) -> set[str]:
        """The runs that were in the hands of a worker when it was killed."""
        return {run_id for hit in self.hits for run_id in hit.run_ids}

    async def kill(self) -> None:
        """Kill one that is at work; if its runs have ended meanwhile, the kill does not count."""
        await self._kill(await self._find(set()))

    async def kill_with_fresh_runs(self) -> None:
        """Kill one that has a run which no kill has hit: the one that has the most of them."""
        await self._kill(await self._find(self.hit_runs))

    async def _find(self, others: set[str]) -> int:
        """A worker that has runs besides these; if these are none, any that has runs."""
        counts: dict[int, int] = {}
        while not any(counts.values()):
            await asyncio.sleep(_LOOK_S)
            counts = {pid: len(self._runs_of(pid) - others) for pid in self._crew.pids}
            if self._connection.scalar(_LEFT) == 0:
                break
        if others:
            return max(counts, key=lambda pid: counts[pid])
        return random.choice([pid for pid, count in counts.items() if count] or self._crew.pids)

    async def _kill(self, pid: int) -> None:
        await asyncio.sleep(random.uniform(0.0, self._within_s))
        self._crew.kill(pid)
        at, run_ids = time.time(), self._runs_of(pid)
        if run_ids:
            self.hits.append(Hit(at, pid, frozenset(run_ids)))
            print(f"\rkilled {len(self.hits)} ", end="", flush=True)

    def _runs_of(self, pid: int) -> set[str]:
        for _ in self._deeds.read():
            pass
        running = set(self._connection.scalars(_RUNNING))
        return running & self._deeds.runs_of[pid]

    def takeovers_s(self) -> Sequence[float]:
        """How long after each kill another process went on with each run, shortest first."""
        later: dict[str, list[tuple[float, int]]] = {}
        for deed in self._deeds.read_all():
            later.setdefault(deed.run_id, []).append((deed.at, deed.pid))
        times = []
        for hit in self.hits:
            for run_id in hit.run_ids:
                after = (at for at, pid in later[run_id] if pid != hit.pid and at > hit.at)
                times += [min(after, default=hit.at) - hit.at]
        return sorted(times)
