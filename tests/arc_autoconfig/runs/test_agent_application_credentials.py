"""What a program puts lets the runs go on that wait for it, and what it removes is gone."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from pydantic import SecretStr

from arc_autoconfig import Application, ArcSettings
from arc_autoconfig.errors import ApplicationStateError
from arc_core import AgentResult, Credential, Owner, ToolCall, ToolContext, tool
from arc_core.testing import ScriptedChatModel

TOKEN = Credential(token=SecretStr("the-token-of-a-user"))
OAUTH: dict[str, Any] = {
    "authorize_url": "https://github.example/authorize",
    "token_url": "https://github.example/token",
    "client_id": "arc",
}


@tool
async def list_issues(context: ToolContext, service: str) -> str:
    """List the issues of the user."""
    found = await context.credential(service)
    return f"{len(found.token.get_secret_value())} issues"


@asynccontextmanager
async def waiting_at(service: str) -> AsyncIterator[tuple[Application, AgentResult, AgentResult]]:
    """An application in which ann and bob of one tenant have to log in."""
    call = [ToolCall("1", "list_issues", f'{{"service": "{service}"}}')]
    settings = ArcSettings(
        _isolated=True,
        credentials={"backend": "memory"},
        services={"github": OAUTH, "team": {**OAUTH, "mode": "tenant"}},
    )
    model = ScriptedChatModel([call, call, "Done.", "Done."])
    async with Application(settings, register=[model, list_issues], plugins=False) as app:
        ann, bob = [
            await app.execute("List", user_id=name, tenant_id="acme") for name in ("ann", "bob")
        ]
        yield app, ann, bob


async def finish(app: Application, waiting: AgentResult) -> AgentResult:
    """The result of a run that goes on."""
    async with app.attach(waiting.run_id) as run:
        return await run.result()


async def test_what_is_put_lets_runs_of_its_owner_go_on() -> None:
    """Those of others wait on."""
    async with waiting_at("github") as (app, ann, bob):
        await app.credentials.put(Owner(user_id="ann", tenant_id="acme"), "github", TOKEN)
        result = await finish(app, ann)
        left = await app.waiting()

    assert result.content == "Done."
    assert [each.run_id for each in left] == [bob.run_id]


async def test_what_is_put_for_a_tenant_lets_all_of_its_runs_go_on() -> None:
    """Their users share it."""
    async with waiting_at("team") as (app, ann, bob):
        await app.credentials.put(Owner(user_id="", tenant_id="acme"), "team", TOKEN)
        results = [await finish(app, each) for each in (ann, bob)]

    assert [each.content for each in results] == ["Done.", "Done."]


async def test_what_is_removed_is_gone() -> None:
    """And its number is told."""
    async with waiting_at("github") as (app, _, _):
        owner = Owner(user_id="ann", tenant_id="acme")
        await app.credentials.put(owner, "github", TOKEN)
        found = await app.credentials.get(owner, "github")
        counts = [await app.credentials.remove(owner) for _ in range(2)]

    assert found == TOKEN
    assert counts == [1, 0]


async def test_an_application_that_is_not_started_has_none() -> None:
    """It says what to do."""
    with pytest.raises(ApplicationStateError):
        _ = Application(ArcSettings(_isolated=True), plugins=False).credentials
