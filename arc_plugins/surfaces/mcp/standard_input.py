"""MCP over standard input and output, without keeping the process from its end."""

import asyncio
import os
import threading
from collections.abc import AsyncIterator
from typing import Any, cast

from mcp.server.stdio import stdio_server

from arc_core import Logger, ServedApplication
from arc_plugins.surfaces.mcp.offer import make_server


async def serve(application: ServedApplication, *, logger: Logger) -> None:
    """Serve the program that has started this one, until it closes standard input."""
    server = make_server(application, logger=logger)
    lines = cast("Any", _read_lines(max_bytes=application.max_body_bytes))
    async with stdio_server(stdin=lines) as (read, write):
        await server.run(read, write, server.create_initialization_options())


async def _read_lines(*, max_bytes: int) -> AsyncIterator[str]:
    """Each line; the end of the input, or a line that is too long, is the end.

    A thread reads, which does not outlive the process: one of a pool would keep a process that is
    told to end from ending. Programs that are started meanwhile read nothing.
    """
    loop, lines = asyncio.get_running_loop(), asyncio.Queue[bytes](maxsize=1)
    taken = threading.Semaphore(1)
    wire = os.fdopen(os.dup(0), "rb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)

    def read() -> None:
        line = b"\n"
        while line.endswith(b"\n") and taken.acquire():
            line = wire.readline(max_bytes)
            try:
                loop.call_soon_threadsafe(lines.put_nowait, line)
            except RuntimeError:  # the loop is closed
                return

    threading.Thread(target=read, name="arc-stdin", daemon=True).start()
    while (line := await lines.get()).endswith(b"\n"):
        yield line.decode("utf-8", "replace")
        taken.release()
