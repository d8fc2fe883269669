"""500 runs at once in 4 processes on one budget: `python -m benchmarks.budgets --redis-url …`.

Some run out of time, some are left early, some of their calls are refused by the vendor, and the
processes are killed by SIGKILL and replaced. Runs that are refused try again, so that little of the
budget is left. A fake vendor on loopback counts what it bills.
"""

import argparse
import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.request import urlopen

from arc_autoconfig import Application
from benchmarks.budgets.worker import RESERVATION_S, settings_for


def options() -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.budgets", description=__doc__)
    parser.add_argument("--redis-url", required=True, help="of any database")
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--processes", type=int, default=4)
    parser.add_argument("--kills", type=int, default=4)
    parser.add_argument("--cap", type=int, default=30_000, help="tokens of the tenant in a day")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tenant", default=f"bench-{uuid.uuid4().hex}", help="whose the budget is")
    return parser.parse_args()


@contextmanager
def running_vendor() -> Iterator[str]:
    """The port of a vendor."""
    program = [sys.executable, "-m", "benchmarks.budgets.vendor"]
    vendor = subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert vendor.stdout is not None
    try:
        yield vendor.stdout.readline().strip()
    finally:
        vendor.kill()
        vendor.wait()


class Worker:
    """A process with runs."""

    def __init__(self, asked: argparse.Namespace, port: str, *, runs: int, seed: int) -> None:
        self.runs = runs
        values = (port, asked.redis_url, asked.tenant, asked.cap, runs, seed)
        self._program = [sys.executable, "-m", "benchmarks.budgets.worker", *map(str, values)]
        self.process: asyncio.subprocess.Process | None = None
        self.outcomes: list[str] = []

    async def work(self, *, dies_after_s: float | None) -> None:
        """Run to the end, or until it is killed."""
        process = self.process = await asyncio.create_subprocess_exec(
            *self._program, stdout=subprocess.PIPE
        )
        assert process.stdout is not None
        loop, alarm = asyncio.get_running_loop(), None
        async for line in process.stdout:
            if alarm is None and dies_after_s is not None:
                alarm = loop.call_later(dies_after_s, self.kill)
            self.outcomes.append(line.decode().strip())
        await process.wait()
        if alarm is not None:
            alarm.cancel()

    @property
    def was_killed(self) -> bool:
        """Whether it has not ended by itself."""
        return self.process is not None and self.process.returncode == -signal.SIGKILL

    def kill(self) -> None:
        """As suddenly as a process can end."""
        if self.process is not None and self.process.returncode is None:
            os.kill(self.process.pid, signal.SIGKILL)


async def work_in_place(asked: argparse.Namespace, port: str, place: int) -> list[str]:
    """The runs of one place, whose process is replaced when it is killed."""
    left, outcomes = asked.runs // asked.processes, list[str]()
    kills = asked.kills // asked.processes
    for life in range(kills + 1):
        worker = Worker(asked, port, runs=left, seed=asked.seed + 100 * place + life)
        dies = random.uniform(0.05, 0.8) if life < kills else None
        await worker.work(dies_after_s=dies)
        outcomes += [*worker.outcomes, *(["process killed"] if worker.was_killed else [])]
        left -= len(worker.outcomes)
        outcomes += ["killed"] * left if life == kills else []
        if left < 1:
            break
    return outcomes


def ask_vendor(port: str) -> dict[str, int]:
    """What was billed."""
    with urlopen(f"http://127.0.0.1:{port}/billed") as answer:
        billed: dict[str, int] = json.load(answer)
    return billed


async def main() -> None:
    """Run, wait for what the killed ones held, and compare."""
    asked = options()
    random.seed(asked.seed)
    with running_vendor() as port:
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(work_in_place(asked, port, place))
                for place in range(asked.processes)
            ]
        outcomes = Counter(each for task in tasks for each in task.result())
        await asyncio.sleep(RESERVATION_S + 0.5)
        billed = await asyncio.to_thread(ask_vendor, port)
        async with Application(settings_for(port, asked.redis_url, asked.cap)) as application:
            states = await application.container.budgets().states(tenant_id=asked.tenant)
    print(f"outcomes: {dict(outcomes)}; requests to the vendor: {billed['requests']}")
    (state,) = [each for each in states if each.limit == "tenant_tokens_per_day"]
    total = billed["prompts"] + billed["words"]
    print(f"cap {asked.cap}; billed {total}, of that in calls cut off {billed['cut_off']}")
    print(f"counted {state.spent}, {float(state.spent) / asked.cap:.1%} of the cap")
    print(f"overspend by what was billed: {max(0, total - asked.cap)}")
    print(f"overspend by what was counted: {max(0, int(state.spent) - asked.cap)}")
    print(f"reserved after {RESERVATION_S} s: {state.reserved}")


if __name__ == "__main__":
    asyncio.run(main())
