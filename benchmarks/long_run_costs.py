"""The memory and the CPU of a run longer than its window: `python -m benchmarks.long_run_costs`.

The run of `benchmarks.long_runs`, with its vendor in another process. It prints how much the
resident memory of the engine's process grows from turn 20 to its highest, and the CPU of that
process for a late turn, in that for one about turn 20 whose request has the same size. Of each turn
the least of several runs counts, since other processes of the machine can only add to it. A turn is
all that happens from the end of a tool to the beginning of the next one.
"""

import argparse
import asyncio
import multiprocessing
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median

from arc_core import AgentCommand, tool
from arc_core.settings import AgentSettings, ConcurrencySettings, LlmSettings
from arc_core.testing import scripted_agent
from arc_core.testing.conformance.components import running
from arc_core.testing.vendor_server import VendorServer
from arc_plugins.compactors.clearing import ClearingCompactor
from arc_plugins.estimators.heuristic import HeuristicTokenEstimator
from benchmarks.long_runs import SIZES, Worker, make_facts, write_report
from benchmarks.prefix_vendors import VENDORS

__all__ = ["Turn", "compare_cpu", "measure"]

_FORM = VENDORS["openai chat"]
_EARLY = 20
_EARLY_WITHIN = 6
_ALIKE = 0.1
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn of the run.

    Attributes:
        request_bytes: As the vendor has received them.
        cpu_s: Of the process, without the tool.
        resident_bytes: Of the process, at its end.
    """

    request_bytes: int
    cpu_s: float
    resident_bytes: int


async def measure(turns: int, window: int, sizes: Sequence[int] = SIZES) -> Sequence[Turn]:
    """Return the turns of one run."""
    measured = list[tuple[float, int]]()
    with _vendor(turns) as vendor:
        llm = LlmSettings(
            base_url=f"{vendor.recv()}{_FORM.path}",
            system_prompt="Read all reports.",
            max_context_window_tokens=window,
        )
        settings = AgentSettings(
            llm=llm, max_tool_calls=turns + 1, concurrency=ConcurrencySettings(request_timeout_s=0)
        )
        async with running(_FORM.model(llm)) as model:
            ended_at = time.process_time()

            @tool
            def read_report(number: int) -> str:
                """Read a report by its number."""
                nonlocal ended_at
                cpu_s = time.process_time() - ended_at
                measured.append((cpu_s, _count_resident_bytes()))
                report = write_report(number, (), sizes)
                ended_at = time.process_time()
                return report

            agent = scripted_agent(
                model,
                settings,
                tools=(read_report,),
                compactor=ClearingCompactor(),
                token_estimator=HeuristicTokenEstimator(),
            )
            result = await agent.execute(AgentCommand(user_prompt="What is in the reports?"))
        assert result.success, result.error_message
        vendor.send("end")
        request_sizes = vendor.recv()
    return [Turn(size, *each) for size, each in zip(request_sizes, measured, strict=False)]


@contextmanager
def _vendor(turns: int) -> Iterator[Connection]:
    """A vendor in a process of its own; says its address, and at its end the sizes of requests."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=_serve, args=(theirs, turns))
    process.start()
    try:
        yield ours
    finally:
        ours.close()
        process.terminate()
        process.join()


def _serve(pipe: Connection, turns: int) -> None:
    asyncio.run(_answer(pipe, turns))


async def _answer(pipe: Connection, turns: int) -> None:
    worker = Worker(_FORM, turns, make_facts(turns, 0))
    async with VendorServer(*[worker.reply] * (turns + 1)) as server:
        pipe.send(server.url)
        await asyncio.to_thread(pipe.recv)
        pipe.send([len(each.body) for each in server.requests])


def _count_resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * _PAGE_BYTES


def compare_cpu(turns: Sequence[Turn]) -> float:
    """Return the CPU of late turns in that of early ones of the same size, by the median.

    Raises:
        ValueError: No late turn has the size of an early one.
    """
    early = turns[_EARLY - _EARLY_WITHIN : _EARLY + _EARLY_WITHIN + 1]
    late = turns[-max(1, len(turns) // 5) :]
    ratios = []
    for one in early:
        alike = [
            each.cpu_s
            for each in late
            if abs(each.request_bytes - one.request_bytes) <= _ALIKE * one.request_bytes
        ]
        if alike:
            ratios.append(median(alike) / one.cpu_s)
    if not ratios:
        raise ValueError("no late turn has a request of that size; try another window")
    return median(ratios)


def main() -> None:
    """Measure and report."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.long_run_costs", description=__doc__
    )
    parser.add_argument("--turns", type=int, default=500, help="of the run (500)")
    parser.add_argument("--window", type=int, default=50_000, help="tokens (50 000)")
    parser.add_argument("--runs", type=int, default=4, help="of which each turn's least counts (4)")
    options = parser.parse_args()
    os.environ["OPENAI_API_KEY"] = "sk-bench"
    runs = [asyncio.run(measure(options.turns, options.window)) for _ in range(options.runs)]
    turns = runs[0]  # the later ones begin with what it has left in memory
    grown = max(each.resident_bytes for each in turns[_EARLY:]) - turns[_EARLY].resident_bytes
    least = [min(same, key=lambda turn: turn.cpu_s) for same in zip(*runs, strict=True)]
    print(f"memory: +{grown / 2**20:.1f} MiB from turn {_EARLY} to its highest")
    print(f"CPU of a late turn, in that of an early one: {compare_cpu(least):.2f}")


if __name__ == "__main__":
    main()
