"""Many streams at once, beside as many from the engine of the same process."""

import argparse
import asyncio
import json
import time

import httpx2

from benchmarks.__main__ import vendor
from benchmarks.fake_vendor import text_of
from benchmarks.serving.served import Served, client_of, read_events, served

__all__ = ["run"]

_WORDS = 200


async def run(options: argparse.Namespace) -> None:
    """Print a row for each script of the vendor: what a piece costs, and when the first comes."""
    print("the vendor sends | bare µs/piece | served µs/piece | ratio | first piece: bare | served")
    for title, script in (("as fast as it can", "turns=1"), ("a piece in 20 ms", "delay=20")):
        with vendor() as url:
            settings = {
                "llm": {
                    "provider": "openai",
                    "base_url": f"{url}/words={_WORDS},{script}/v1",
                    "model": "bench-1",
                },
                "concurrency": {"max_concurrent_requests": 1000, "request_timeout_s": 300},
                "guard": {"rate_limit_per_minute": 0, "rate_limit_per_hour": 0},
                "server": {"port": 0},
                "logging": {"level": "ERROR"},
            }
            async with served(**settings) as process:
                await _compare(process, title, options.streams, rounds=options.rounds)


async def _compare(process: Served, title: str, streams: int, *, rounds: int) -> None:
    await process.ask("bare 3")
    await _read_many(process, 3)
    bare, reached, firsts, bare_firsts = [], [], [], []
    for _ in range(rounds):
        found = await process.ask(f"bare {streams}")
        assert found["pieces"] == _WORDS * streams, found
        bare.append(found["cpu_s"])
        bare_firsts.append(found["first_s"])
        cpu_s, first_s = await _read_many(process, streams)
        reached.append(cpu_s)
        firsts.append(first_s)
    per_piece = 1e6 / (_WORDS * streams)
    print(
        f"{title} | {min(bare) * per_piece:.0f} | {min(reached) * per_piece:.0f} | "
        f"{min(reached) / min(bare):.2f} | {1e3 * min(bare_firsts):.0f} ms | "
        f"{1e3 * min(firsts):.0f} ms",
        flush=True,
    )


async def _read_many(process: Served, streams: int) -> tuple[float, float]:
    """The CPU seconds of the server, and the median time to the first piece."""
    before = (await process.ask())["cpu_s"]
    async with client_of(process.address) as client, asyncio.TaskGroup() as group:
        tasks = [group.create_task(_read(client)) for _ in range(streams)]
    firsts = sorted(task.result() for task in tasks)
    return (await process.ask())["cpu_s"] - before, firsts[len(firsts) // 2]


async def _read(client: httpx2.AsyncClient) -> float:
    """Read a stream to its end, and check its text; the seconds to the first piece."""
    began, first, texts = time.perf_counter(), 0.0, list[str]()
    body = {"message": "How is it?"}
    async with client.stream("POST", "/api/chat/stream", json=body) as response:
        async for _, name, data in read_events(response):
            if name == "message":
                first = first or time.perf_counter() - began
                texts.append(json.loads(data)["text"])
    assert "".join(texts) == text_of(_WORDS), (response.status_code, texts[:3])
    return first
