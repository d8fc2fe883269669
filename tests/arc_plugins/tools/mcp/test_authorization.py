"""Where people log in for a server is found as the protocol says, and no answer is trusted."""

from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from arc_core import CredentialError, LoginNeeded, Service
from arc_core.testing.conformance.components import running
from arc_core.testing.vendor_server import Ending, Reply
from arc_plugins.tools.mcp import authorization
from arc_plugins.tools.mcp.authorization import McpServices
from tests.arc_plugins.credentials.keeping.kept import ANN
from tests.arc_plugins.tools.mcp.authorization_world import World, world_of

RESOURCE = "/.well-known/oauth-protected-resource/mcp"
METADATA = "/.well-known/oauth-authorization-server"


@pytest.fixture
async def world() -> AsyncIterator[World]:
    """On loopback."""
    async with world_of() as world:
        yield world


async def find(world: World, **more: Any) -> Service:
    """What is found of the server."""
    found = await McpServices(world.settings(**more)).find_service("mcp:tools")
    assert found is not None
    return found


async def test_a_service_is_found_by_what_its_server_says(world: World) -> None:
    """By the address in its refusal, and at the authorization server that it names."""
    found = await find(world)

    assert found.authorize_url == f"{world.url}/authorize"
    assert (found.issuer, found.resource) == (world.url, f"{world.url}/mcp")
    assert (found.scopes, found.promises_issuer) == (("read",), True)
    assert found.client_auth == "none"


async def test_a_service_is_kept_until_it_is_looked_for_anew(world: World) -> None:
    """All who ask within a minute share what was found, but those whose token was refused."""
    services = McpServices(world.settings())
    for anew in (False, False, True):
        await services.find_service("mcp:tools", anew=anew)

    assert world.paths.count(METADATA) == 2


async def test_well_known_places_are_asked_if_a_server_names_none(world: World) -> None:
    """First with the path of the server, then without; OpenID Connect after OAuth."""
    world.replies |= {
        "/mcp": lambda: Reply.json({}, status=401),
        RESOURCE: lambda: Reply.json({}, status=404),
        "/.well-known/oauth-protected-resource": lambda: Reply.json(world.resource_metadata),
        METADATA: lambda: Reply.json({}, status=404),
        "/.well-known/openid-configuration": lambda: Reply.json(world.metadata),
    }
    found = await find(world)

    assert found.token_url == f"{world.url}/token"
    assert found.scopes == ("read",)


HOSTILE: dict[str, Callable[[World], object]] = {
    "another resource": lambda world: world.resource_metadata.update(
        resource="https://bank.example/mcp"
    ),
    "another issuer": lambda world: world.metadata.update(issuer="https://bank.example"),
    "no PKCE": lambda world: world.metadata.pop("code_challenge_methods_supported"),
    "plain PKCE": lambda world: world.metadata.update(code_challenge_methods_supported=["plain"]),
    "a private authorization server": lambda world: world.resource_metadata.update(
        authorization_servers=["https://10.0.0.1"]
    ),
    "a link-local token endpoint": lambda world: world.metadata.update(
        token_endpoint="https://169.254.169.254/token"
    ),
    "a registration by http": lambda world: world.metadata.update(
        registration_endpoint="http://register.example"
    ),
    "a login that is a script": lambda world: world.metadata.update(
        authorization_endpoint="javascript:alert(1)"
    ),
    "HTML": lambda world: world.replies.update(
        {METADATA: lambda: Reply(body=b"{}", content_type="text/html")}
    ),
    "too much": lambda world: world.replies.update({METADATA: lambda: Reply(body=b" " * 100_000)}),
    "a redirect": lambda world: world.replies.update(
        {METADATA: lambda: Reply.json({}, status=302, headers={"location": "http://10.0.0.1/"})}
    ),
    "a server that is down": lambda world: world.replies.update(
        {RESOURCE: lambda: Reply.json({}, status=503)}
    ),
}


@pytest.mark.parametrize("lie", HOSTILE.values(), ids=HOSTILE)
async def test_what_a_server_must_not_say_is_an_error(
    world: World, lie: Callable[[World], object]
) -> None:
    """It names the service, and nothing that was said."""
    lie(world)
    with pytest.raises(CredentialError) as failed:
        await find(world)

    assert failed.value.service == "mcp:tools"
    assert all(words not in str(failed.value) for words in ("bank", "10.0.0.1", "169.254"))


async def test_a_metadata_address_in_a_private_network_is_not_asked(world: World) -> None:
    """A server that names it in its refusal has nothing asked in its stead."""
    header = {"www-authenticate": 'Bearer resource_metadata="http://10.0.0.1/metadata"'}
    world.replies["/mcp"] = lambda: Reply.json({}, status=401, headers=header)
    with pytest.raises(CredentialError, match="not asked"):
        await find(world)

    assert world.paths == ["/mcp"]


async def test_a_discovery_that_hangs_is_an_error(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may be tried again."""
    monkeypatch.setattr(authorization, "_WITHIN_S", 0.2)
    world.replies[METADATA] = lambda: Reply.nothing(Ending.STALLED)
    with pytest.raises(CredentialError) as failed:
        await find(world)

    assert failed.value.retryable


async def test_an_issuer_of_the_settings_has_to_be_named(world: World) -> None:
    """One that the server does not name is an error; one that it names is confirmed."""
    confirmed = await find(world, issuer=world.url)
    with pytest.raises(CredentialError, match=r"mcp\.servers\.tools\.issuer"):
        await find(world, issuer="https://other.example")

    assert confirmed.is_confirmed


async def test_all_who_ask_at_once_cost_one_discovery(world: World) -> None:
    """A thousand users without a login are one question to the server."""
    async with running(world.credentials()) as credentials:
        for _ in range(3):
            assert isinstance(await credentials.get(ANN, "mcp:tools"), LoginNeeded)

    assert world.paths.count(METADATA) == 1
