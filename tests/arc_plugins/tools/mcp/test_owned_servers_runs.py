"""Runs that call a server which wants a login, in a whole application."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import pytest

from arc_autoconfig import Application, ArcSettings
from arc_core import AgentResult, ChatModel, CompletesLogins, Credentials, LoginRequest, ToolCall
from arc_core.testing import ScriptedChatModel
from tests.arc_plugins.credentials.keeping.kept import login_id
from tests.arc_plugins.tools.mcp.authorization_world import World, world_of

__all__ = ["application", "application_at", "log_in", "make_login"]


@asynccontextmanager
async def application(
    *says: Any, server: Mapping[str, Any] | None = None, **settings: Any
) -> AsyncIterator[tuple[Application, World]]:
    """With a server that wants logins, and a model that says this."""
    async with (
        world_of() as world,
        application_at(world, ScriptedChatModel(says), server, **settings) as app,
    ):
        yield app, world


@asynccontextmanager
async def application_at(
    world: World,
    model: ChatModel,
    server: Mapping[str, Any] | None = None,
    *,
    record: bool = False,
    **settings: Any,
) -> AsyncIterator[Application]:
    """With the server of a world, which may outlive it."""
    its = {"url": f"{world.url}/mcp", "auth": "oauth", **(server or {})}
    sections = ArcSettings(
        _isolated=True,
        **{
            "credentials": {"backend": "memory"},
            "server": {"public_url": "https://agents.example"},
            **settings,
            "mcp": {"servers": {"tools": its}, **settings.get("mcp", {})},
        },
    )
    async with Application(sections, register=[model], plugins=False, record=record) as app:
        yield app


async def log_in(app: Application, world: World, waiting: AgentResult[Any]) -> AgentResult[Any]:
    """Let the user make the login that a run waits for; the result of the run."""
    [request] = waiting.waiting
    assert isinstance(request, LoginRequest)
    await make_login(app, world, request)
    async with app.attach(waiting.run_id) as run:
        return await run.result()


async def make_login(app: Application, world: World, request: LoginRequest) -> None:
    """Let the user make a login, as the callback does."""
    credentials = app.component(Credentials)
    assert isinstance(credentials, CompletesLogins)
    address = await credentials.begin_login(login_id(request.url), browser="b")
    assert isinstance(address, str)
    await credentials.complete_login(world.server.log_in(address), browser="b")
    await app.runs.end_logins(request.service, user_id=request.user_id, tenant_id=None)


@pytest.mark.slow
async def test_a_run_waits_for_the_login_and_the_next_has_the_tools() -> None:
    """It calls the server with the token that the login has given."""
    calls = [[ToolCall(name, name, "{}")] for name in ("log_in_tools", "whoami")]
    async with application(calls[0], "Welcome.", calls[1], "Done.") as (app, world):
        waiting = await app.execute("Hello", user_id="ann")
        first = await log_in(app, world, waiting)
        second = await app.execute("Go on", user_id="ann")

    assert (first.content, second.content) == ("Welcome.", "Done.")
    assert world.used == [("whoami", world.server.tokens[0])]
