"""One contestant, one workload, one process: `python -m benchmarks.worker NAME WORK SIZE URL`.

Prints the figure. `arc_alone` is not a contestant: its work is that of `benchmarks.alone`.
"""

import asyncio
import sys
from importlib import import_module

from benchmarks import workloads
from benchmarks.contestants import contestant


async def measure(name: str, work: str, size: workloads.Size, *, vendor: str) -> float:
    """Return the figure."""
    if name == "arc_alone":  # imported only then: a contestant's start has no share of it
        alone = import_module("benchmarks.alone").ALONE
        figure: float = await alone[work].measure(size)
        return figure
    workload = workloads.WORKLOADS[work]
    asked = contestant(name, f"{vendor}/{workload.script(size)}")
    await asked.start()
    try:
        return await workload.measure(asked, size)
    finally:
        await asked.close()


def main() -> None:
    """Measure and print."""
    name, work, size_name, vendor = sys.argv[1:]
    print(asyncio.run(measure(name, work, getattr(workloads, size_name), vendor=vendor)))


if __name__ == "__main__":
    main()
