"""Progress of a call, for clients that have asked for it."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from mcp.server import ServerRequestContext
from mcp_types import ProgressNotification, ProgressNotificationParams

from arc_core import ToolCallProgress
from arc_plugins.surfaces.mcp.call_meta import RUN_ID

__all__ = ["Progress"]

_MAX_REPORTS = 64


class Progress:
    """The notifications of one call."""

    def __init__(self, context: ServerRequestContext[Any, Any]) -> None:
        self._context = context
        self._token = (context.meta or {}).get("progress_token")

    @property
    def is_wanted(self) -> bool:
        """Return whether the client has sent a token for it."""
        return self._token is not None

    async def tell(self, number: float, message: str = "", *, run_id: str | None = None) -> None:
        """Send a notification; `number` is larger than that of the last one."""
        if self._token is None:
            return
        told = ProgressNotificationParams(
            progress_token=self._token,
            progress=number,
            message=message,
            _meta=None if run_id is None else {RUN_ID: run_id},
        )
        await self._context.session.send_notification(
            ProgressNotification(params=told), related_request_id=self._context.request_id
        )

    @asynccontextmanager
    async def reports(self) -> AsyncIterator[Callable[[ToolCallProgress], None] | None]:
        """Takes the reports of a tool; None if the client wants none."""
        if not self.is_wanted:
            yield None
            return
        waiting: asyncio.Queue[ToolCallProgress | None] = asyncio.Queue(_MAX_REPORTS + 1)

        def take(report: ToolCallProgress) -> None:
            if waiting.qsize() < _MAX_REPORTS:
                waiting.put_nowait(report)

        sending = asyncio.create_task(self._send(waiting), name="arc-mcp-progress")
        try:
            yield take
            waiting.put_nowait(None)
            await sending
        finally:
            sending.cancel()

    async def _send(self, waiting: "asyncio.Queue[ToolCallProgress | None]") -> None:
        number = 0
        while (report := await waiting.get()) is not None:
            number += 1
            await self.tell(number, report.message)
