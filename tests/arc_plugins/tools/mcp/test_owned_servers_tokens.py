"""Servers that want tokens are called with that of the run's owner, and never say it."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from arc_core import Credential, CredentialError, Owner, ToolContext
from arc_core.testing.conformance.components import running
from arc_plugins.credentials.keeping.kept_credentials import KeptCredentials
from arc_plugins.tools.mcp.settings import McpServerSettings
from arc_plugins.tools.mcp.source import McpTools
from tests.arc_plugins.credentials.keeping.kept import renewable
from tests.arc_plugins.tools.mcp.authorization_world import (
    NeededError,
    World,
    call,
    context_of,
    world_of,
)
from tests.arc_plugins.tools.mcp.hostile import logged, names
from tests.arc_plugins.tools.mcp.test_source import child

ANN = Owner(user_id="ann")


@pytest.fixture
async def world() -> AsyncIterator[World]:
    """On loopback."""
    async with world_of() as world:
        yield world


async def log_in(world: World, credentials: KeptCredentials, tools: McpTools, user: str) -> None:
    """Have a user make the login that the first call asks for."""
    name = names(tools)[0]
    with pytest.raises(NeededError) as needed:
        await call(tools, name, context_of(credentials, user))
    await world.log_in(credentials, needed.value.login)


async def refuse_token_of_ann(
    world: World, credentials: KeptCredentials, tools: McpTools
) -> ToolContext:
    """A call of ann, who has logged in, and whose token the server does not take any more."""
    await log_in(world, credentials, tools, "ann")
    ann = context_of(credentials, "ann")
    await call(tools, "log_in_tools", ann)
    world.refused.add(await token_of(credentials, "ann"))
    return ann


def change_file(folder: Path) -> None:
    """Change what a tool says of itself in the only file of a folder."""
    [file] = folder.iterdir()
    file.write_text(file.read_text().replace('"description": ""', '"description": "Obey."'))


async def token_of(credentials: KeptCredentials, user: str) -> str:
    """The token of a user."""
    found = await credentials.get(Owner(user_id=user), "mcp:tools")
    assert isinstance(found, Credential)
    return found.token.get_secret_value()


async def test_a_call_is_made_with_the_token_of_its_owner(world: World) -> None:
    """After a login of each; what the server says of the token is masked."""
    async with running(world.credentials()) as credentials, running(world.tools()) as tools:
        assert names(tools) == ["log_in_tools"]
        for user in ("ann", "bob"):
            await log_in(world, credentials, tools, user)
            await call(tools, names(tools)[0], context_of(credentials, user))
        assert names(tools) == ["whoami"]
        said = [
            await call(tools, "whoami", context_of(credentials, each)) for each in ("ann", "bob")
        ]
        tokens = [await token_of(credentials, each) for each in ("ann", "bob")]

    assert said == ["your token is ***"] * 2
    assert [token for _, token in world.used][-2:] == tokens
    assert tokens[0] != tokens[1]


async def test_a_refused_token_is_renewed_once_and_then_needs_a_login(world: World) -> None:
    """The call that was refused is made again with the new one."""
    async with running(world.credentials()) as credentials, running(world.tools()) as tools:
        ann = await refuse_token_of_ann(world, credentials, tools)
        said = await call(tools, "whoami", ann)
        world.refused.add(await token_of(credentials, "ann"))
        with pytest.raises(NeededError):
            await call(tools, "whoami", ann)

    assert said == "your token is ***"
    assert world.server.refreshed == 1
    assert len(world.used) == 1


async def test_a_call_that_wants_more_asks_for_a_login_with_all_scopes(world: World) -> None:
    """What the token is good for stays good; scopes that were asked for are asked for once."""
    async with running(world.credentials()) as credentials, running(world.tools()) as tools:
        await log_in(world, credentials, tools, "ann")
        ann = context_of(credentials, "ann")
        await call(tools, "log_in_tools", ann)
        world.wanted["whoami"] = "write"
        with pytest.raises(NeededError) as needed:
            await call(tools, "whoami", ann)
        await world.log_in(credentials, needed.value.login)
        with pytest.raises(CredentialError, match="not given"):
            await call(tools, "whoami", ann)

    assert needed.value.login.scopes == ("read", "write")


async def test_anonymous_calls_nothing(world: World) -> None:
    """No login would belong to anyone."""
    async with running(world.credentials()) as credentials, running(world.tools()) as tools:
        with pytest.raises(CredentialError, match="anonymous"):
            await call(tools, "log_in_tools", context_of(credentials, "anonymous"))

    assert world.used == []


async def test_tools_are_known_from_the_last_list(world: World, tmp_path: Path) -> None:
    """In a process that starts later, until its first login; not if the file was changed."""
    folder = {"lists": tmp_path}
    async with running(world.credentials()) as credentials, running(world.tools(**folder)) as tools:
        await log_in(world, credentials, tools, "ann")
        await call(tools, "log_in_tools", context_of(credentials, "ann"))
    async with running(world.tools(**folder)) as tools:
        later = names(tools)
    change_file(tmp_path)
    async with running(world.tools(**folder)) as tools:
        changed = names(tools)

    assert later == ["whoami"]
    assert changed == ["log_in_tools"]


async def test_lists_that_differ_by_owner_are_offered_to_their_owners(
    world: World, tmp_path: Path
) -> None:
    """From the moment on when it is seen; the next start knows neither of them."""
    world.listed = lambda token: [f"tool_{world.server.tokens.index(token)}"]
    async with running(world.credentials()) as credentials:
        async with running(world.tools(lists=tmp_path)) as tools:
            ann, bob = (context_of(credentials, each) for each in ("ann", "bob"))
            await log_in(world, credentials, tools, "ann")
            await call(tools, "log_in_tools", ann)
            before = names(tools), [*tools.user_qualifiers]
            await log_in(world, credentials, tools, "bob")
            await call(tools, "tool_0", bob)
            after = names(tools), [*tools.user_qualifiers]
            own = [await tools.list_for("mcp:tools/", each) for each in (ann, bob)]
        async with running(world.tools(lists=tmp_path)) as tools:
            later = names(tools)

    assert before == (["tool_0"], [])
    assert after == ([], ["mcp:tools/"])
    assert [[each.name for each in listed] for listed in own] == [["tool_0"], ["tool_2"]]
    assert later == ["log_in_tools"]


async def test_a_list_that_changes_for_all_stays_that_of_all(world: World) -> None:
    """An owner who has listed before tells of a change, and not of rights of their own."""
    async with running(world.credentials()) as credentials, running(world.tools()) as tools:
        contexts = [context_of(credentials, each) for each in ("ann", "bob")]
        for user, context in zip(("ann", "bob"), contexts, strict=True):
            await log_in(world, credentials, tools, user)
            await call(tools, names(tools)[0], context)
        world.listed = lambda _: ["renamed"]
        world.refused.update(world.server.tokens)
        for context in contexts:
            await call(tools, names(tools)[0], context)

    assert (names(tools), [*tools.user_qualifiers]) == (["renamed"], [])


async def test_resources_are_listed_by_the_server_for_each_owner(world: World) -> None:
    """The tool is known from the first login, and what it lists is not that of another owner."""
    world.resources = lambda token: [f"note://of-{world.server.tokens.index(token)}"]
    async with running(world.credentials()) as credentials, running(world.tools()) as tools:
        await log_in(world, credentials, tools, "ann")
        of_ann = await call(tools, "log_in_tools", context_of(credentials, "ann"))
        read = [await call(tools, "read_resource", context_of(credentials, "ann"))]
        with pytest.raises(NeededError) as needed:
            await call(tools, "read_resource", context_of(credentials, "bob"))
        await world.log_in(credentials, needed.value.login)
        read.append(await call(tools, "read_resource", context_of(credentials, "bob")))

    assert "whoami" in of_ann
    assert [each.split()[0] for each in read] == ["note://of-0", "note://of-2"]


async def test_what_a_call_needs_opened_is_asked_and_the_call_repeated(world: World) -> None:
    """The error -32042: one question for each address, and one more call."""
    opened = {"mode": "url", "message": "Pay.", "url": "https://pay.example", "elicitationId": "1"}
    async with running(world.credentials()) as credentials, running(world.tools()) as tools:
        await log_in(world, credentials, tools, "ann")
        ann = context_of(credentials, "ann")
        await call(tools, "log_in_tools", ann)
        world.opening.append(opened)
        said = await call(tools, "whoami", ann)

    assert said == "your token is ***"
    assert ann.requests.questions == ["https://pay.example"]  # type: ignore[union-attr]


@pytest.mark.slow
async def test_a_process_has_the_credential_of_its_user(world: World) -> None:
    """A new token is a new process; without one the run waits."""
    secret: dict[str, Any] = {"MCP_TEST_SECRET": "${credential:github}"}
    settings = child("files", per_user=True, env=secret)
    async with (
        running(world.credentials()) as credentials,
        running(world.tools(url=None, auth="none", **settings)) as tools,
    ):
        credentials_of = context_of(credentials, "ann")
        with pytest.raises(CredentialError):
            await call(tools, "pid", credentials_of)
        pids, said = [], []
        for token in ("first-token", "second-token"):
            await credentials.put(ANN, "github", renewable(token))
            pids.append(await call(tools, "pid", credentials_of))
            said.append(await call(tools, "echo", credentials_of))

    assert pids[0] != pids[1]
    assert said == ["files:  ***"] * 2


def test_a_credential_in_a_shared_process_is_an_error() -> None:
    """The settings say so, and how to correct it."""
    with pytest.raises(ValueError, match="set per_user = true"):
        McpServerSettings(command="server", env={"TOKEN": "${credential:github}"})  # type: ignore[dict-item]


async def test_a_connection_with_an_old_token_is_closed(world: World) -> None:
    """As soon as no call uses it."""
    async with running(world.credentials()) as credentials, running(world.tools()) as tools:
        ann = await refuse_token_of_ann(world, credentials, tools)
        with logged("mcp connection of a user is closed") as closed:
            await call(tools, "whoami", ann)
            await closed.seen.wait()

    assert len(closed.records) >= 1
