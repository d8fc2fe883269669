"""Tools that ask their user, called by MCP clients without an agent, in both eras."""

import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, cast

import mcp_types
import pytest
from mcp import MCPError
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from arc_autoconfig import Application
from arc_core import Attachment, ToolContext, tool
from arc_core.testing.fakes import DictCredentials
from tests.arc_plugins.surfaces.mcp.test_run_calls import User, make_app_with_login
from tests.arc_plugins.surfaces.mcp.test_surface import BOTH, client_with, get_text
from tests.arc_plugins.surfaces.served_apps import SIZE, make_app
from tests.serving import KEY, client_of, serving_app

FOR_ANN: Any = {"arc/user_id": "ann"}
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


class Tailor:
    """A tool that asks, and notes how often it is called."""

    def __init__(self) -> None:
        self.times = 0

    @tool
    async def draw(self, context: ToolContext) -> Attachment:
        """Draw a shirt."""
        self.times += 1
        await context.ask("Which size?", SIZE)
        return Attachment(media_type="image/png", data=PIXEL)


@tool(needs_approval=lambda call: call.arguments.get("amount") == 11)
async def refund(amount: int) -> str:
    """Refund an amount."""
    return f"refunded {amount}"


@asynccontextmanager
async def client_for(
    app: Application, user: User | None, mode: Any = "auto"
) -> AsyncIterator[tuple[Client, str]]:
    """A client whose user answers, and the address of the application that is served."""
    answer = None if user is None else user.answer
    async with (
        serving_app(app.asgi()) as base,
        Client(f"{base}/mcp", mode=mode, elicitation_callback=answer) as client,
    ):
        yield client, base


async def call(app: Application, name: str, user: User | None, mode: Any, **arguments: Any) -> Any:
    """The result of a tool."""
    async with client_for(app, user, mode) as (client, _):
        return await client.call_tool(name, arguments, meta=FOR_ANN)


@BOTH
@pytest.mark.parametrize(
    ("user", "said", "is_error"),
    [
        (User(content={"size": 40}), "ordered size 40", False),
        (User("decline"), "Error: The question to the user was denied: the user declined", True),
        (User("cancel"), "Which size? Call again with the id", False),
        (User(content={"size": "big"}), "size: it is not of type 'integer'", True),
    ],
)
async def test_a_question_is_a_form_of_the_client(
    mode: Any, user: User, said: str, *, is_error: bool
) -> None:
    """The call goes on with an answer that fits the schema."""
    user.asked.clear()
    result = await call(make_app(), "order", user, mode)

    [asked] = user.asked
    assert asked.message == "Which size?"
    assert asked.requested_schema["required"] == ["size"]
    assert said in get_text(result)
    assert result.is_error is is_error


@BOTH
async def test_a_login_is_an_address_that_the_user_opens(mode: Any) -> None:
    """The call goes on once they have logged in there."""
    app, user = make_app_with_login()
    result = await call(app, "issues", user, mode)

    [asked] = user.asked
    assert asked.url.startswith("https://arc.example/oauth/login/")
    assert get_text(result) == "no issues"


@BOTH
async def test_a_person_may_have_to_approve_some_calls(mode: Any) -> None:
    """Of a tool that says so of them; the others are made at once."""
    user = User(content={"approve": True})
    dear = await call(make_app(None, refund), "refund", user, mode, amount=11)
    cheap = await call(make_app(None, refund), "refund", user, mode, amount=10)

    [asked] = user.asked
    assert '{"amount": 11}' in asked.message
    assert [get_text(dear), get_text(cheap)] == ["refunded 11", "refunded 10"]


@BOTH
async def test_the_result_is_that_of_the_tool(mode: Any) -> None:
    """An image stays one; the tool is asked again once there is an answer, and not its user."""
    tailor, user = Tailor(), User(content={"size": 40})
    result = await call(make_app(None, tailor), "draw", user, mode)

    [block] = result.content
    assert (block.type, base64.b64decode(block.data)) == ("image", PIXEL)
    assert result.meta["arc/run_id"]
    assert (tailor.times, len(user.asked)) == (2, 1)


