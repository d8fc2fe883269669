"""Runs for an hour while everything around them fails: `python -m benchmarks.soak --minutes 60`.

A process serves, with conversations on PostgreSQL and a cache and rate limits on Redis. Its model
answers with 429 and 500, cuts streams and resets connections; one of its tools raises; readers
leave, runs are cancelled; every few seconds all connections to both databases are cut. Rows have
what the process holds when nothing runs. It needs a PostgreSQL server, `ARC_TEST_POSTGRES_URL`, and
the command `redis-server`. The exit code is 1 if a task or a file is left, or memory grew by more
than a tenth between the first third and the end. The log of the process is on standard error.
"""

import argparse
import asyncio
import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import redis

from arc_autoconfig import Application, ArcSettings
from arc_core import UpgradesSchema, tool
from arc_core.interfaces.conversations.conversation_store import ConversationStore
from benchmarks.durable.databases import connect, cut_connections, empty_database
from benchmarks.fake_vendor import render
from benchmarks.serving.served import Served, serve
from benchmarks.vendor_process import Connection
from tests.ports import free_port

_AT_ONCE, _USERS, _WORDS = 48, 200, 20
_CUT_EVERY_S, _QUIET_S, _TIMEOUT_S = 5.0, 30.0, 60.0
_IDLE_TASKS, _IN_PROCESS, _GROWTH = 8, 20, 1.1
_FAULTS = {
    "429": b"HTTP/1.1 429 Too Many Requests\r\nretry-after: 0\r\ncontent-length: 2\r\n\r\n{}",
    "500": b"HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\n\r\n",
}
_KINDS = ("answer",) * 9 + ("tools", "tools", "tools", "429", "500", "cut", "reset")
_PATH = f"/words={_WORDS},tools=%d/v1/chat/completions"

counts: Counter[str] = Counter()


@tool
async def crash(city: str) -> str:
    """Fail."""
    raise RuntimeError(f"{city} is gone")


@tool
def look_up(city: str) -> str:
    """Look something up, in a thread."""
    return f"{city} is there. " * 20


