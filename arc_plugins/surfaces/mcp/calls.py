"""Calls of tools: their metadata, progress and results."""

import asyncio
from base64 import b64encode
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import mcp_types
from mcp import MCPError
from mcp.server import ServerRequestContext
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from arc_core import AgentResult, Attachment, Request, ToolCallProgress, ToolOutcome, ToolResult
from arc_core.serving import problem_of_fields

RUN_ID = "arc/run_id"
_MAX_ID_CHARS = 200
_HEADERS = {
    "arc/user_id": "x-user-id",
    "arc/session_id": "x-session-id",
    "arc/tenant_id": "x-tenant-id",
}


class CallMeta(BaseModel):
    """The metadata of a call: the user, and the run to read on after a `progress` of it."""

    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)

    run_id: str | None = Field(
        default=None, alias="arc/run_id", min_length=1, max_length=_MAX_ID_CHARS
    )
    after: int = Field(default=0, alias="arc/after", ge=0)
    user_id: str | None = Field(default=None, alias="arc/user_id", max_length=_MAX_ID_CHARS)
    session_id: str | None = Field(default=None, alias="arc/session_id", max_length=_MAX_ID_CHARS)
    tenant_id: str | None = Field(default=None, alias="arc/tenant_id", max_length=_MAX_ID_CHARS)

    @classmethod
    def of(cls, meta: Mapping[str, Any] | None, headers: Mapping[str, str]) -> "CallMeta":
        """Read the metadata of a call; `_meta` goes before the headers."""
        said = {name: headers[header] for name, header in _HEADERS.items() if header in headers}
        try:
            return cls.model_validate({**said, **(meta or {})})
        except ValidationError as error:
            raise MCPError(mcp_types.INVALID_PARAMS, problem_of_fields(error).message) from None


_MAX_REPORTS = 64


class Progress:
    """The notifications of one call."""

    def __init__(self, context: ServerRequestContext[Any, Any]) -> None:
        self._context = context
        self._token = (context.meta or {}).get("progress_token")

    async def tell(self, number: float, message: str = "", *, run_id: str | None = None) -> None:
        """Send a notification; `number` is larger than that of the last one."""
        if self._token is None:
            return
        told = mcp_types.ProgressNotificationParams(
            progress_token=self._token,
            progress=number,
            message=message,
            _meta=None if run_id is None else {RUN_ID: run_id},
        )
        await self._context.session.send_notification(
            mcp_types.ProgressNotification(params=told), related_request_id=self._context.request_id
        )

    @asynccontextmanager
    async def reports(self) -> AsyncIterator[Callable[[ToolCallProgress], None] | None]:
        """Takes the reports of a tool; None if the client wants none."""
        if self._token is None:
            yield None
            return
        waiting: asyncio.Queue[ToolCallProgress | None] = asyncio.Queue(_MAX_REPORTS + 1)

        def take(report: ToolCallProgress) -> None:
            if waiting.qsize() < _MAX_REPORTS:
                waiting.put_nowait(report)

        async def send() -> None:
            number = 0
            while (report := await waiting.get()) is not None:
                number += 1
                await self.tell(number, report.message)

        sending = asyncio.create_task(send(), name="arc-mcp-progress")
        try:
            yield take
            waiting.put_nowait(None)
            await sending
        finally:
            sending.cancel()


def text_result(
    text: str, *, run_id: str | None = None, is_error: bool = False
) -> mcp_types.CallToolResult:
    """A result of one text."""
    return mcp_types.CallToolResult(
        content=[mcp_types.TextContent(type="text", text=text)],
        is_error=is_error,
        _meta=None if run_id is None else {RUN_ID: run_id},
    )


def result_of_run(
    result: AgentResult[Any], *, run_id: str, tell_waiting: Callable[[str, Sequence[Request]], str]
) -> mcp_types.CallToolResult:
    """The answer of an agent, why there is none, or for what the run waits."""
    if result.waiting:
        said = tell_waiting(run_id, result.waiting)
        text = f"{said} Call again with the id {run_id} as {RUN_ID} in _meta to read on."
        return text_result(text, run_id=run_id)
    answer = result.content if result.success else result.error_message
    return text_result(answer or "", run_id=run_id, is_error=not result.success)


def result_of_call(result: ToolResult, *, run_id: str | None = None) -> mcp_types.CallToolResult:
    """Return the result of a tool, with its attachments."""
    parts = (result.content,) if isinstance(result.content, str) else result.content
    blocks = [block for part in parts for block in _make_blocks(part)]
    return mcp_types.CallToolResult(
        content=blocks,
        is_error=result.outcome is not ToolOutcome.SUCCESS,
        _meta=None if run_id is None else {RUN_ID: run_id},
    )


def _make_blocks(part: object) -> Iterator[mcp_types.ContentBlock]:
    if not isinstance(part, Attachment):
        text = part if isinstance(part, str) else getattr(part, "text", "")
        yield mcp_types.TextContent(type="text", text=text)
    elif part.data is None:
        yield mcp_types.TextContent(type="text", text=part.url or "")
    else:
        yield _file(part.data, part)


def _file(data: bytes, part: Attachment) -> mcp_types.ContentBlock:
    text, kind = b64encode(data).decode(), part.media_type.partition("/")[0]
    if kind == "image":
        return mcp_types.ImageContent(type="image", data=text, mime_type=part.media_type)
    if kind == "audio":
        return mcp_types.AudioContent(type="audio", data=text, mime_type=part.media_type)
    place = f"attachment:///{part.name or 'file'}"
    contents = mcp_types.BlobResourceContents(uri=place, mime_type=part.media_type, blob=text)
    return mcp_types.EmbeddedResource(type="resource", resource=contents)
