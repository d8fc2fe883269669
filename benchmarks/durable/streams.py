"""One run is read by six processes, one after the other; five are killed while they read.

`python -m benchmarks.durable.streams URL RUN AFTER` is such a reader: it prints a line a piece.
"""

import argparse
import asyncio
import sys
from pathlib import Path

from arc_core import TextDelta
from benchmarks.durable.databases import empty_database
from benchmarks.durable.matrix import start
from benchmarks.durable.world import World, application

__all__ = ["read", "run"]

_PIECES = 600
_CUTS = 5


async def run(options: argparse.Namespace) -> None:
    """Print whether the pieces together are the text, none missing and none twice."""
    pieces = options.runs or _PIECES
    with empty_database("postgres") as (url, folder):
        worker = await start(url, folder / "log", pieces=pieces)
        async with application(url, World(folder / "log"), work=False) as app:
            await app.submit("run=r1 turns=1", run_id="r1")
            texts: list[str] = []
            after = 0
            for cut in range(1, _CUTS + 2):
                most = None if cut > _CUTS else pieces // (_CUTS + 2)
                after = await _read_on(url, after, texts, most=most)
            result = await app.result("r1")
        worker.terminate()
        await worker.communicate()
    whole = getattr(result, "content", None)
    print(f"{_CUTS} cuts, {len(texts)} pieces, the same text: {''.join(texts) == whole}")


async def _read_on(url: str, after: int, texts: list[str], *, most: int | None) -> int:
    """Read in a process of its own, which is killed after some pieces; the place reached."""
    command = [sys.executable, "-m", "benchmarks.durable.streams", url, "r1", str(after)]
    reader = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    assert reader.stdout is not None
    read = 0
    while (most is None or read < most) and (line := (await reader.stdout.readline()).decode()):
        seq, _, text = line.rstrip("\n").partition(" ")
        after = int(seq)
        texts.append(text)
        read += 1
    if most is not None:
        reader.kill()
    await reader.communicate()
    return after


async def read(url: str, run_id: str, after: str) -> None:
    """Print the pieces of a run from one on, with their places."""
    async with (
        application(url, World(Path("/dev/null")), work=False) as app,
        app.attach(run_id, after=int(after)) as attached,
    ):
        async for event in attached.events():
            if isinstance(event, TextDelta):
                print(event.seq, event.text, flush=True)


if __name__ == "__main__":
    asyncio.run(read(*sys.argv[1:]))
