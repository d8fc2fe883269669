"""Runs that wait, asked of the user of an MCP client in both eras of the protocol."""

from typing import Any

import mcp_types
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from pydantic import SecretStr

from arc_autoconfig import Application
from arc_core import Credential, Owner
from arc_core.testing.fakes import DictCredentials
from tests.arc_plugins.surfaces.mcp.test_surface import BOTH, get_text
from tests.arc_plugins.surfaces.served_apps import make_app
from tests.serving import KEY, client_of, serving_app


class User:
    """The user of a client.

    Attributes:
        asked: What they were asked.
        before: Is awaited before they answer.
    """

    def __init__(self, action: Any = "accept", content: Any = None) -> None:
        self.asked: list[Any] = []
        self.before: Any = None
        self._said = mcp_types.ElicitResult(action=action, content=content)

    async def answer(self, context: Any, params: Any) -> mcp_types.ElicitResult:
        """Answer what a server asks."""
        del context
        self.asked.append(params)
        if self.before is not None:
            await self.before()
        return self._said


def make_app_with_login() -> tuple[Application, User]:
    """An application that asks for a login, and a user who logs in before they answer."""
    app, user = make_app(None, DictCredentials()), User()

    async def log_in() -> None:
        token = Credential(token=SecretStr("t"))
        await app.credentials.put(Owner(user_id="ann"), "github", token)

    user.before = log_in
    return app, user


async def ask(app: Application, task: str, *, user: User | None, mode: Any = "auto") -> Any:
    """What a client gets for a task."""
    answer = None if user is None else user.answer
    meta: Any = {"arc/user_id": "ann"}
    async with (
        serving_app(app.asgi()) as base,
        Client(f"{base}/mcp", mode=mode, elicitation_callback=answer) as client,
    ):
        return await client.call_tool("ask_default", {"task": task}, meta=meta)


@BOTH
@pytest.mark.parametrize(
    ("user", "said"),
    [
        (User(content={"size": 40}), "Then: ordered size 40"),
        (User("decline"), "Then: Error: The question to the user was denied: the user declined"),
        (User("cancel"), "Which size?"),
    ],
)
async def test_a_question_is_a_form_of_the_client(mode: Any, user: User, said: str) -> None:
    """The call goes on with what its user says, and says so if they say nothing."""
    user.asked.clear()
    result = await ask(make_app(), "order", user=user, mode=mode)

    [asked] = user.asked
    assert asked.message == "Which size?"
    assert asked.requested_schema["properties"]["size"]["type"] == "integer"
    assert get_text(result).startswith(said)


@BOTH
async def test_an_approval_is_a_form_with_a_yes_or_no(mode: Any) -> None:
    """It shows the arguments that are approved."""
    user = User(content={"approve": True})
    result = await ask(make_app(), "pay 5", user=user, mode=mode)
    refused = await ask(make_app(), "pay 5", user=User(content={"approve": False}), mode=mode)

    assert '{"amount": 5}' in user.asked[0].message
    assert get_text(result) == "Then: paid 5"
    assert "was denied" in get_text(refused)


@BOTH
async def test_a_login_is_an_address_that_the_user_opens(mode: Any) -> None:
    """The call goes on once they have logged in there."""
    app, user = make_app_with_login()
    result = await ask(app, "issues", user=user, mode=mode)

    [asked] = user.asked
    assert asked.url.startswith("https://arc.example/oauth/login/")
    assert "github" in asked.message
    assert get_text(result) == "Then: no issues"


@BOTH
async def test_a_client_that_asks_nothing_gets_a_run_that_waits(mode: Any) -> None:
    """With its id, and how to read on."""
    result = await ask(make_app(), "order", user=None, mode=mode)

    run_id = result.meta["arc/run_id"]
    assert get_text(result) == (
        f"Which size? Call again with the id {run_id} as arc/run_id in _meta to read on."
    )


async def test_a_client_decides_only_what_its_key_may() -> None:
    """An approval is left to others then."""
    user = User(content={"approve": True})
    keys = [{"name": "bot", "key": KEY, "decide": False}]
    app = make_app(server={"api_keys": keys})
    async with serving_app(app.asgi()) as base, client_of(base, KEY) as http:
        transport = streamable_http_client(f"{base}/mcp", http_client=http)
        async with Client(transport, elicitation_callback=user.answer) as client:
            result = await client.call_tool("ask_default", {"task": "pay 5"})

    assert user.asked == []
    assert "waits for a person" in get_text(result)
