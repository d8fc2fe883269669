"""Many streams at once, beside as many from the engine of the same process."""

import argparse
import asyncio
import json
import time
from dataclasses import dataclass
from urllib.parse import urlsplit

from benchmarks.fake_vendor import get_text
from benchmarks.processes import vendor
from benchmarks.serving.served import Served, serve

__all__ = ["Cost", "compare", "run"]

_WORDS = 200
_BODY = b'{"message": "How is it?"}'
_REQUEST = (
    b"POST /api/chat/stream HTTP/1.0\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
    b"content-length: %d\r\n\r\n%b" % (len(_BODY), _BODY)
)


@dataclass(frozen=True)
class Cost:
    """What streams cost a served application, and its engine without HTTP.

    Attributes:
        bare_us: CPU of a piece of the engine.
        served_us: CPU of a piece that is served.
        bare_first_ms: The time to the first piece of the engine.
        served_first_ms: The time to the first piece that is served.
    """

    bare_us: float
    served_us: float
    bare_first_ms: float
    served_first_ms: float


async def run(options: argparse.Namespace) -> None:
    """Print a row for each script of the vendor: what a piece costs, and when the first comes."""
    print("the vendor sends | bare µs/piece | served µs/piece | ratio | first piece: bare | served")
    for title, script in (("as fast as it can", "turns=1"), ("a piece in 20 ms", "delay=20")):
        cost = await compare(script, options.streams, rounds=options.rounds)
        print(
            f"{title} | {cost.bare_us:.0f} | {cost.served_us:.0f} | "
            f"{cost.served_us / cost.bare_us:.2f} | {cost.bare_first_ms:.0f} ms | "
            f"{cost.served_first_ms:.0f} ms",
            flush=True,
        )


async def compare(script: str, streams: int, *, rounds: int) -> Cost:
    """Return the least of some rounds, for a script of the vendor."""
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
        async with serve(**settings) as process:
            return await _compare(process, streams, rounds=rounds)


async def _compare(process: Served, streams: int, *, rounds: int) -> Cost:
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
    return Cost(
        bare_us=min(bare) * per_piece,
        served_us=min(reached) * per_piece,
        bare_first_ms=1e3 * min(bare_firsts),
        served_first_ms=1e3 * min(firsts),
    )


async def _read_many(process: Served, streams: int) -> tuple[float, float]:
    """The CPU seconds of the server, and the median time to the first piece."""
    before = (await process.ask("cpu"))["cpu_s"]
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(_read(process.address)) for _ in range(streams)]
    firsts = sorted(task.result() for task in tasks)
    return (await process.ask("cpu"))["cpu_s"] - before, firsts[len(firsts) // 2]


async def _read(address: str) -> float:
    """Read a stream to its end, and check its text; the seconds to the first piece.

    Nothing of it is parsed before the end, since the reader shares the machine with the server.
    """
    url, found, began, first = urlsplit(address), bytearray(), time.perf_counter(), 0.0
    reader, writer = await asyncio.open_connection(url.hostname, url.port)
    writer.write(_REQUEST)
    while data := await reader.read(65_536):
        found += data
        if not first and b"event: message" in found:
            first = time.perf_counter() - began
    writer.close()
    lines = (line[6:] for line in found.split(b"\n") if line.startswith(b'data: {"v":1,"type":"te'))
    assert "".join(json.loads(line)["text"] for line in lines) == get_text(_WORDS), found[:500]
    return first
