"""A task of a server, followed to its end: over the end of a process, and with what it asks.

Its id is recorded with the run before it is waited for, and so is each answer before the server
gets it. A later attempt at the call goes on with both, and does not call again.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import anyio
from mcp import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    CallToolResult,
    ErrorData,
    InputRequest,
    Request,
)
from pydantic import TypeAdapter, ValidationError

from arc_core import RunSuspended, ToolContext, ToolRetry
from arc_plugins.tools.mcp.calls.open_calls import (
    MAX_REQUESTS,
    McpServerDownError,
    TooManyRequestsError,
)
from arc_plugins.tools.mcp.calls.task_messages import (
    ANY_RESULT,
    TaskState,
    cancel_task,
    find_task,
    get_task,
    get_task_result,
    read_task,
    update_task,
)
from arc_plugins.tools.mcp.server import McpServer

_POLL_S, _MIN_POLL_S, _MAX_POLL_S = 1.0, 0.1, 30.0
_CANCEL_S = 2.0
_MISSING_CAPABILITY = -32021
_UNKNOWN_CODES = frozenset(
    {INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, INTERNAL_ERROR, _MISSING_CAPABILITY}
)
_UNKNOWN = (
    "The server does not know the task of this call any more. It may have been done: look for its "
    "effect before you call the tool again."
)
_CANCELLED = "The server has cancelled the task of this call"
_REFUSED = "The task of this call asks for what this application does not give"
_INPUT_REQUEST: TypeAdapter[InputRequest] = TypeAdapter(InputRequest)


@dataclass(slots=True)
class TaskRecord:
    """A task as a run remembers it.

    Attributes:
        task_id: Its id at the server.
        is_of_extension: Whether it is of the extension, and not of 2025-11-25.
        answers: Of the client to what the task has asked, by the keys of the requests.
        is_asking: Whether it may have asked within an open call, of which the answer is lost with
            the call.
    """

    task_id: str
    is_of_extension: bool
    answers: dict[str, Any] = field(default_factory=dict)
    is_asking: bool = False


async def finish_call(
    server: McpServer, make_call: Callable[[], Awaitable[CallToolResult]], context: ToolContext
) -> CallToolResult:
    """Make a call, or go on with the task that it has become, and return its result.

    Raises:
        RunSuspended: It asks the user, and waits with the run.
        ToolRetry: Its task has no result, and the model is told why.
        Exception: What the call raises, and what `FollowedTask.finish` does.
    """
    record = await _recall(context)
    if record is not None and record.is_asking:
        await FollowedTask(record, server=server, context=context).abandon()
        record = None
    if record is None:
        result = await make_call()
        task = find_task(result)
        if task is None:
            return result
        record = TaskRecord(task.task_id, task.is_of_extension)
        note = {"task": record.task_id, "is_of_extension": record.is_of_extension}
        await context.remember(json.dumps(note))
    return await FollowedTask(record, server=server, context=context).finish()


async def _recall(context: ToolContext) -> TaskRecord | None:
    """Return the task that this call has become in an earlier attempt; None if there is none."""
    record: TaskRecord | None = None
    for note in map(json.loads, await context.recall()):
        if "task" in note:
            record = TaskRecord(note["task"], note["is_of_extension"])
        elif record is not None:
            record.answers |= note.get("answers", {})
            record.is_asking = note.get("is_asking", record.is_asking)
    return record


class FollowedTask:
    """A task that one attempt at its call waits for."""

    def __init__(self, record: TaskRecord, *, server: McpServer, context: ToolContext) -> None:
        self._record, self._server, self._context = record, server, context
        self._answered, self._message = set[str](), ""

    async def finish(self) -> CallToolResult:
        """Wait for its end, and return the result of the call.

        It is cancelled with the call, unless another process goes on with that.

        Raises:
            RunSuspended: It asks the user, and waits with the run.
            ToolRetry: It has no result, and the model is told why.
            TooManyRequestsError: It asks the user or a model too often.
            MCPError: The call has failed at the server.
            ValidationError: The server has sent a result that is not one.
        """
        try:
            async with self._changes() as changed:
                while True:
                    state = await self._look()
                    result = None if state is None else await self._take(state)
                    if result is not None:
                        return result
                    await _wait(changed, _POLL_S if state is None else state.poll_s)
        except asyncio.CancelledError:
            if not self._context.is_handed_over:
                await asyncio.wait([asyncio.ensure_future(self.abandon())])
            raise
        except TooManyRequestsError:
            await self.abandon()
            raise

    async def abandon(self) -> None:
        """Tell the server that its result is not wanted; one that does not answer ends later."""
        try:
            async with asyncio.timeout(_CANCEL_S):
                await self._send(cancel_task(self._record.task_id))
        except (MCPError, McpServerDownError, TimeoutError, ValidationError):
            return

    async def _look(self) -> TaskState | None:
        """Return its state; None if the server cannot be asked at this moment.

        Raises:
            ToolRetry: The server does not know it, or tells of another.
        """
        try:
            state = read_task(await self._send(get_task(self._record.task_id)))
        except McpServerDownError:
            return None
        except MCPError as error:
            if error.error.code in _UNKNOWN_CODES:
                raise ToolRetry(_UNKNOWN) from error
            return None
        if state is None or state.task_id != self._record.task_id:
            raise ToolRetry(_UNKNOWN)
        if state.message and state.message != self._message:
            self._message = state.message
            await self._context.progress(state.message)
        return state

    async def _take(self, state: TaskState) -> CallToolResult | None:
        """Do what its state demands; return the result if it is over."""
        is_of_extension = self._record.is_of_extension
        match state.status:
            case "cancelled":
                raise ToolRetry(f"{_CANCELLED}: {state.message}".removesuffix(": "))
            case "completed" | "failed" if not is_of_extension:
                return await self._get_result()
            case "failed":
                error = dict(state.error or {})
                raise MCPError.from_error_data(ErrorData.model_validate(error))
            case "completed":
                return CallToolResult.model_validate(dict(state.result or {}), by_name=False)
            case "input_required" if is_of_extension:
                await self._answer(state.input_requests)
            case "input_required":
                # The user is asked in the reply to this; an answer that comes too late for that is
                # the answer to the same question of a new call.
                await self._remember(is_asking=True)
                return await self._get_result()
        return None

    async def _get_result(self) -> CallToolResult:
        request, context = get_task_result(self._record.task_id), self._context
        try:
            found: CallToolResult = await self._server.send(request, CallToolResult, context)
        except RunSuspended:
            await self.abandon()
            raise
        return found

    async def _answer(self, requests: Mapping[str, Any]) -> None:
        """Answer what was not answered yet, one by one."""
        answers = self._record.answers
        for key in [each for each in requests if each not in self._answered]:
            if key not in answers:
                if len(answers) >= MAX_REQUESTS:
                    raise TooManyRequestsError
                answers[key] = await self._get_answer(requests[key])
                await self._remember(answers={key: answers[key]})
            self._answered.add(key)
            await self._send(update_task(self._record.task_id, {key: answers[key]}))

    async def _get_answer(self, found: object) -> Any:
        try:
            request = _INPUT_REQUEST.validate_python(found)
        except ValidationError as error:
            await self.abandon()
            raise ToolRetry(_REFUSED) from error
        answer = await self._server.answer(request, self._context)
        if isinstance(answer, ErrorData):
            await self.abandon()
            raise ToolRetry(f"{_REFUSED}: {answer.message}")
        return answer.model_dump(by_alias=True, mode="json", exclude_none=True)

    async def _remember(self, **facts: Any) -> None:
        await self._context.remember(json.dumps(facts))

    async def _send(self, request: Request[Any, Any]) -> Any:
        return await self._server.send(request, ANY_RESULT, self._context)

    @asynccontextmanager
    async def _changes(self) -> AsyncIterator[asyncio.Event]:
        """The event that is set when the server tells of a change of the task."""
        changes, task_id = self._server.task_changes, self._record.task_id
        changes[task_id] = changed = asyncio.Event()
        try:
            yield changed
        finally:
            if changes.get(task_id) is changed:
                del changes[task_id]


async def _wait(changed: asyncio.Event, poll_s: float | None) -> None:
    """Wait until it is worth to ask again."""
    wait_s = min(_MAX_POLL_S, max(_MIN_POLL_S, _POLL_S if poll_s is None else poll_s))
    with anyio.move_on_after(wait_s):
        await changed.wait()
        changed.clear()
