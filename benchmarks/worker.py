"""One contestant, one workload, one process: `python -m benchmarks.worker NAME WORKLOAD SIZE URL`.

Prints the figure.
"""

import asyncio
import sys

from benchmarks import workloads
from benchmarks.contestants import contestant


async def main() -> None:
    """Measure."""
    name, workload_name, size_name, vendor = sys.argv[1:]
    size = getattr(workloads, size_name)
    workload = workloads.WORKLOADS[workload_name]
    asked = contestant(name, f"{vendor}/{workload.script(size)}")
    await asked.start()
    print(await workload.measure(asked, size))
    await asked.close()


if __name__ == "__main__":
    asyncio.run(main())
