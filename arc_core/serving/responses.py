"""Responses that hold a run while their client is there."""

import asyncio
from collections.abc import AsyncIterable, Awaitable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from typing import TypeVar

from starlette.requests import Request
from starlette.responses import JSONResponse, StreamingResponse
from starlette.types import Receive, Scope, Send

from arc_core.interfaces.served_application import ServedRun
from arc_core.serving.problems import Problem

__all__ = [
    "ClientGoneError",
    "HeldRun",
    "RunStreamResponse",
    "problem_response",
    "until_disconnected",
]

T = TypeVar("T")

_NOT_BUFFERED = {"cache-control": "no-store", "x-accel-buffering": "no"}


class ClientGoneError(Exception):
    """The client has left before its answer."""


class HeldRun:
    """A run that is held from the check of a request to the end of its response."""

    def __init__(self, run: ServedRun, stack: AsyncExitStack) -> None:
        self.run = run
        self._stack = stack

    @classmethod
    async def open(cls, opening: AbstractAsyncContextManager[ServedRun]) -> "HeldRun":
        """Begin or attach; raises what that raises, before a response has begun."""
        stack = AsyncExitStack()
        return cls(await stack.enter_async_context(opening), stack)

    async def aclose(self) -> None:
        """Let go of the run."""
        await self._stack.aclose()


class RunStreamResponse(StreamingResponse):
    """Server-sent events of a run, which it lets go of at the end and when the client leaves.

    Args:
        held: The run.
        frames: What is sent: whole events as bytes.
        headers: Further headers.
    """

    media_type = "text/event-stream"

    def __init__(
        self,
        held: HeldRun,
        frames: AsyncIterable[bytes],
        *,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        told = {**_NOT_BUFFERED, "x-run-id": held.run.run_id, **(headers or {})}
        super().__init__(frames, headers=told)
        self._held = held

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send, of ASGI."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            await self._held.aclose()


async def until_disconnected(request: Request, work: Awaitable[T]) -> T:
    """What the work gives; cancels it when the client leaves, whose body was read before.

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
