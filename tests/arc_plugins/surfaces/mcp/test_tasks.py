"""Runs as tasks of MCP, in both forms of the protocol."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, ClassVar

import mcp_types
import pytest
from mcp import MCPError
from mcp.client import ClientExtension
from mcp.client.client import Client
from mcp_types import Request, RequestParams
from pydantic import TypeAdapter

from arc_core import Attachment, ToolContext, tool
from tests.arc_plugins.surfaces.mcp.test_run_calls import User
from tests.arc_plugins.surfaces.mcp.test_run_calls_of_tools import PIXEL
from tests.arc_plugins.surfaces.served_apps import SIZE, make_app
from tests.serving import client_of, serving_app

ANY: Any = TypeAdapter(dict[str, Any])


class Tasks(ClientExtension):
    """Says that the client knows tasks."""

    identifier = "io.modelcontextprotocol/tasks"


class _Params(RequestParams):
    task_id: str
    input_responses: dict[str, Any] | None = None


class _Ask(Request[Any, str]):
    method: str
    params: Any
    name_param: ClassVar[str | None] = "taskId"


class _ParamsWithOther(_Params):
    other: str = "another task"


class _OtherHeader(_Ask):
    name_param: ClassVar[str | None] = "other"


@asynccontextmanager
async def client(
    *parts: object, mode: Any, user: User | None = None, knows_tasks: bool = True
) -> AsyncIterator[tuple[Client, str]]:
    """A client that knows tasks, and the address of the application that is served."""
    answer = None if user is None else user.answer
    extensions = [Tasks()] if mode == "auto" and knows_tasks else []
    async with (
        serving_app(make_app(None, *parts).asgi()) as base,
        Client(
            f"{base}/mcp", mode=mode, elicitation_callback=answer, extensions=extensions
        ) as made,
    ):
        yield made, base


async def send(client: Client, method: str, task_id: str, **more: Any) -> Any:
    """The result of a method of tasks."""
    request: Any = _Ask(method=method, params=_Params(task_id=task_id, **more))
    return await client.session.send_request(request, ANY)


async def begin(client: Client, prompt: str = "", *, tool_name: str = "ask_default") -> Any:
    """What comes of a call that may become a task."""
    arguments = {"task": prompt} if prompt else {}
    params = mcp_types.CallToolRequestParams(name=tool_name, arguments=arguments)
    return await client.session.send_request(mcp_types.CallToolRequest(params=params), ANY)


async def poll(client: Client, task_id: str) -> Any:
    """A task, once it does not work any more."""
    async with asyncio.timeout(30):
        task = await send(client, "tasks/get", task_id)
        while task["status"] == "working":
            await asyncio.sleep(0.05)
            task = await send(client, "tasks/get", task_id)
    return task


async def test_a_call_becomes_a_task_of_the_extension_that_asks_and_ends() -> None:
    """It is polled; what it asks is answered by an update, and its result is that of the call."""
    user = User()
    async with client(mode="auto", user=user) as (made, _):
        task = await begin(made, "order")
        asking = await poll(made, task["taskId"])
        said = {"ask/0/1": {"action": "accept", "content": {"size": 40}}}
        await send(made, "tasks/update", task["taskId"], input_responses=said)
        ended = await poll(made, task["taskId"])

    [asked] = asking["inputRequests"].values()
    assert (task["resultType"], asking["status"]) == ("task", "input_required")
    assert asked["params"]["requestedSchema"]["properties"] == SIZE["properties"]
    assert ended["status"] == "completed"
    assert ended["result"]["content"][0]["text"] == "Then: ordered size 40"
    assert user.asked == []


async def begin_legacy(base: str) -> str:
    """The id of the task of a call that asks for it, by hand: the SDK takes no such result."""
    accept = {"accept": "application/json, text/event-stream"}
    info = {"name": "test", "version": "1"}
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info}
    call = {"name": "ask_default", "arguments": {"task": "order"}, "task": {"ttl": None}}
    async with client_of(base) as http:
        first = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
        greeted = await http.post("/mcp", json=first, headers=accept)
        headers = {**accept, "mcp-session-id": greeted.headers["mcp-session-id"]}
        second = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call}
        response = await http.post("/mcp", json=second, headers=headers)
    assert '"tasks":{"cancel":{}' in greeted.text
    [data] = [each for each in response.text.splitlines() if each.startswith("data: {")]
    return str(json.loads(data.removeprefix("data: "))["result"]["task"]["taskId"])


async def test_a_call_of_2025_11_25_asks_for_its_task() -> None:
    """Its result is waited for, and what it asks is asked meanwhile."""
    user = User(content={"size": 40})
    async with client(mode="legacy", user=user) as (made, base):
        task_id = await begin_legacy(base)
        result = await send(made, "tasks/result", task_id)
        state = await send(made, "tasks/get", task_id)
        listed = await made.session.send_request(mcp_types.ListTasksRequest(), ANY)

    assert result["content"][0]["text"] == "Then: ordered size 40"
    assert result["_meta"]["io.modelcontextprotocol/related-task"] == {"taskId": task_id}
    assert (state["status"], len(user.asked)) == ("completed", 1)
    assert [each["taskId"] for each in listed["tasks"]] == [task_id]


async def test_a_task_that_waits_is_cancelled() -> None:
    """Its run is, and stays so; there is no other task."""
    async with client(mode="auto") as (made, _):
        task_id = (await begin(made, "order"))["taskId"]
        await poll(made, task_id)
        await send(made, "tasks/cancel", task_id)
        ended = await poll(made, task_id)
        with pytest.raises(MCPError, match="no run"):
            await send(made, "tasks/get", "unknown")

    assert ended["status"] == "cancelled"


class Painter:
    """A tool that takes as long as the test wants, and gives an image."""

    def __init__(self) -> None:
        self.may_end, self.has_ended = asyncio.Event(), asyncio.Event()

    @tool
    async def paint(self, context: ToolContext) -> Attachment:
        """Paint."""
        await context.progress("painting")
        try:
            await self.may_end.wait()
        finally:
            self.has_ended.set()
        return Attachment(media_type="image/png", data=PIXEL)


async def test_a_call_of_a_tool_that_takes_long_becomes_a_task() -> None:
    """Its result is the image of the tool; one that has a result at once gives that."""
    painter = Painter()
    async with client(painter, mode="auto") as (made, _):
        task = await begin(made, tool_name="paint")
        working = await send(made, "tasks/get", task["taskId"])
        painter.may_end.set()
        ended = await poll(made, task["taskId"])
        quick = await begin(made, tool_name="paint")

    assert (task["resultType"], working["status"]) == ("task", "working")
    assert ended["result"]["content"] == quick["content"]
    assert quick["resultType"] == "complete"
    assert [each["type"] for each in quick["content"]] == ["image"]


async def test_the_task_of_a_tool_is_cancelled() -> None:
    """The tool ends with it."""
    painter = Painter()
    async with client(painter, mode="auto") as (made, _):
        task = await begin(made, tool_name="paint")
        await send(made, "tasks/cancel", task["taskId"])
        async with asyncio.timeout(30):
            await painter.has_ended.wait()
        ended = await poll(made, task["taskId"])

    assert ended["status"] == "cancelled"


@pytest.mark.parametrize(
    ("method", "knows_tasks", "code"),
    [
        ("tasks/get", False, mcp_types.MISSING_REQUIRED_CLIENT_CAPABILITY),
        ("tasks/cancel", False, mcp_types.MISSING_REQUIRED_CLIENT_CAPABILITY),
        ("tasks/get", True, mcp_types.INVALID_PARAMS),
        ("tasks/result", True, mcp_types.METHOD_NOT_FOUND),
        ("tasks/list", True, mcp_types.METHOD_NOT_FOUND),
    ],
)
async def test_a_method_that_a_client_cannot_call(
    method: str, code: int, *, knows_tasks: bool
) -> None:
    """As it has no extension, or since the method is of an earlier version."""
    async with client(mode="auto", knows_tasks=knows_tasks) as (made, _):
        with pytest.raises(MCPError) as refused:
            await send(made, method, "unknown")

    assert refused.value.code == code


async def test_a_header_that_names_another_task_is_refused() -> None:
    """A balancer would have gone by it."""
    async with client(mode="auto") as (made, _):
        task_id = (await begin(made, "order"))["taskId"]
        other: Any = _OtherHeader(method="tasks/get", params=_ParamsWithOther(task_id=task_id))
        with pytest.raises(MCPError, match="names another task") as refused:
            await made.session.send_request(other, ANY)

    assert refused.value.code == mcp_types.HEADER_MISMATCH
