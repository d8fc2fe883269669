"""A server as a child process: what it may send, and that it ends.

The SDK's own transport reads lines of any length, hands the server's standard error to the
terminal, and leaves what a killed server has started.
"""

import asyncio
import os
import shutil
import signal
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncGenerator, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import anyio
import mcp_types as types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client.stdio import get_default_environment
from mcp.shared.message import SessionMessage

from arc_core import Logger
from arc_core.text.masking import MASK
from arc_plugins.tools.mcp.settings import McpServerSettings

_CHUNK_BYTES = 64 * 1024
_MAX_LINE_BYTES = 2_000
_WINDOW_S = 10.0
_LINES_PER_WINDOW = 100


class ServerOutput:
    """Logs lines, without tokens; of a flood it logs the first hundred in ten seconds."""

    def __init__(
        self,
        server: str,
        *,
        logger: Logger,
        tokens: Sequence[str] = (),
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._server, self._logger, self._now = server, logger, now
        self._tokens = tokens
        self._window_start, self._in_window = now(), 0

    async def read_from(self, stream: asyncio.StreamReader) -> None:
        """Log what comes until it ends; a line is cut after 2000 bytes."""
        line, is_cut = bytearray(), False
        while chunk := await stream.read(_CHUNK_BYTES):
            pieces = chunk.split(b"\n")
            for number, piece in enumerate(pieces):
                if number:
                    self._log(line, is_cut=is_cut)
                    line, is_cut = bytearray(), False
                room = _MAX_LINE_BYTES - len(line)
                line += piece[:room]
                is_cut = is_cut or len(piece) > room
        self._log(line, is_cut=is_cut)

    def _log(self, line: bytearray, *, is_cut: bool) -> None:
        if not line.strip():
            return
        now = self._now()
        if now - self._window_start >= _WINDOW_S:
            self._window_start, self._in_window = now, 0
        self._in_window += 1
        if self._in_window <= _LINES_PER_WINDOW:
            text = mask_tokens(make_harmless(bytes(line)), self._tokens) + "…" * is_cut
            self._logger.info("mcp server writes", server=self._server, line=text)
        elif self._in_window == _LINES_PER_WINDOW + 1:
            self._logger.warning(
                "mcp server writes too much to its standard error; the rest is left out for now",
                server=self._server,
            )


def mask_tokens(value: Any, tokens: Collection[str]) -> Any:
    """Return what a server has sent, JSON or a text, without the tokens that it was given."""
    if isinstance(value, str):
        for token in tokens:
            value = value.replace(token, MASK)
        return value
    if isinstance(value, list):
        return [mask_tokens(each, tokens) for each in value]
    if isinstance(value, dict):
        items = value.items()
        return {mask_tokens(name, tokens): mask_tokens(each, tokens) for name, each in items}
    return value


def make_harmless(line: bytes) -> str:
    """Text without characters that a terminal would obey, or that hide others."""
    text = line.rstrip(b"\r").decode(errors="backslashreplace")
    return "".join(
        each if each.isprintable() else each.encode("unicode_escape").decode() for each in text
    )


_FLUSH_S = 0.5
_GRACE_S = 2.0
"""The seconds for a server to end by itself, and again after it was asked to."""

_POLL_S = 0.01

Received = SessionMessage | Exception
_T = TypeVar("_T")


@asynccontextmanager
async def connect_to_child(
    settings: McpServerSettings,
    *,
    max_line_bytes: int,
    output: ServerOutput,
    on_too_large: Callable[[], None],
) -> AsyncGenerator[Any]:
    """A connection for the SDK's `Client`; afterwards the process and its group have ended.

    The process sees `env` and what the SDK deems harmless (`PATH`, `HOME` and the like), not the
    variables of this one. A message of more than `max_line_bytes` ends the connection.
    """
    process = await _start(settings, max_line_bytes)
    incoming, read = anyio.create_memory_object_stream[Received](0)
    write, outgoing = anyio.create_memory_object_stream[SessionMessage](0)
    tasks = [
        asyncio.create_task(_read(process, incoming, on_too_large)),
        asyncio.create_task(_write(process, outgoing, incoming)),
        asyncio.create_task(output.read_from(_pipe(process.stderr))),
    ]
    try:
        yield read, write
    finally:
        with anyio.CancelScope(shield=True):
            read.close()
            write.close()
            await asyncio.wait(tasks[1:2], timeout=_FLUSH_S)
            await _end(process)
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
            incoming.close()
            outgoing.close()


async def _start(settings: McpServerSettings, max_line_bytes: int) -> Process:
    command = settings.command
    assert command is not None
    env = {name: value.get_secret_value() for name, value in settings.env.items()}
    # Nothing is awaited between the start and the caller's `try`, or a cancellation would leave the
    # process behind.
    return await asyncio.create_subprocess_exec(
        shutil.which(command) or command if sys.platform == "win32" else command,
        *settings.args,
        env={**get_default_environment(), **env},
        cwd=settings.cwd,
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
        limit=max_line_bytes,
        start_new_session=True,
    )


def _pipe(pipe: _T | None) -> _T:
    assert pipe is not None
    return pipe


async def _read(
    process: Process, incoming: MemoryObjectSendStream[Received], on_too_large: Callable[[], None]
) -> None:
    stdout = _pipe(process.stdout)
    async with incoming:
        while True:
            try:
                line = await stdout.readuntil(b"\n")
            except asyncio.LimitOverrunError:
                on_too_large()
                return
            except (asyncio.IncompleteReadError, ConnectionError):
                return
            try:
                await incoming.send(_message(line))
            except (anyio.ClosedResourceError, anyio.BrokenResourceError):
                return


def _message(line: bytes) -> Received:
    try:
        return SessionMessage(types.jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValueError as error:
        return error


async def _write(
    process: Process,
    outgoing: MemoryObjectReceiveStream[SessionMessage],
    incoming: MemoryObjectSendStream[Received],
) -> None:
    stdin = _pipe(process.stdin)
    try:
        async with outgoing:
            async for each in outgoing:
                text = each.message.model_dump_json(by_alias=True, exclude_unset=True)
                stdin.write(text.encode() + b"\n")
                await stdin.drain()
    except (ConnectionError, OSError):
        await incoming.aclose()  # what was just asked will not be answered


async def _end(process: Process) -> None:
    """Close its input, wait, then end it and everything in its process group."""
    _pipe(process.stdin).close()
    await _wait_until(lambda: process.returncode is not None)
    if _signal(process, signal.SIGTERM):
        await _wait_until(lambda: not _is_there(process))
        if _signal(process, getattr(signal, "SIGKILL", signal.SIGTERM)):
            await _wait_until(lambda: not _is_there(process))
    # A process that has left the group may keep the pipes open, and asyncio waits for them.
    process._transport.close()  # type: ignore[attr-defined]  # noqa: SLF001 -- nothing public closes it


def _is_there(process: Process) -> bool:
    return process.returncode is None or _signal(process, 0)


def _signal(process: Process, number: int) -> bool:
    """True if there is a process of the group, which was sent the signal."""
    try:
        if sys.platform == "win32":
            process.send_signal(number)
        else:
            os.killpg(process.pid, number)
    except ProcessLookupError:
        return False
    except PermissionError:
        return sys.platform != "darwin"  # what a group of dead processes is there
    return True


async def _wait_until(is_so: Callable[[], bool]) -> None:
    """Look for as long as the grace lasts.

    `Process.wait` also waits for other processes that hold its pipes.
    """
    with anyio.move_on_after(_GRACE_S):
        while not is_so():  # noqa: ASYNC110 -- no event tells of the end of a group
            await asyncio.sleep(_POLL_S)
