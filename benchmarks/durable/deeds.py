"""Reads what an application of `benchmarks.durable.world` has written down, and compares it."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import sqlalchemy as sa

from benchmarks.durable.databases import connect

__all__ = ["Deed", "Deeds", "counts_of_all", "done_again", "repeated_alive"]

_KEYS = {
    "guard": "enter",
    "start": "enter",
    "model1": "model/1",
    "find": "tool/0",
    "look": "tool/1",
    "pay": "tool/2",
    "model2": "model/2",
    "end": "finish",
}
_FIRST_COPY = 3


@dataclass(frozen=True, slots=True)
class Deed:
    """Something that a process began; `at` in seconds since 1970."""

    run_id: str
    point: str
    at: float
    pid: int

    @property
    def key(self) -> str:
        """The step that it belongs to, of a run of one turn."""
        point = self.point.removeprefix("hook-")
        if point.startswith("copy"):
            return f"tool/{_FIRST_COPY + int(point.removeprefix('copy'))}"
        return _KEYS[point]


class Deeds:
    """All that was done, read on from where the last reading ended."""

    def __init__(self, log: Path) -> None:
        self._log, self._place = log, 0
        self.all: list[Deed] = []
        self.runs_of: dict[int, set[str]] = defaultdict(set)
        """The runs that each process had to do with."""

    def read(self) -> Iterator[Deed]:
        """What has come since the last time."""
        if not self._log.exists():
            return
        with self._log.open() as file:
            file.seek(self._place)
            text = file.read()
        whole = text[: text.rfind("\n") + 1]
        self._place += len(whole)
        for line in whole.splitlines():
            run_id, point, at, pid = line.split()
            deed = Deed(run_id, point, float(at), int(pid))
            self.all.append(deed)
            self.runs_of[deed.pid].add(run_id)
            yield deed

    def read_all(self) -> list[Deed]:
        """Everything."""
        for _ in self.read():
            pass
        return self.all


def counts_of_all(log: Path) -> Mapping[str, Counter[str]]:
    """How often each thing was done, by run."""
    done: dict[str, Counter[str]] = defaultdict(Counter)
    for deed in Deeds(log).read_all():
        done[deed.run_id][deed.point] += 1
    return done


def done_again(url: str, deeds: Iterable[Deed]) -> int:
    """How much was begun of steps that had been recorded already."""
    with connect(url) as connection:
        rows = connection.execute(sa.text("SELECT run_id, key, at FROM arc_run_steps")).all()
    recorded = {(one, two): datetime.fromisoformat(at).timestamp() for one, two, at in rows}
    never = float("inf")
    return sum(deed.at > recorded.get((deed.run_id, deed.key), never) for deed in deeds)


def repeated_alive(deeds: Iterable[Deed], killed: Collection[int]) -> int:
    """How much was done again although no process that had begun it was killed."""
    pids: dict[tuple[str, str], list[int]] = defaultdict(list)
    for deed in deeds:
        pids[deed.run_id, deed.point].append(deed.pid)
    return sum(pid not in killed for all_of_one in pids.values() for pid in all_of_one[:-1])
