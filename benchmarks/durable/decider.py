"""A process that approves everything that waits, once it reads a line that says so.

`python -m benchmarks.durable.decider URL NAME` prints a line when it is ready, and in the end one
of JSON with how many of its decisions counted, and how many came second.
"""

import asyncio
import json
import sys
from collections import Counter
from pathlib import Path

from arc_core import Approve, DecisionError
from benchmarks.durable.world import World, application

__all__ = ["decide_at_once", "main"]


async def main(url: str, name: str) -> None:
    """Decide."""
    told: Counter[str] = Counter(first=0, second=0)
    async with application(url, World(Path("/dev/null")), work=False, waits=True) as app:
        requests = await app.waiting()
        print(len(requests), flush=True)
        await asyncio.to_thread(sys.stdin.readline)
        for request in requests:
            try:
                await app.decide(request.run_id, request.key, Approve(), by=name)
            except DecisionError:
                told["second"] += 1
            else:
                told["first"] += 1
    print(json.dumps(told), flush=True)


async def decide_at_once(url: str, *names: str) -> list[dict[str, int]]:
    """Have processes approve the same at the same time; what each of them was told."""
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.durable.decider", url]
    deciders = [
        await asyncio.create_subprocess_exec(
            *command, name, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
        )
        for name in names
    ]
    for each in deciders:
        assert each.stdout is not None
        await each.stdout.readline()
    told = []
    for each in deciders:
        assert each.stdin is not None
        each.stdin.write(b"go\n")
    for each in deciders:
        out, _ = await each.communicate()
        told.append(json.loads(out))
    return told


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
