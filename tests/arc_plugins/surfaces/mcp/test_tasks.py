"""Runs as tasks of MCP, in both forms of the protocol."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import mcp_types
import pytest
from mcp import MCPError
from mcp.client import ClientExtension
from mcp.client.client import Client
from mcp_types import Request, RequestParams
from pydantic import TypeAdapter

from tests.arc_plugins.surfaces.mcp.test_run_calls import User
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
    name_param = "taskId"


@asynccontextmanager
async def client(*, mode: Any, user: User | None = None) -> AsyncIterator[tuple[Client, str]]:
    """A client that knows tasks, and the address of the application that is served."""
    answer = None if user is None else user.answer
    extensions = [Tasks()] if mode == "auto" else []
    async with (
        serving_app(make_app().asgi()) as base,
        Client(
            f"{base}/mcp", mode=mode, elicitation_callback=answer, extensions=extensions
        ) as made,
    ):
        yield made, base


async def send(client: Client, method: str, task_id: str, **more: Any) -> Any:
    """The result of a method of tasks."""
    request: Any = _Ask(method=method, params=_Params(task_id=task_id, **more))
    return await client.session.send_request(request, ANY)


async def begin(client: Client, prompt: str) -> Any:
    """What comes of a call that may become a task."""
    arguments = {"task": prompt}
    params = mcp_types.CallToolRequestParams(name="ask_default", arguments=arguments)
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
