"""Cancels the runs of calls that a client takes back.

A call that ends because its connection is lost lets go of its run, which goes on if it is durable.
One that the client cancels is different: the run is to end, wherever it is.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from mcp.server import ServerRequestContext
from mcp.server.context import CallNext, HandlerResult

from arc_core import ArcError, Caller, Runs

_MAX_NOTED = 10_000

Context = ServerRequestContext[Any, Any]
_Key = tuple[str, str | int]


class CancelledCalls:
    """Knows which call has begun which run."""

    def __init__(self, runs: Runs, *, caller_for: Callable[[Context], Caller]) -> None:
        self._runs, self._caller_for = runs, caller_for
        self._noted: dict[_Key, str] = {}

    @contextmanager
    def noting(self, context: Context, run_id: str) -> Iterator[None]:
        """Note the run of a call until the call has its answer.

        What is cancelled stays noted, since the notification comes to `watch` after that.
        """
        key = _get_key(context, context.request_id)
        if key is None:
            yield
            return
        self._noted[key] = run_id
        if len(self._noted) > _MAX_NOTED:
            del self._noted[next(iter(self._noted))]
        try:
            yield
        except Exception:
            self._noted.pop(key, None)
            raise
        else:
            self._noted.pop(key, None)

    async def watch(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """Take part in the handling of each message, as middleware of the SDK."""
        if ctx.method == "notifications/cancelled" and ctx.request_id is None:
            request_id = (ctx.params or {}).get("requestId")
            key = _get_key(ctx, request_id)
            if key is not None and (run_id := self._noted.pop(key, None)) is not None:
                # It may have ended meanwhile, not be begun, or not be the caller's.
                with suppress(ArcError):
                    await self._runs.for_caller(self._caller_for(ctx)).cancel(run_id)
        return await call_next(ctx)


def _get_key(context: Context, request_id: object) -> _Key | None:
    """Names a call; None over HTTP without a session, where clients choose the same ids."""
    if not isinstance(request_id, str | int):
        return None
    if context.request is None:
        return "", request_id
    session_id = context.request.headers.get("mcp-session-id")
    return None if session_id is None else (session_id, request_id)
