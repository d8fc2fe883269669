"""What is wired is told over HTTP as the commands print it."""

import json
from typing import Any

import pytest
from click.testing import CliRunner

from arc_autoconfig.cli.main import arc
from arc_core import Agent
from tests.serving import KEY, client_of, serving

SUPPORT = Agent("support", description="Answers customers.")


@pytest.mark.parametrize("view", ["components", "conditions", "plugins", "config", "agents"])
async def test_a_view_has_the_form_of_its_command(view: str) -> None:
    """The same keys, so that a program that reads the one reads the other."""
    async with serving() as address, client_of(address) as client:
        told = (await client.get(f"/arc/{view}")).json()
    printed = json.loads(CliRunner().invoke(arc, [view, "--json"]).stdout)

    assert type(told) is type(printed)
    first, second = (next(iter(each), None) for each in (told, printed))
    assert first == second or set(first or ()) == set(second or ())


async def test_secrets_are_masked() -> None:
    """Of the settings, and of the keys of the server itself."""
    server = {"api_keys": [{"name": "ann", "key": KEY}]}
    settings: dict[str, Any] = {"llm": {"api_key": "sk-secret-of-the-house"}, "server": server}
    async with serving(**settings) as address, client_of(address, KEY) as client:
        told = (await client.get("/arc/config")).text

    assert "llm.api_key" in told
    assert "sk-secret" not in told
    assert KEY not in told


async def test_views_need_a_key() -> None:
    """If the server has keys."""
    server = {"api_keys": [{"name": "ann", "key": KEY}]}
    async with serving(server=server) as address, client_of(address) as client:
        codes = [
            (await client.get(f"/{path}")).status_code for path in ("arc/config", "api/agents")
        ]

    assert codes == [401, 401]


@pytest.mark.parametrize("bound", [{"tenant": "acme"}, {"users": ["ann"]}, {"agents": ["x"]}])
async def test_views_are_not_for_those_who_are_only_served(bound: dict[str, Any]) -> None:
    """A key for some tenant, users or agents sees neither settings nor instructions."""
    keys = [{"name": "shop", "key": KEY, **bound}]
    async with serving(server={"api_keys": keys}) as address, client_of(address, KEY) as client:
        response = await client.get("/arc/config")

    assert response.status_code == 403
    assert response.json()["error"]["message"] == "the key 'shop' is not for what is wired"


async def test_agents_are_those_that_the_caller_may_ask() -> None:
    """All of them, or those of the key."""
    keys = [{"name": "all", "key": KEY}, {"name": "one", "key": KEY * 2, "agents": ["support"]}]
    found = []
    async with serving(register=[SUPPORT], server={"api_keys": keys}) as address:
        for key in (KEY, KEY * 2):
            async with client_of(address, key) as client:
                found.append((await client.get("/api/agents")).json()["agents"])

    support = {"name": "support", "description": "Answers customers.", "examples": []}
    assert [each["name"] for each in found[0]] == ["default", "support"]
    assert found[1] == [support]


async def test_an_unknown_view_is_not_found() -> None:
    """In the shape of all errors."""
    async with serving() as address, client_of(address) as client:
        response = await client.get("/arc/secrets")

    assert (response.status_code, response.json()["error"]["code"]) == (404, "not_found")
