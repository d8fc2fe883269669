"""Starts served applications, and reads from them."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2

__all__ = ["Served", "client_of", "read_events", "serve"]


class Served:
    """A process that serves.

    Attributes:
        address: Where.
    """

    def __init__(self, process: asyncio.subprocess.Process, address: str) -> None:
        self._process, self.address = process, address

    async def ask(self, line: str = "figures") -> dict[str, float]:
        """What it says to a line."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{line}\n".encode())
        found: dict[str, float] = json.loads(await self._process.stdout.readline())
        return found


@asynccontextmanager
async def serve(**settings: Any) -> AsyncIterator[Served]:
    """A served application with these settings, in a process of its own."""
    environment = {**os.environ, "ARC_BENCH": json.dumps(settings), "OPENAI_API_KEY": "sk-bench"}
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.serving.process"]
    process = await asyncio.create_subprocess_exec(
        *command, env=environment, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        line = (await process.stdout.readline()).decode().strip()
        if not line:
            raise SystemExit("the served application has not started")
        yield Served(process, line)
    finally:
        process.stdin.close()
        await process.wait()


def client_of(address: str) -> httpx2.AsyncClient:
    """A client that opens as many connections as it is asked for."""
    return httpx2.AsyncClient(
        base_url=address, timeout=120, limits=httpx2.Limits(max_connections=None)
    )


async def read_events(response: httpx2.Response) -> AsyncGenerator[tuple[str, str, str]]:
    """The id, the name and the data of each server-sent event."""
    fields: dict[str, str] = {}
    async for line in response.aiter_lines():
        name, _, value = line.partition(": ")
        if name:
            fields[name] = value
        elif "event" in fields:
            yield fields.get("id", ""), fields["event"], fields["data"]
            fields = {}
