"""The calls that a server has not answered yet, and to which of them a message of it belongs.

A server says of few messages which call they are about. By HTTP they come in the reply to it, and
so in its context; a child process sends all by one pipe.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, TypeVar, cast, get_args

from mcp import Client
from mcp.client.session import ClientRequestContext, LoggingFnT
from mcp.shared.dispatcher import ProgressFnT
from mcp_types import (
    INVALID_REQUEST,
    LOG_LEVEL_META_KEY,
    CallToolResult,
    ErrorData,
    LoggingLevel,
    LoggingMessageNotificationParams,
    RequestParamsMeta,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from arc_core import ToolContext
from arc_plugins.tools.mcp.authorization import Challenge
from arc_plugins.tools.mcp.calls.task_messages import ask_for_task, makes_tasks
from arc_plugins.tools.mcp.listing import ListedTool

LEVELS: tuple[LoggingLevel, ...] = get_args(LoggingLevel)
"""The levels of log messages, the least grave first."""

_MAX_MESSAGE_CHARS = 2000
T = TypeVar("T")

MAX_REQUESTS = 10
"""The number of times that a server may ask the user or a model in one call."""

_LEAVE_S = 1.0


def _take_outcome(task: asyncio.Future[Any]) -> None:
    if not task.cancelled():
        task.exception()


class _McpServerError(Exception):
    _problem: ClassVar[str]

    def __init__(self, *, server: str) -> None:
        super().__init__(server)
        self.server = server

    def __str__(self) -> str:
        return f"the MCP server {self.server} {self._problem}"


class McpServerDownError(_McpServerError):
    """A tool was called whose server is not connected at this moment."""

    _problem = "is not connected"


class McpReplyTooLargeError(_McpServerError):
    """A reply was larger than `llm.max_reply_bytes`."""

    _problem = "replies with more than llm.max_reply_bytes"


@dataclass(frozen=True, slots=True, kw_only=True)
class CallBounds:
    """The bounds of calls: of one reply, and how long a question of a server holds one."""

    max_reply_bytes: int
    hold_s: float


class TooManyRequestsError(Exception):
    """A server asks the user or a model too often in one call."""


@dataclass(eq=False, slots=True)
class OpenCall:
    """A call of one run that a server has not answered.

    Attributes:
        context: Of the run.
        requests: What the server has asked in it and was not answered yet, each with the answer.
        challenge: Why the server wants a login before it answers; None if it does not.
    """

    context: ToolContext
    requests: asyncio.Queue[tuple[Any, asyncio.Future[Any]]] = field(default_factory=asyncio.Queue)
    unanswered: list[asyncio.Future[Any]] = field(default_factory=list)
    challenge: Challenge | None = None

    async def relay(self, request: Any) -> Any:
        """Hand a request of the server to the task of the call, and return the answer."""
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.unanswered.append(answer)
        self.requests.put_nowait((request, answer))
        return await answer

    async def answer_while(
        self, asking: Awaitable[T], answer: Callable[[Any], Awaitable[Any]]
    ) -> T:
        """Return what is asked for; meanwhile, answer what the server asks, in this task.

        Raises:
            TooManyRequestsError: It asks more often than it may.
            BaseException: What either raises; then the call is cancelled.
        """
        task = asyncio.ensure_future(asking)
        asked = 0
        try:
            while True:
                request = asyncio.ensure_future(self.requests.get())
                try:
                    await asyncio.wait((task, request), return_when=asyncio.FIRST_COMPLETED)
                    if task.done():
                        return task.result()
                    params, future = request.result()
                finally:
                    request.cancel()
                asked += 1
                if asked > MAX_REQUESTS:
                    raise TooManyRequestsError
                future.set_result(await answer(params))
        finally:
            task.cancel()
            task.add_done_callback(_take_outcome)
            # The SDK tells the server, for which it may wait in vain if the connection is closing.
            await asyncio.wait((task,), timeout=_LEAVE_S)

    def refuse_rest(self) -> None:
        """Refuse what is still unanswered, as the call has ended."""
        for answer in self.unanswered:
            if not answer.done():
                answer.set_result(ErrorData(code=INVALID_REQUEST, message="the call has ended"))


_current: ContextVar[OpenCall | None] = ContextVar("arc-mcp-call", default=None)


class OpenCalls:
    """Those of one server."""

    def __init__(self) -> None:
        self._calls: list[OpenCall] = []

    @contextmanager
    def begin(self, context: ToolContext) -> Iterator[OpenCall]:
        """Count a call for as long as it is made, which is in this context."""
        call = OpenCall(context)
        self._calls.append(call)
        token = _current.set(call)
        try:
            yield call
        finally:
            _current.reset(token)
            self._calls.remove(call)
            call.refuse_rest()

    def find(self) -> OpenCall | None:
        """The call that what the server sends now is about; None if that cannot be told."""
        call = _current.get()
        if call is not None and call in self._calls:
            return call
        return self._calls[0] if len(self._calls) == 1 else None


def relay_requests(calls: OpenCalls) -> Any:
    """Return the SDK's callback that hands a request of the server to the call it belongs to."""

    async def relay(_: ClientRequestContext, params: Any) -> Any:
        call = calls.find()
        if call is None:
            return ErrorData(code=INVALID_REQUEST, message="it belongs to no call")
        return await call.relay(params)

    return relay


def report_progress(context: ToolContext) -> ProgressFnT:
    """Return the SDK's callback that passes on how far a call is."""

    async def report(progress: float, total: float | None, message: str | None) -> None:
        if total is not None and total > 0:
            await context.progress(message or f"{progress:g} of {total:g}", progress / total)
        else:
            await context.progress(message or f"{progress:g}")

    return report


def report_log_messages(calls: OpenCalls, *, level: LoggingLevel) -> LoggingFnT:
    """Return the SDK's callback that tells log messages of this level on as the progress of calls.

    A message of which it is not known to which call it belongs is dropped: it may be about another
    user's.
    """

    async def report(params: LoggingMessageNotificationParams) -> None:
        call = calls.find()
        if call is None or LEVELS.index(params.level) < LEVELS.index(level):
            return
        data = params.data
        text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False, default=str)
        await call.context.progress(f"{params.level}: {text[:_MAX_MESSAGE_CHARS]}")

    return report


def describe_call(
    client: Client, context: ToolContext, *, log_level: LoggingLevel | Literal["off"]
) -> RequestParamsMeta:
    """Return what a server is told of a call beside its arguments."""
    meta: dict[str, Any] = {}
    if context.idempotency_key:
        meta["idempotencyKey"] = context.idempotency_key
    is_modern = client.protocol_version in MODERN_PROTOCOL_VERSIONS
    if is_modern and context.reporter is not None and log_level != "off":
        meta[LOG_LEVEL_META_KEY] = log_level
    return cast("RequestParamsMeta", meta)


async def send_call(
    client: Client,
    tool: ListedTool,
    arguments: Mapping[str, Any],
    *,
    context: ToolContext,
    log_level: LoggingLevel | Literal["off"],
) -> CallToolResult:
    """Call a tool, for a task if it makes some; what the SDK raises leaves."""
    meta = describe_call(client, context, log_level=log_level)
    progress = None if context.reporter is None else report_progress(context)
    if tool.supports_tasks and makes_tasks(client):
        request = ask_for_task(tool.name, arguments, meta)
        return await client.session.send_request(
            request, CallToolResult, progress_callback=progress
        )
    return await client.call_tool(tool.name, dict(arguments), progress_callback=progress, meta=meta)