class FailingVendor(Connection):
    """A vendor that fails now and then."""

    def answer(self, path: str, request: dict[str, Any]) -> None:
        kind = random.choice(_KINDS)
        counts[f"vendor: {kind}"] += 1
        if kind in _FAULTS:
            self.transport.write(_FAULTS[kind])
        elif kind == "reset":
            self.transport.abort()
        elif kind == "cut":
            pieces = render(api="chat", streamed=True, words=_WORDS, calls=())
            self.transport.write(b"".join(pieces[: _WORDS // 2]))
            self.transport.close()
        else:
            super().answer(_PATH % (2 if kind == "tools" else 0), request)


async def _exchange(address: str, path: str, body: dict[str, Any], *, most: int = 1 << 30) -> bytes:
    """What is answered, or the first bytes of it, after which the connection leaves."""
    url, content = urlsplit(address), json.dumps(body).encode()
    head = f"POST {path} HTTP/1.0\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
    reader, writer = await asyncio.open_connection(url.hostname, url.port)
    found = bytearray()
    try:
        writer.write(f"{head}content-length: {len(content)}\r\n\r\n".encode() + content)
        async with asyncio.timeout(_TIMEOUT_S):
            while len(found) < most and (piece := await reader.read(65_536)):
                found += piece
    finally:
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()
    return bytes(found)


async def _run_one(address: str) -> None:
    user = str(random.randrange(_USERS))
    body = {"message": f"Question {random.randrange(1000)}", "user_id": user, "session_id": user}
    kind = random.choice(("whole", "streamed", "streamed", "reader leaves", "cancelled"))
    if kind == "whole":
        found = await _exchange(address, "/api/chat", body)
    elif kind == "streamed":
        found = await _exchange(address, "/api/chat/stream", body)
    elif kind == "reader leaves":
        found = await _exchange(address, "/api/chat/stream", body, most=random.choice((1, 400)))
    else:
        run_id = str(uuid4())
        asked = {"user_prompt": body["message"], "run_id": run_id, "respond": "stream"}
        begun = asyncio.create_task(_exchange(address, "/api/runs", asked))
        await asyncio.sleep(random.random() / 20)
        await _exchange(address, f"/api/runs/{run_id}/cancel", {})
        found = await begun
    counts[f"run: {kind}"] += 1
    counts[f"status: {found[9:12].decode()}"] += 1


async def _cut(database: str, redis_url: str) -> None:
    """Cut all connections to both databases, again and again."""
    with redis.Redis.from_url(redis_url) as client:
        while True:
            await asyncio.sleep(_CUT_EVERY_S)
            counts["cut: Redis"] += client.execute_command(
                "CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"
            )
            with connect(database) as connection:
                counts["cut: PostgreSQL"] += cut_connections(connection)


async def _run_until(process: Served, ends: float) -> None:
    loop = asyncio.get_running_loop()
    while loop.time() < ends:
        await _run_one(process.address)


async def _measure(process: Served, title: str) -> dict[str, float]:
    """Wait until nothing runs, and print what the process holds."""
    loop = asyncio.get_running_loop()
    began = loop.time()
    while (await process.ask("tasks"))["tasks"] > _IDLE_TASKS:
        if loop.time() > began + _QUIET_S:
            break
        await asyncio.sleep(0.2)
    figures = await process.ask()
    runs = sum(count for name, count in counts.items() if name.startswith("run: "))
    print(
        f"{title} | {runs} | {figures['bytes'] / 1e6:.1f} | {figures['objects']:.0f} | "
        f"{figures['tasks']:.0f} | {figures['files']:.0f}",
        flush=True,
    )
    return figures


@asynccontextmanager
async def _serve_with(database: str, redis_url: str) -> AsyncIterator[Served]:
    loop = asyncio.get_running_loop()
    vendor = await loop.create_server(FailingVendor, "127.0.0.1", 0, backlog=1024)
    port = vendor.sockets[0].getsockname()[1]
    settings: dict[str, Any] = {
        "llm": {"provider": "openai", "base_url": f"http://127.0.0.1:{port}/v1", "model": "m"},
        "retry": {"max_attempts": 2, "initial_delay_s": 0.001},
        "circuit": {"failure_threshold": 0},
        "conversation": {"url": database},
        "cache": {"enabled": True, "backend": "redis", "redis_url": redis_url},
        "guard": {
            "rate_limit_redis_url": redis_url,
            "rate_limit_per_minute": 1_000_000,
            "rate_limit_per_hour": 1_000_000,
        },
        "plugins": {"load": ["benchmarks.soak:crash", "benchmarks.soak:look_up"]},
        "server": {"port": 0},
        "logging": {"level": "ERROR"},
    }
    upgraded = Application(ArcSettings(_isolated=True, conversation={"url": database}))
    store = upgraded.component(ConversationStore)
    assert isinstance(store, UpgradesSchema)
    await store.upgrade_schema()
    async with serve(**settings) as process:
        yield process
    vendor.close()


async def soak(minutes: float, rows: int) -> bool:
    """Run and print; return whether nothing is left and memory stayed flat."""
    with tempfile.TemporaryDirectory() as folder, empty_database("postgres") as (database, _):
        port = free_port()
        server = await asyncio.create_subprocess_exec(
            *("redis-server", "--port", str(port), "--save", "", "--dir", folder),
            stdout=asyncio.subprocess.DEVNULL,
        )
        try:
            async with _serve_with(database, f"redis://127.0.0.1:{port}/0") as process:
                cutting = asyncio.create_task(_cut(database, f"redis://127.0.0.1:{port}/0"))
                held = await _read_rows(process, minutes, rows)
                cutting.cancel()
        finally:
            server.terminate()
            await server.wait()
    for name, count in sorted(counts.items()):
        print(f"{name} | {count}")
    first, last = held[len(held) // 3], held[-1]
    is_flat = last["bytes"] < _GROWTH * first["bytes"]
    return is_flat and last["tasks"] <= _IDLE_TASKS and last["files"] <= first["files"]


async def _read_rows(process: Served, minutes: float, rows: int) -> list[dict[str, float]]:
    """What the process holds after each part of the time."""
    loop, held = asyncio.get_running_loop(), []
    print("minutes | runs | MB | objects | tasks | files")
    await _measure(process, "0")
    for row in range(1, rows + 1):
        ends = loop.time() + minutes * 60 / rows
        async with asyncio.TaskGroup() as group:
            for _ in range(_AT_ONCE):
                group.create_task(_run_until(process, ends))
        counts["run: in process"] += _IN_PROCESS
        await process.ask(f"bare {_IN_PROCESS}")
        held.append(await _measure(process, f"{minutes * row / rows:.1f}"))
    return held


def main() -> None:
    """Run, and exit with 1 if something is left."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60, help="of the clock (60)")
    parser.add_argument("--rows", type=int, default=12, help="how often what is held is read (12)")
    asked = parser.parse_args()
    sys.exit(0 if asyncio.run(soak(asked.minutes, asked.rows)) else 1)


if __name__ == "__main__":
    main()
