"""A served application in a process of its own, which its own figures are asked of.

`python -m benchmarks.serving.process` has its settings in `ARC_BENCH` as JSON. It prints where it
serves, and then a line of JSON for each line of standard input: `figures` has the resident bytes,
the objects, the tasks and the open files, `tasks` these alone, `cpu` the CPU seconds so far;
`bare N` reads N streams at once from the engine, without HTTP, and has the CPU seconds of that. It
ends with its input.
"""

import asyncio
import gc
import json
import os
import sys
import time
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import arc_core
from arc_autoconfig import Application, ArcSettings
from arc_autoconfig.server.running import serve

__all__ = ["StampModel", "main"]

_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


class StampModel(arc_core.ChatModel):
    """Answers with the time at which each piece is said, in nanoseconds.

    Args:
        pieces: How many.
        delay_s: Between two of them.
    """

    def __init__(self, pieces: int, delay_s: float) -> None:
        self._pieces, self._delay_s = pieces, delay_s

    async def complete(self, request: arc_core.ChatRequest) -> arc_core.ChatResponse:
        """The time, once."""
        return arc_core.ChatResponse(
            arc_core.AssistantMessage(f"{time.time_ns()} "), arc_core.TokenUsage(1, 1)
        )

    async def stream(self, request: arc_core.ChatRequest) -> AsyncGenerator[arc_core.ChatDelta]:
        """The times."""
        for _ in range(self._pieces):
            await asyncio.sleep(self._delay_s)
            yield arc_core.ChatDelta(text=f"{time.time_ns()} ")
        yield arc_core.ChatDelta(
            usage=arc_core.TokenUsage(1, 1), finish_reason=arc_core.FinishReason.STOP
        )


async def main() -> None:
    """Serve until standard input ends."""
    options: dict[str, Any] = json.loads(os.environ["ARC_BENCH"])
    stamps = options.pop("stamps", None)
    parts = [] if stamps is None else [StampModel(*stamps)]
    app = Application(ArcSettings(_isolated=True, **options), register=parts)
    ending = asyncio.Event()
    serving = asyncio.create_task(serve(app, ending=ending, tell=_tell))
    asked = asyncio.create_task(_answer(app))
    await asyncio.wait((serving, asked), return_when=asyncio.FIRST_COMPLETED)
    ending.set()
    asked.cancel()
    await serving


def _tell(address: str) -> None:
    print(address, flush=True)


async def _answer(app: Application) -> None:
    loop = asyncio.get_running_loop()
    while line := (await loop.run_in_executor(None, sys.stdin.readline)).split():
        found = await _read_bare(app, int(line[1])) if line[0] == "bare" else _figures(line[0])
        print(json.dumps(found), flush=True)


def _figures(what: str) -> dict[str, float]:
    if what == "tasks":
        return {"tasks": len(asyncio.all_tasks())}
    if what == "cpu":
        return {"cpu_s": time.process_time()}
    gc.collect()
    resident = Path("/proc/self/statm").read_text().split()[1]
    return {
        "bytes": int(resident) * _PAGE_BYTES,
        "objects": len(gc.get_objects()),
        "tasks": len(asyncio.all_tasks()),
        "files": len(os.listdir("/proc/self/fd")),
    }


async def _read_bare(app: Application, streams: int) -> dict[str, float]:
    pieces, began, firsts = 0, time.process_time(), list[float]()

    async def read() -> None:
        nonlocal pieces
        started = time.perf_counter()
        first = None
        async for event in app.stream_events(arc_core.AgentCommand(user_prompt="How is it?")):
            if isinstance(event, arc_core.TextDelta):
                first = time.perf_counter() - started if first is None else first
                pieces += 1
        firsts.append(first or 0.0)

    async with asyncio.TaskGroup() as group:
        for _ in range(streams):
            group.create_task(read())
    firsts.sort()
    return {
        "cpu_s": time.process_time() - began,
        "pieces": pieces,
        "first_s": firsts[len(firsts) // 2],
    }


if __name__ == "__main__":
    asyncio.run(main())
