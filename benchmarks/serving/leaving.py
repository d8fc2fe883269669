"""A thousand connections that open and leave, and a thousand more: what the server is left with."""

import argparse
import asyncio
import json
from urllib.parse import urlsplit

from benchmarks.serving.served import Served, client_of, read_events, serve

__all__ = ["run"]

_AT_ONCE = 100
_PIECES = 10_000
_LAST = 5
_BODY = json.dumps({"message": "How is it?"}).encode()
_HEAD = (
    b"POST /api/chat/stream HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
    b"content-length: %d\r\n\r\n" % len(_BODY)
)
_KINDS = ("mid-stream", "before the first piece", "half a request", "half a head", "nothing sent")


async def run(options: argparse.Namespace) -> None:
    """Print a row for each thousand; all kinds of leaving are in each."""
    connections = options.connections
    settings = {
        "stamps": (_PIECES, 0.02),
        "server": {"port": 0},
        "concurrency": {"max_concurrent_requests": _AT_ONCE},
        "guard": {"rate_limit_per_minute": 0, "rate_limit_per_hour": 0},
        "logging": {"level": "ERROR"},
    }
    print("connections | MB | objects | tasks | files | s until all have left")
    async with serve(**settings) as process:
        _tell("0", await process.ask(), 0.0)
        for number in range(1, options.rounds + 2):
            for first in range(0, connections, _AT_ONCE):
                async with asyncio.TaskGroup() as group:
                    for place in range(first, min(first + _AT_ONCE, connections)):
                        group.create_task(_open_and_leave(process, _KINDS[place % len(_KINDS)]))
            left_s = await _wait_until_left(process)
            _tell(str(number * connections), await process.ask(), left_s)
        await _read_all_permits(process)
        print(f"{_AT_ONCE} streams at once begin after that")


def _tell(title: str, figures: dict[str, float], left_s: float) -> None:
    print(
        f"{title} | {figures['bytes'] / 1e6:.1f} | {figures['objects']:.0f} | "
        f"{figures['tasks']:.0f} | {figures['files']:.0f} | {left_s:.2f}",
        flush=True,
    )


async def _open_and_leave(process: Served, kind: str) -> None:
    url = urlsplit(process.address)
    reader, writer = await asyncio.open_connection(url.hostname, url.port)
    sent = {"half a request": _HEAD + _BODY[:5], "half a head": _HEAD[:40], "nothing sent": b""}
    writer.write(sent.get(kind, _HEAD + _BODY))
    await writer.drain()
    if kind == "mid-stream":
        await reader.readuntil(b"event: message")
    writer.close()
    await writer.wait_closed()


async def _wait_until_left(process: Served) -> float:
    """The seconds until no more tasks are there than one request has."""
    loop = asyncio.get_running_loop()
    began = loop.time()
    while (await process.ask("tasks"))["tasks"] > _LAST:
        if loop.time() - began > 10:
            break
        await asyncio.sleep(0.02)
    return loop.time() - began


async def _read_all_permits(process: Served) -> None:
    """As many streams begin at once as may."""
    all_begun = asyncio.Barrier(_AT_ONCE)

    async def read() -> None:
        body = {"message": "How is it?"}
        async with client.stream("POST", "/api/chat/stream", json=body) as response:
            async for _, name, _ in read_events(response):
                if name == "message":
                    await all_begun.wait()
                    return

    async with (
        asyncio.timeout(30),
        client_of(process.address) as client,
        asyncio.TaskGroup() as group,
    ):
        for _ in range(_AT_ONCE):
            group.create_task(read())
