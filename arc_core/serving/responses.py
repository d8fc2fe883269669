"""Responses that hold a run while their client is there."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, aclosing
from typing import TypeVar
from urllib.parse import quote

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, StreamingResponse
from starlette.types import Receive, Scope, Send

from arc_core.log import get_logger
from arc_core.runs.run import RunHandle
from arc_core.serving.joined_frames import JoinedFrames
from arc_core.serving.problems import Problem
from arc_core.timing.cancellation import wait_despite_cancellation

__all__ = [
    "ClientGoneError",
    "HeldRun",
    "RunStreamResponse",
    "problem_response",
    "until_disconnected",
]

logger = get_logger("server")

T = TypeVar("T")

_ALIVE = b": the run goes on\n\n"
_NOT_BUFFERED = {"cache-control": "no-store", "x-accel-buffering": "no"}
_LOOK_S = 0.5
_PATIENCE_S = 120.0


class ClientGoneError(Exception):
    """The client has left before its answer."""


class HeldRun:
    """A run that is held from the check of a request to the end of its response."""

    def __init__(self, run: RunHandle, stack: AsyncExitStack) -> None:
        self.run = run
        self._stack = stack

    @classmethod
    async def open(cls, opening: AbstractAsyncContextManager[RunHandle]) -> "HeldRun":
        """Begin or attach; raises what that raises, before a response has begun."""
        stack = AsyncExitStack()
        return cls(await stack.enter_async_context(opening), stack)

    async def aclose(self) -> None:
        """Let go of the run."""
        await self._stack.aclose()


class RunStreamResponse(StreamingResponse):
    """Server-sent events of a run, which it lets go of at the end and when the client leaves.

    A client that reads so slowly that a mebibyte is held for it makes the run wait. If others read
    the run, too, its connection is closed instead, as it is if it takes nothing for two minutes; it
    may read on from where it is.

    Args:
        held: The run.
        frames: What is sent: whole events as bytes.
        headers: Further headers.
    """

    media_type = "text/event-stream"

    def __init__(
        self,
        held: HeldRun,
        frames: AsyncGenerator[bytes],
        *,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        told = {**_NOT_BUFFERED, "x-run-id": quote(held.run.run_id), **(headers or {})}
        self._held, self._joined = held, JoinedFrames(frames, alive=_ALIVE)
        super().__init__(self._joined.read(), headers=told)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send, of ASGI."""
        sending = asyncio.create_task(self._send(scope, receive, send), name="arc-stream")
        watch = asyncio.create_task(self._watch_pace(), name="arc-stream-pace")
        try:
            await asyncio.wait((sending, watch), return_when=asyncio.FIRST_COMPLETED)
        finally:
            watch.cancel()
            sending.cancel()
            await wait_despite_cancellation(sending)
            await self._held.aclose()
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
                run_id=self._held.run.run_id,
                error_type=type(error).__name__,
            )

    async def _send(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with aclosing(self.body_iterator):  # type: ignore[type-var]
            await super().__call__(scope, receive, send)

    async def _watch_pace(self) -> None:
        """Return when this client has stopped, at once if others read the run."""
        joined, waited_s = self._joined, 0.0
        while waited_s < _PATIENCE_S:
            await joined.is_full.wait()
            taken = joined.pieces
            await asyncio.sleep(_LOOK_S)
            has_stopped = joined.is_full.is_set() and joined.pieces == taken
            waited_s = waited_s + _LOOK_S if has_stopped else 0.0
            if has_stopped and self._held.run.readers > 1:
                return


async def until_disconnected(request: Request, work: Awaitable[T]) -> T:
    """Await work, and cancel it when the client leaves, whose body was read before.

    Raises:
        ClientGoneError: The client has left; the work has ended.
    """
    task = asyncio.ensure_future(work)
    watch = asyncio.create_task(_watch(request), name="arc-disconnect")
    try:
        await asyncio.wait((task, watch), return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise ClientGoneError
        return task.result()
    finally:
        watch.cancel()
        task.cancel()
        await asyncio.wait((task, watch))


async def _watch(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def problem_response(problem: Problem) -> JSONResponse:
    """The response that tells a problem."""
    return JSONResponse(problem.body(), problem.status, headers=dict(problem.headers))
