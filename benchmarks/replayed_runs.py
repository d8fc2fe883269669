"""Replays of runs of many kinds under the same wiring: `python -m benchmarks.replayed_runs`.

Each must be the same as it was recorded, no tool may run, no model and no server may be asked, and
no hook may be told. Of the speed, only time counts in which the process has a core.
"""

import argparse
import asyncio
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from itertools import cycle, islice

from arc_core.recordings import read_recording, write_recording
from arc_core.replay import ReplayVerdict
from benchmarks.recorded_shop import KINDS, Work, make_parts, open_shop, record

__all__ = ["Outcome", "run"]

_BATCH = 500


@dataclass(slots=True)
class Outcome:
    """The findings.

    Attributes:
        runs: How many were replayed.
        turns: How many requests were compared.
        differing: Those that are not the same, with the difference.
        work: What was done by replays, which is nothing.
        seconds: Of a core that the replays took, with reading their lines.
    """

    runs: int = 0
    turns: int = 0
    differing: list[str] = field(default_factory=list)
    work: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0


async def run(count: int) -> Outcome:
    """Record runs, and replay them."""
    outcome, kinds = Outcome(), cycle(KINDS)
    while (left := count - outcome.runs) > 0:
        recordings = await record(islice(kinds, min(left, _BATCH)), make_parts(Work()))
        lines = [write_recording(each) for each in recordings]
        work = Work()
        app = open_shop(make_parts(work))
        app.build()
        began = time.process_time()
        async for found in app.replay(map(read_recording, lines)):
            outcome.runs += 1
            outcome.turns += found.turns
            is_rejected = found.verdict is ReplayVerdict.SAME and not found.turns
            if found.verdict is not ReplayVerdict.SAME and not is_rejected:
                prompt = recordings[(outcome.runs - 1) % _BATCH].command.user_prompt
                outcome.differing.append(f"{prompt.split('  ')[0]}: {found}")
        outcome.seconds += time.process_time() - began
        outcome.work += work.done
    return outcome


def main() -> None:
    """Measure, and print what was seen."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10_000)
    outcome = asyncio.run(run(parser.parse_args().runs))
    speed = outcome.runs / outcome.seconds
    sys.stdout.write(
        f"{outcome.runs} runs, {outcome.turns} requests compared, {len(outcome.differing)} differ; "
        f"work done: {dict(outcome.work)}; {speed:.0f} runs a second of a core\n"
    )
    for line in outcome.differing[:20]:
        sys.stdout.write(f"  {line}\n")


if __name__ == "__main__":
    main()
