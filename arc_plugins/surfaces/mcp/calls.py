"""Calls of tools: who calls, their metadata, progress and results, and those that are taken back.

A call that ends because its connection is lost lets go of its run, which goes on if it is durable.
One that the client cancels is different: the run is to end, wherever it is.
"""

import asyncio
from base64 import b64encode
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any

import mcp_types
from mcp import MCPError
from mcp.server import ServerRequestContext
from mcp.server.context import CallNext, HandlerResult
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from arc_core import (
    AgentResult,
    ArcError,
    Attachment,
    Caller,
    Request,
    Runs,
    ServedApplication,
    ToolCallProgress,
    ToolOutcome,
    ToolResult,
)
from arc_core.serving import caller_of, problem_of_fields

Context = ServerRequestContext[Any, Any]
Result = mcp_types.CallToolResult | mcp_types.InputRequiredResult

PREFIX = "ask_"
"""Of the name of a tool that asks an agent."""
RUN_ID = "arc/run_id"
_MAX_ID_CHARS = 200
_MAX_NOTED = 10_000
_MAX_REPORTS = 64
_LOCAL = Caller(name="local")
_HEADERS = {
    "arc/user_id": "x-user-id",
    "arc/session_id": "x-session-id",
    "arc/tenant_id": "x-tenant-id",
}


def headers_in(context: Context) -> Mapping[str, str]:
    """Return the headers of a message; over standard input it has none."""
    return {} if context.request is None else context.request.headers


def caller_for(context: Context) -> Caller:
    """Return the caller; over standard input it is the program that has started this one."""
    return _LOCAL if context.request is None else caller_of(context.request)


def find_agent(application: ServedApplication, tool: str, caller: Caller) -> str | None:
    """Return the agent that a tool asks; None if it asks none of those of the caller."""
    names = (each.name for each in application.agents(caller))
    return next((each for each in names if PREFIX + each == tool), None)


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
    def of(cls, context: Context, params: mcp_types.CallToolRequestParams) -> "CallMeta":
        """Read the metadata of a call; `_meta` goes before the headers."""
        headers = headers_in(context)
        said = {name: headers[header] for name, header in _HEADERS.items() if header in headers}
        try:
            return cls.model_validate({**said, **(params.meta or {})})
        except ValidationError as error:
            raise MCPError(mcp_types.INVALID_PARAMS, problem_of_fields(error).message) from None

    def as_fields(self) -> dict[str, Any]:
        """The fields of a command that say for whom it is."""
        return self.model_dump(include={"user_id", "session_id", "tenant_id"})


class Progress:
    """The notifications of one call."""

    def __init__(self, context: Context) -> None:
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


class CancelledCalls:
    """Knows which call has begun which run."""

    def __init__(self, runs: Runs) -> None:
        self._runs = runs
        self._noted: dict[tuple[str, str | int], str] = {}

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
                    await self._runs.for_caller(caller_for(ctx)).cancel(run_id)
        return await call_next(ctx)


def _get_key(context: Context, request_id: object) -> tuple[str, str | int] | None:
    """Names a call; None over HTTP without a session, where clients choose the same ids."""
    if not isinstance(request_id, str | int):
        return None
    if context.request is None:
        return "", request_id
    session_id = context.request.headers.get("mcp-session-id")
    return None if session_id is None else (session_id, request_id)


def text_result(
    text: str, *, run_id: str | None = None, is_error: bool = False
) -> mcp_types.CallToolResult:
    """A result of one text."""
    return _make_result([mcp_types.TextContent(type="text", text=text)], run_id, is_error=is_error)


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
    return _make_result(blocks, run_id, is_error=result.outcome is not ToolOutcome.SUCCESS)


def _make_result(
    content: list[mcp_types.ContentBlock], run_id: str | None, *, is_error: bool
) -> mcp_types.CallToolResult:
    meta = None if run_id is None else {RUN_ID: run_id}
    return mcp_types.CallToolResult(content=content, is_error=is_error, _meta=meta)


def _make_blocks(part: object) -> Iterator[mcp_types.ContentBlock]:
    if not isinstance(part, Attachment):
        text = part if isinstance(part, str) else getattr(part, "text", "")
        yield mcp_types.TextContent(type="text", text=text)
    elif part.data is None:
        yield mcp_types.TextContent(type="text", text=part.url or "")
    else:
        yield _make_file(part.data, part)


def _make_file(data: bytes, part: Attachment) -> mcp_types.ContentBlock:
    text, kind = b64encode(data).decode(), part.media_type.partition("/")[0]
    if kind == "image":
        return mcp_types.ImageContent(type="image", data=text, mime_type=part.media_type)
    if kind == "audio":
        return mcp_types.AudioContent(type="audio", data=text, mime_type=part.media_type)
    place = f"attachment:///{part.name or 'file'}"
    contents = mcp_types.BlobResourceContents(uri=place, mime_type=part.media_type, blob=text)
    return mcp_types.EmbeddedResource(type="resource", resource=contents)
