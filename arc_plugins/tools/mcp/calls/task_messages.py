"""The messages of tasks, in the form of the extension and in that of 2025-11-25."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from mcp import Client
from mcp.client import ClientExtension
from mcp.client.extension import NotificationBinding
from mcp_types import (
    CallToolRequest,
    CallToolRequestParams,
    CallToolResult,
    CancelTaskRequest,
    CancelTaskRequestParams,
    GetTaskPayloadRequest,
    GetTaskPayloadRequestParams,
    GetTaskRequest,
    GetTaskRequestParams,
    NotificationParams,
    Request,
    RequestParams,
    RequestParamsMeta,
    TaskMetadata,
)
from pydantic import TypeAdapter

EXTENSION = "io.modelcontextprotocol/tasks"
ANY_RESULT: TypeAdapter[dict[str, Any]] = TypeAdapter(dict[str, Any])

_TASK = "x-arc-task"
"""The key in the `_meta` of a result for the task that stands for it, as the SDK takes no tasks."""

_TTL_MS = 24 * 60 * 60 * 1000
_MAX_ID_CHARS = 2_000
_MAX_MESSAGE_CHARS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskState:
    """The state of a task, as its server describes it.

    Attributes:
        is_of_extension: Whether it has just been made in the form of the extension.
        poll_s: After how many seconds it is worth to ask again; None if the server does not say.
        result: Of the call, if the task is over and the server has sent it along.
        input_requests: What it asks the client, by keys that are used once.
    """

    task_id: str
    status: str
    is_of_extension: bool = False
    message: str = ""
    poll_s: float | None = None
    result: Mapping[str, Any] | None = None
    error: Mapping[str, Any] | None = None
    input_requests: Mapping[str, Any] = field(default_factory=dict)


def read_task(found: object) -> TaskState | None:
    """Return the state of a task in either form; None if it is not one."""
    fields = found if isinstance(found, dict) else {}
    task_id, status = fields.get("taskId"), fields.get("status")
    if not (isinstance(task_id, str) and isinstance(status, str)):
        return None
    message = fields.get("statusMessage")
    poll_ms = fields.get("pollIntervalMs", fields.get("pollInterval"))
    return TaskState(
        task_id=task_id,
        status=status,
        is_of_extension=fields.get("resultType") == "task",
        message=message[:_MAX_MESSAGE_CHARS] if isinstance(message, str) else "",
        poll_s=poll_ms / 1000 if isinstance(poll_ms, int | float) else None,
        result=_object(fields.get("result")),
        error=_object(fields.get("error")),
        input_requests=_object(fields.get("inputRequests")) or {},
    )


def _object(found: object) -> Mapping[str, Any] | None:
    return found if isinstance(found, dict) else None


def make_task_readable(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return a result as the SDK takes it, with the task in it if one stands for the result."""
    is_of_extension = result.get("resultType") == "task"
    task = result if is_of_extension else result.get("task")
    is_task = is_of_extension or (isinstance(task, dict) and "content" not in result)
    if not is_task or read_task(task) is None:
        return dict(result)
    complete = {"resultType": "complete"} if is_of_extension else {}
    return {"content": [], "isError": True, **complete, "_meta": {_TASK: dict(task or {})}}


def find_task(result: CallToolResult) -> TaskState | None:
    """Return the task that stands for the result of a call, if the server has made one.

    Raises:
        ValueError: Its id is too long to be kept.
    """
    task = read_task((result.meta or {}).get(_TASK))
    if task is not None and len(task.task_id) > _MAX_ID_CHARS:
        raise ValueError(f"the id of a task has more than {_MAX_ID_CHARS} characters")
    return task


def makes_tasks(client: Client) -> bool:
    """Return true if a call may ask for a task, which only the protocol of 2025-11-25 has."""
    tasks = client.server_capabilities.tasks
    asked = None if tasks is None or tasks.requests is None else tasks.requests.tools
    return asked is not None and asked.call is not None


def ask_for_task(
    tool: str, arguments: Mapping[str, Any], meta: RequestParamsMeta
) -> CallToolRequest:
    """Return a call that is to become a task, as servers of 2025-11-25 want it."""
    return CallToolRequest(
        params=CallToolRequestParams(
            name=tool, arguments=dict(arguments), task=TaskMetadata(ttl=_TTL_MS), _meta=meta
        )
    )


class _GetTask(GetTaskRequest):
    name_param = "taskId"


class _CancelTask(CancelTaskRequest):
    name_param = "taskId"


class _UpdateParams(RequestParams):
    task_id: str
    input_responses: dict[str, Any]


class _UpdateTask(Request[_UpdateParams, Literal["tasks/update"]]):
    method: Literal["tasks/update"] = "tasks/update"
    params: _UpdateParams

    name_param = "taskId"


class _GetResult(GetTaskPayloadRequest):
    name_param = "taskId"


def get_task(task_id: str) -> Request[Any, Any]:
    """Return the request for the state of a task."""
    return _GetTask(params=GetTaskRequestParams(task_id=task_id))


def get_task_result(task_id: str) -> Request[Any, Any]:
    """Return the request for the result of a task of 2025-11-25, which waits for its end."""
    return _GetResult(params=GetTaskPayloadRequestParams(task_id=task_id))


def cancel_task(task_id: str) -> Request[Any, Any]:
    """Return the request to end a task."""
    return _CancelTask(params=CancelTaskRequestParams(task_id=task_id))


def update_task(task_id: str, responses: Mapping[str, Any]) -> Request[Any, Any]:
    """Return the answers to what a task asks."""
    return _UpdateTask(params=_UpdateParams(task_id=task_id, input_responses=dict(responses)))


class _TaskNews(NotificationParams):
    task_id: str


class TasksExtension(ClientExtension):
    """Says that tasks are understood, and wakes those who wait for one when it has changed."""

    identifier = EXTENSION

    def __init__(self, wake: Any) -> None:
        self._wake = wake

    def notifications(self) -> list[NotificationBinding[Any]]:
        """The notifications of both forms."""
        return [
            NotificationBinding(method=method, params_type=_TaskNews, handler=self._hear)
            for method in ("notifications/tasks", "notifications/tasks/status")
        ]

    async def _hear(self, params: _TaskNews) -> None:
        self._wake(params.task_id)