@BOTH
async def test_a_client_that_asks_nothing_is_told_how_the_call_goes_on(mode: Any) -> None:
    """The answer comes by another way, and the same tool reads the result then."""
    async with client_for(make_app(), None, mode) as (client, base), client_of(base) as http:
        waiting = await client.call_tool("order", {}, meta=FOR_ANN)
        run_id = (waiting.meta or {})["arc/run_id"]
        [request] = (await http.get("/api/approvals")).json()["requests"]
        said = {"key": request["key"], "answer": {"size": 40}}
        await http.post(f"/api/runs/{run_id}/decisions", json=said)
        meta: Any = {"arc/run_id": run_id}
        result = await client.call_tool("order", {}, meta=meta)

    assert (request["run_id"], request["tool"], request["user_id"]) == (run_id, "order", "ann")
    assert get_text(waiting).startswith(f"Which size? Call again with the id {run_id}")
    assert get_text(result) == "ordered size 40"


async def test_a_client_that_opens_no_address_is_told_where_to_log_in() -> None:
    """The address is that of Arc's page, and the same tool reads the result then."""
    result = await call(make_app(None, DictCredentials()), "issues", None, "auto")

    assert "https://arc.example/oauth/login/" in get_text(result)
    assert "Call again with the id" in get_text(result)


async def test_only_its_owner_answers_a_call() -> None:
    """The state of another user's call is that of an unknown run."""
    keys = [{"name": name, "key": f"{KEY}-{name}", "users": [name]} for name in ("ann", "bob")]
    app = make_app(server={"api_keys": keys})
    responses: Any = {"ask/0/1": {"action": "accept", "content": {"size": 40}}}
    async with serving_app(app.asgi()) as base:
        async with client_with(base, f"{KEY}-ann") as ann:
            run_id = ((await ann.call_tool("order", {})).meta or {})["arc/run_id"]
        async with client_with(base, f"{KEY}-bob") as bob:
            state = f"{run_id}#1"
            with pytest.raises(MCPError, match="There is no run") as refused:
                await bob.call_tool("order", {}, request_state=state, input_responses=responses)
        [request] = await app.waiting()

    assert refused.value.code == mcp_types.INVALID_PARAMS
    assert request.run_id == run_id


@pytest.mark.parametrize("state", ["", "x", "#1", "{run_id}", "{run_id}#1-changed", "{run_id}#-1"])
async def test_the_state_of_a_call_is_sent_back_as_it_came(state: str) -> None:
    """Another one is an error of the protocol, and answers nothing."""
    app, responses = make_app(), cast("Any", {"ask/0/1": {"action": "accept", "content": {}}})
    async with client_for(app, None) as (client, _):
        run_id = ((await client.call_tool("order", {})).meta or {})["arc/run_id"]
        state = state.format(run_id=run_id)
        with pytest.raises(MCPError, match="There is no run"):
            await client.call_tool("order", {}, request_state=state, input_responses=responses)
        assert len(await app.waiting()) == 1


async def test_a_key_for_some_agents_calls_no_tool() -> None:
    """Nor does anyone by a command over HTTP."""
    keys = [{"name": "boss", "key": KEY, "agents": ["boss"]}]
    body = {"user_prompt": "", "tool_call": {"type": "tool_call", "id": "c", "name": "order"}}
    async with (
        serving_app(make_app(server={"api_keys": keys}).asgi()) as base,
        client_of(base, KEY) as http,
        Client(streamable_http_client(f"{base}/mcp", http_client=http)) as client,
    ):
        listed = [each.name for each in (await client.list_tools()).tools]
        response = await http.post("/api/runs", json=body)

    assert listed == ["ask_boss"]
    assert response.status_code == 422
    assert response.json()["error"]["param"] == "tool_call"
