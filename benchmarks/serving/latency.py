"""How long a piece takes from the engine to its reader, also in another process."""

import argparse
import asyncio
import json
import time
from uuid import uuid4

import httpx2

from benchmarks.durable.databases import empty_database
from benchmarks.serving.served import client_of, read_events, serve

__all__ = ["run"]

_PIECES, _DELAY_S = 100, 0.05
_READERS = 20
_SETTINGS = {
    "stamps": (_PIECES, _DELAY_S),
    "server": {"port": 0},
    "guard": {"rate_limit_per_minute": 0, "rate_limit_per_hour": 0},
    "logging": {"level": "ERROR"},
}


async def run(options: argparse.Namespace) -> None:
    """Print a row for each way to read; `--streams` runs at most are read at once."""
    readers = min(options.streams, _READERS)
    print(
        f"{readers} runs of {1 / _DELAY_S:.0f} pieces a second | pieces | p50 ms | p95 ms | max ms"
    )
    async with serve(**_SETTINGS) as one, client_of(one.address) as client:
        _tell("in memory, its own stream", await _read_all(client, client, readers))
    with empty_database("postgres") as (url, _):
        durable = {**_SETTINGS, "durable": {"enabled": True, "url": url, "work": True}}
        async with (
            serve(**durable) as one,
            serve(**durable) as two,
            client_of(one.address) as here,
            client_of(two.address) as there,
        ):
            _tell("durable, its own stream", await _read_all(here, here, readers))
            _tell("durable, in another process", await _read_all(here, there, readers))


async def _read_all(
    asking: httpx2.AsyncClient, reading: httpx2.AsyncClient, readers: int
) -> list[float]:
    """What each piece took, in seconds, of runs that one client begins and the other reads."""
    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(
                _read_own(asking) if asking is reading else _read_elsewhere(asking, reading)
            )
            for _ in range(readers)
        ]
    return [each for task in tasks for each in task.result()]


async def _read_own(client: httpx2.AsyncClient, run_id: str | None = None) -> list[float]:
    body = {"user_prompt": "Hi", "respond": "stream", "run_id": run_id or str(uuid4())}
    async with client.stream("POST", "/api/runs", json=body) as response:
        return await _took(response)


async def _read_elsewhere(asking: httpx2.AsyncClient, reading: httpx2.AsyncClient) -> list[float]:
    run_id = str(uuid4())
    begun = asyncio.create_task(_read_own(asking, run_id))
    try:
        while (await reading.get(f"/api/runs/{run_id}")).status_code == 404:  # noqa: ASYNC110
            await asyncio.sleep(0.02)  # the run is begun by another process
        async with reading.stream("GET", f"/api/runs/{run_id}/events") as response:
            return await _took(response)
    finally:
        await begun


async def _took(response: httpx2.Response) -> list[float]:
    """What each piece took that was said while it was read."""
    found, since, pieces = list[float](), time.time_ns(), 0
    async for _, name, data in read_events(response):
        if name == "message":
            said = [int(each) for each in json.loads(data)["text"].split()]
            found += [(time.time_ns() - each) / 1e9 for each in said if each > since]
            pieces += len(said)
    assert pieces == _PIECES, (response.status_code, pieces)
    return found


def _tell(title: str, took: list[float]) -> None:
    took.sort()
    places = (len(took) // 2, len(took) * 95 // 100, -1)
    shown = " | ".join(f"{1e3 * took[place]:.0f}" for place in places)
    print(f"{title} | {len(took)} | {shown}", flush=True)
