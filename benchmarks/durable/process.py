"""A process that works on durable runs until it is killed, or until the runs that it is given end.

`python -m benchmarks.durable.process URL LOG [RUN …]`: submits the runs, waits for them and prints
a line of JSON for each; without any it works until it is told to stop. `ARC_BENCH` has the rest as
JSON: what a `World` is given, `turns`, `waits`, settings of `durable`,
and `queues`, if it is to work on these only.
"""

import asyncio
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from arc_autoconfig import Application
from arc_core import AgentResult
from benchmarks.durable.world import World, application

__all__ = ["main"]


async def main(url: str, log: str, *run_ids: str, options: dict[str, Any]) -> None:
    """Work."""
    turns, waits = options.pop("turns", 1), options.pop("waits", False)
    durable, queues = options.pop("durable", {}), options.pop("queues", None)
    world = World(Path(log), **options)
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    app = application(url, world, waits=waits, **durable)
    if queues is not None:
        app.container.run_journals().work_on(queues)
    async with app:
        print("ready", flush=True)
        if not run_ids:
            await stop.wait()
            return
        for run_id in run_ids:
            await app.submit(f"run={run_id} turns={turns}", run_id=run_id)
        for run_id in run_ids:
            print(json.dumps(await _end_of(app, run_id)), flush=True)


async def _end_of(app: Application, run_id: str) -> dict[str, object]:
    async with app.attach(run_id) as run:
        async for _ in run.events():
            pass
    result = await app.result(run_id)
    assert isinstance(result, AgentResult), result
    return {"run": run_id, "content": result.content, "code": result.error_code}


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:], options=json.loads(os.environ.get("ARC_BENCH", "{}"))))
