"""Responses that hold a run while their client is there."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Mapping
from contextlib import aclosing
from itertools import count
from math import inf
from typing import Any, TypeVar
from urllib.parse import quote

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, StreamingResponse
from starlette.types import Message, Receive, Scope, Send

from arc_core.log import get_logger
from arc_core.runs.run import Run
from arc_core.serving.problems import Problem
from arc_core.timing.cancellation import wait_despite_cancellation

logger = get_logger("server")

T = TypeVar("T")

_ALIVE = b": the run goes on\n\n"
_NOT_BUFFERED = {"cache-control": "no-store", "x-accel-buffering": "no"}
_MAX_PIECE_BYTES = 65_536
_LOOK_S = 0.5
_PATIENCE_S = 120.0


class ClientGoneError(Exception):
    """The client has left before its answer."""


HeldRun = Run
"""A run that is held from the check of a request to the end of its response."""


class RunStreamResponse(StreamingResponse):
    """Server-sent events of a run, which it lets go of at the end and when the client leaves.

    The first is sent at once, then what has come within a pause in one piece: sending costs by the
    piece, not by the event. A client that reads so slowly that a mebibyte is held for it makes the
    run wait. If others read the run, too, its connection is closed instead, as it is if it takes
    nothing for two minutes; it may read on from where it is.

    Args:
        run: The run, which is open.
        frames: What is sent: whole events as bytes.
        headers: Further headers.
    """

    media_type = "text/event-stream"
    pause_s = 0.01
    quiet_s = 15.0
    max_held_bytes = 1_048_576

    def __init__(
        self,
        run: Run[Any],
        frames: AsyncGenerator[bytes],
        *,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        told = {**_NOT_BUFFERED, "x-run-id": quote(run.id), **(headers or {})}
        super().__init__(frames, headers=told)
        self._run, self._frames = run, frames
        self._unsent, self._sent_now, self._sent_at = bytearray(), 0, -inf
        self._wakeup, self._room = asyncio.Event(), asyncio.Event()
        self._pause: asyncio.TimerHandle | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send, of ASGI; one task reads ahead, another one sends, a third sees the client leave."""
        reading = asyncio.create_task(self._read(), name="arc-stream-frames")
        sending = asyncio.create_task(self._send(send, reading), name="arc-stream")
        leaving = asyncio.create_task(_watch(receive), name="arc-stream-leaving")
        self._sending = sending
        loop = asyncio.get_running_loop()
        self._quiet = loop.call_later(self.quiet_s, self._note_quiet)
        try:
            await asyncio.wait((sending, leaving), return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in (leaving, sending, reading, self._quiet, self._pause):
                if each is not None:
                    each.cancel()
            await wait_despite_cancellation(sending)
            await wait_despite_cancellation(reading)
            await self._run.aclose()
        if not sending.cancelled():
            self._tell_failure(sending)

    def _tell_failure(self, sending: asyncio.Task[None]) -> None:
        """Leave the stream without its last event, as the client may read on from where it is."""
        try:
            sending.result()
        except ClientDisconnect:
            return
        except OSError as error:
            logger.warning(
                "a stream was cut, since what keeps its run does not answer",
                run_id=self._run.id,
                error_type=type(error).__name__,
            )

    async def _read(self) -> None:
        try:
            async with aclosing(self._frames) as frames:
                async for frame in frames:
                    if not frame:
                        continue
                    self._unsent += frame
                    if self._pause is None and not self._wakeup.is_set():
                        self._wake_sender()
                    while len(self._unsent) + self._sent_now >= self.max_held_bytes:
                        await self._wait_for_room()
        finally:
            self._wakeup.set()

    def _wake_sender(self) -> None:
        """Have sent what is there: at once, or when the pause is over."""
        loop = asyncio.get_running_loop()
        left_s = self._sent_at + self.pause_s - loop.time()
        if left_s > 0:
            self._pause = loop.call_later(left_s, self._end_pause)
        else:
            self._wakeup.set()

    def _end_pause(self) -> None:
        self._pause = None
        self._wakeup.set()

    def _note_quiet(self) -> None:
        """Have a sign of life sent if nothing was sent for so long."""
        loop = asyncio.get_running_loop()
        left_s = self._sent_at + self.quiet_s - loop.time()
        if left_s <= 0:
            self._unsent += _ALIVE
            self._wakeup.set()
            left_s = self.quiet_s
        self._quiet = loop.call_later(left_s, self._note_quiet)

    async def _wait_for_room(self) -> None:
        """Wait until the client takes something, if it does."""
        self._room.clear()
        for waited in count(1):
            try:
                async with asyncio.timeout(_LOOK_S):
                    await self._room.wait()
                return
            except TimeoutError:
                if waited * _LOOK_S >= _PATIENCE_S or self._run.readers > 1:
                    self._sending.cancel()

    async def _send(self, send: Send, reading: asyncio.Task[None]) -> None:
        clock = asyncio.get_running_loop().time
        start = {"type": "http.response.start", "status": self.status_code}
        await _tell(send, {**start, "headers": self.raw_headers})
        while self._unsent or not reading.done():
            await self._wakeup.wait()
            await _tell(
                send, {"type": "http.response.body", "body": self._take(), "more_body": True}
            )
            self._sent_now, self._sent_at = 0, clock()
            self._room.set()
        reading.result()
        await _tell(send, {"type": "http.response.body", "body": b"", "more_body": False})

    def _take(self) -> bytes:
        piece = bytes(self._unsent[:_MAX_PIECE_BYTES])
        del self._unsent[:_MAX_PIECE_BYTES]
        self._sent_now = len(piece)
        if not self._unsent:
            self._wakeup.clear()
        return piece


async def _tell(send: Send, message: Message) -> None:
    try:
        await send(message)
    except OSError:
        raise ClientDisconnect from None


async def until_disconnected(request: Request, work: Awaitable[T]) -> T:
    """Await work, and cancel it when the client leaves, whose body was read before.

    Raises:
        ClientGoneError: The client has left; the work has ended.
    """
    task = asyncio.ensure_future(work)
    watch = asyncio.create_task(_watch(request.receive), name="arc-disconnect")
    try:
        await asyncio.wait((task, watch), return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise ClientGoneError
        return task.result()
    finally:
        watch.cancel()
        task.cancel()
        await asyncio.wait((task, watch))


async def _watch(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def problem_response(problem: Problem) -> JSONResponse:
    """The response that tells a problem."""
    return JSONResponse(problem.body(), problem.status, headers=dict(problem.headers))
