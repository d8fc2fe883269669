"""Forks of recorded runs after each of their steps: `python -m benchmarks.forked_runs`.

Runs of several kinds are recorded in SQLite: calls at the same time, another agent that is asked,
one that takes over, an approval, a failure. Each is forked after every step of its own. A fork must
do nothing again that was done before, and the rows of the run must stay as they are, byte for byte.
"""

import argparse
import asyncio
import sqlite3
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from arc_autoconfig import Application
from arc_core import AgentResult, Approve, RunStore
from arc_core.recordings import StepKey
from benchmarks.recorded_shop import Work, make_parts, open_shop

__all__ = ["KINDS", "Outcome", "run"]

KINDS = ("parallel", "delegate", "hand over", "approve", "fail", "plain")


def _open_database(database: Path, work: Work) -> Application:
    """Return the shop on a file of runs, not started."""
    parts = make_parts(work)
    durable = {"enabled": True, "url": f"sqlite:///{database}", "work": True}
    return open_shop({**parts, "settings": {**parts["settings"], "durable": durable}})


@dataclass(slots=True)
class Outcome:
    """The findings.

    Attributes:
        runs: How many were forked.
        forks: How many forks were made.
        done_again: Forks that have done something again, with what it was.
        changed: Runs whose rows are others after their forks.
        differing: Forks that have ended otherwise than their runs.
    """

    runs: int = 0
    forks: int = 0
    done_again: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    differing: list[str] = field(default_factory=list)


async def run(count: int) -> Outcome:
    """Record runs, and fork each after every step."""
    outcome, work = Outcome(), Work()
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "runs.db"
        async with _open_database(database, work) as app:
            for number in range(count):
                prompt = f"{KINDS[number % len(KINDS)]}/{number}"
                await Forking(app, database, work=work, outcome=outcome).fork_after_each_step(
                    prompt
                )
    return outcome


class Forking:
    """Runs one command, and forks of its run.

    Args:
        app: Runs them.
        database: Keeps them.
        work: What was done.
        outcome: Where it is noted what was seen.
    """

    def __init__(self, app: Application, database: Path, *, work: Work, outcome: Outcome) -> None:
        self._app, self._database = app, database
        self._work, self._outcome = work, outcome

    async def fork_after_each_step(self, prompt: str) -> None:
        """Run a command, fork its run, and look at the rows of the run again."""
        agent = self._app.agent("clerk")
        run_id = await agent.submit(prompt)
        result = await self._finish(run_id)
        rows, recorded = self._read_rows(run_id), await self._read_steps(run_id)
        for after in recorded:
            if after != "finish" and after.count("/") <= 1:
                self._work.done.clear()
                async with self._app.fork(run_id, after=after) as fork:
                    again = await self._finish(fork.id)
                name = f"{prompt} after {after}"
                await self._compare(name, recorded, after=after, fork_id=fork.id)
                if again.content != result.content or again.error_code != result.error_code:
                    self._outcome.differing.append(name)
        self._outcome.runs += 1
        if self._read_rows(run_id) != rows:
            self._outcome.changed.append(prompt)

    async def _compare(
        self, name: str, recorded: Mapping[str, str], *, after: str, fork_id: str
    ) -> None:
        """Note what a fork has done again, or has done without a step of its own."""
        steps = await self._read_steps(fork_id)
        again = [key for key in _list_before(recorded, after) if steps.get(key) != recorded[key]]
        kinds = [StepKey.parse(key) for key, text in steps.items() if recorded.get(key) != text]
        made = Counter(key.kind for key in kinds if key is not None)
        done = self._work.done
        has_failed = name.startswith("fail")  # the question that fails leaves no step
        calls = sum(done[each] for each in ("find", "look", "pay"))
        self._outcome.forks += 1
        if (
            again
            or done["start"] > made["enter"]
            or done["model"] > made["model"] + has_failed
            or calls > made["tool"]
        ):
            self._outcome.done_again.append(f"{name}: {again or dict(done)}")

    async def _finish(self, run_id: str) -> AgentResult[Any]:
        """Bring a run to its end, and approve what waits."""
        while True:
            async with self._app.attach(run_id) as run:
                result = await run.result()
            if not result.waiting:
                return result
            for request in result.waiting:
                await self._app.decide(run_id, request.key, Approve(), by="ann")

    async def _read_steps(self, run_id: str) -> Mapping[str, str]:
        store: RunStore = self._app.component(RunStore)
        return (await store.recording(run_id)).steps

    def _read_rows(self, run_id: str) -> list[list[Any]]:
        """Return all rows of a run, as the tables have them."""
        with closing(sqlite3.connect(self._database)) as connection:
            return [
                connection.execute(f"SELECT * FROM {table} WHERE {key} = ?", [run_id]).fetchall()
                for table, key in _TABLES
            ]


def _list_before(keys: Iterable[str], after: str) -> Sequence[str]:
    """Return the steps that surely were before a fork: of calls at once only the call itself."""
    ended = [*keys]
    place = ended.index(after)
    if not after.startswith(("tool/", "approve/")):
        return ended[: place + 1]
    turn = max(index for index, key in enumerate(ended[:place]) if key.startswith("model/"))
    return [*ended[: turn + 1], after]


_TABLES = (
    ("arc_runs", "run_id"), ("arc_run_steps", "run_id"), ("arc_run_events", "run_id"),
    ("arc_approvals", "run_id"), ("arc_run_part_uses", "used_by"),
)  # fmt: skip


def main() -> None:
    """Measure, and print what was seen."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    outcome = asyncio.run(run(parser.parse_args().runs))
    sys.stdout.write(
        f"{outcome.runs} runs, {outcome.forks} forks; done again: {len(outcome.done_again)}; "
        f"changed: {len(outcome.changed)}; ended otherwise: {len(outcome.differing)}\n"
    )
    for line in (*outcome.done_again, *outcome.changed, *outcome.differing):
        sys.stdout.write(f"  {line}\n")


if __name__ == "__main__":
    main()
