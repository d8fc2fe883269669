"""Services that a source knows: registered once, kept to their issuer, asked for one resource."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlsplit

import pytest

from arc_core import (
    AddressRules,
    Credential,
    CredentialError,
    Login,
    LoginNeeded,
    LoginRefused,
    Owner,
    Service,
    ServiceSource,
)
from arc_core.testing.conformance.components import running
from arc_core.testing.vendor_server import ReceivedRequest, Reply, VendorServer
from arc_plugins.credentials.keeping.kept_credentials import KeptCredentials
from arc_plugins.credentials.settings import ServicesSettings
from tests.arc_plugins.credentials.keeping.kept import (
    ANN,
    AuthorizationServer,
    callback_of,
    in_database,
    in_memory,
    login_id,
)
from tests.arc_plugins.postgres_server import schema_at

RESOURCE = "https://tools.example/mcp"


@dataclass
class World(ServiceSource):
    """A source with one service, `mcp:tools`, and the authorization server behind it."""

    service: Service
    server: AuthorizationServer = field(default_factory=AuthorizationServer)
    forms: list[dict[str, str]] = field(default_factory=list)
    registered: int = 0
    looks: list[bool] = field(default_factory=list)
    registration: dict[str, Any] = field(default_factory=lambda: {"client_id": "given"})

    async def find_service(self, name: str, *, anew: bool = False) -> Service | None:
        """The one."""
        self.looks.append(anew)
        return self.service if name == "mcp:tools" else None

    def answer(self, request: ReceivedRequest) -> Reply:
        """Register, or give tokens."""
        if request.path == "/register":
            self.registered += 1
            return Reply.json(self.registration, status=201)
        self.forms.append({name: each[0] for name, each in parse_qs(request.body.decode()).items()})
        return self.server.answer(request)

    async def begin(self, credentials: KeptCredentials, owner: Owner = ANN) -> dict[str, str]:
        """Open the login of an owner; the parameters with which the service is asked."""
        needed = await credentials.get(owner, "mcp:tools")
        assert isinstance(needed, LoginNeeded)
        address = await credentials.begin_login(login_id(needed.url), browser="b")
        assert isinstance(address, str), address
        return {"address": address, **dict(parse_qsl(urlsplit(address).query))}

    async def log_in(self, credentials: KeptCredentials) -> None:
        """Let ann log in."""
        asked = await self.begin(credentials)
        answer = callback_of(self.server.log_in(asked["address"]))
        ended = await credentials.complete_login(answer, browser="b")
        assert not isinstance(ended, LoginRefused), ended


@pytest.fixture
async def world() -> AsyncIterator[World]:
    """A service on loopback that registers applications."""
    async with VendorServer() as vendor:
        service = Service(
            authorize_url=f"{vendor.url}/authorize",
            token_url=f"{vendor.url}/token",
            registration_url=f"{vendor.url}/register",
            setting="mcp.servers.tools",
            scopes=("read",),
            issuer=vendor.url,
            resource=RESOURCE,
            rules=AddressRules(allows_loopback=True),
        )
        made = World(service, AuthorizationServer(issuer=vendor.url))
        vendor.add(*[made.answer] * 20)
        yield made


def read_all(folder: Path) -> bytes:
    """All bytes of the files of a database."""
    return b"".join(each.read_bytes() for each in folder.iterdir())


def credentials_of(*sources: ServiceSource) -> KeptCredentials:
    """Credentials in memory that ask these sources."""
    return in_memory(ServicesSettings(), sources=sources)


async def test_the_resource_stands_in_every_request(world: World) -> None:
    """At the page of the login, with the code, and when the token is renewed (RFC 8707)."""
    async with running(credentials_of(world)) as credentials:
        asked = await world.begin(credentials)
        await world.log_in(credentials)
        found = await credentials.get(ANN, "mcp:tools")
        assert isinstance(found, Credential)
        await credentials.get(ANN, "mcp:tools", rejected=found)

    assert asked["resource"] == RESOURCE
    assert [each["grant_type"] for each in world.forms] == ["authorization_code", "refresh_token"]
    assert {each["resource"] for each in world.forms} == {RESOURCE}
    assert world.forms[0]["client_id"] == "given"


async def test_the_client_is_named_in_the_form_too(world: World) -> None:
    """Beside a secret in the header: servers of the MCP SDK find the client by the form."""
    world.registration = {"client_id": "given", "client_secret": "hush-hush"}

    async with running(credentials_of(world)) as credentials:
        await world.log_in(credentials)

    (form,) = world.forms
    assert (form["client_id"], form.get("client_secret")) == ("given", None)


async def test_an_application_is_registered_once_for_all_processes(
    world: World, tmp_path: Path
) -> None:
    """Two processes with one database that ask at once; the secret is not there in clear."""
    world.registration = {"client_id": "given", "client_secret": "hush-hush", "client_id_issued": 1}
    file = tmp_path / "arc.db"
    first, second = [await in_database(file, ServicesSettings(), sources=[world]) for _ in range(2)]
    async with running(first), running(second):
        async with asyncio.TaskGroup() as group:
            for number in range(6):
                owner = Owner(user_id=f"user-{number}")
                group.create_task(world.begin((first, second)[number % 2], owner))
        kept = await first.list_kept()

    assert world.registered == 1
    assert kept == []
    assert b"hush-hush" not in read_all(tmp_path)


async def test_a_service_that_refuses_its_token_is_looked_for_anew(world: World) -> None:
    """Its server may name another authorization server by now."""
    async with running(credentials_of(world)) as credentials:
        await world.log_in(credentials)
        found = await credentials.get(ANN, "mcp:tools")
        assert isinstance(found, Credential)
        world.looks.clear()
        world.server.refresh_tokens.clear()
        await credentials.get(ANN, "mcp:tools", rejected=found)

    assert world.looks[-1]


async def test_another_issuer_is_refused_until_the_settings_name_it(world: World) -> None:
    """The refusal says what to do; a token of the first one is never sent to the second."""
    async with running(credentials_of(world)) as credentials:
        await world.log_in(credentials)
        world.service = replace(world.service, issuer="https://evil.example")
        bob = Owner(user_id="bob")
        with pytest.raises(CredentialError, match=r"set mcp\.servers\.tools\.issuer"):
            await credentials.get(bob, "mcp:tools")

        world.service = replace(world.service, is_confirmed=True)
        found = await credentials.get(ANN, "mcp:tools")
        assert isinstance(found, Credential)
        again = await credentials.get(ANN, "mcp:tools", rejected=found)

    assert isinstance(again, LoginNeeded)
    assert [each["grant_type"] for each in world.forms] == ["authorization_code"]


async def test_an_answer_is_of_the_issuer_to_which_the_person_was_led(world: World) -> None:
    """If the issuer changes in between, the code is sent nowhere."""
    async with running(credentials_of(world)) as credentials:
        asked = await world.begin(credentials)
        world.service = replace(world.service, issuer="https://other.example", is_confirmed=True)
        answer = world.server.log_in(asked["address"])
        ended = await credentials.complete_login(answer, browser="b")

    assert isinstance(ended, LoginRefused)
    assert world.forms == []


async def test_an_answer_without_a_promised_issuer_is_refused(world: World) -> None:
    """RFC 9207: a server that says it sends `iss` always does."""
    world.service = replace(world.service, promises_issuer=True)
    async with running(credentials_of(world)) as credentials:
        asked = await world.begin(credentials)
        answer = callback_of(world.server.log_in(asked["address"]), iss="")
        ended = await credentials.complete_login(answer, browser="b")

    assert isinstance(ended, LoginRefused)
    assert world.forms == []


async def test_more_scopes_need_a_login_that_asks_for_all(world: World) -> None:
    """What there was stays good until then; what a login has asked for is not asked for again."""
    async with running(credentials_of(world)) as credentials:
        await world.log_in(credentials)
        found = await credentials.get(ANN, "mcp:tools")
        assert isinstance(found, Credential)
        needed = await credentials.get(ANN, "mcp:tools", rejected=found, scopes=["write"])
        assert await credentials.get(ANN, "mcp:tools") == found
        with pytest.raises(CredentialError, match="not given"):
            await credentials.get(ANN, "mcp:tools", rejected=found, scopes=["read"])

    assert isinstance(needed, LoginNeeded)
    assert needed.scopes == ("read", "write")


@pytest.mark.parametrize(
    "changes",
    [
        {"rules": AddressRules(), "registration_url": "https://10.0.0.1/register"},
        {"rules": AddressRules(), "registration_url": "https://169.254.169.254/latest"},
        {"registration_url": None},
    ],
)
async def test_where_no_application_can_be_registered_no_login_is_asked_for(
    world: World, changes: dict[str, Any]
) -> None:
    """A private address is not asked; the error says what a person can do."""
    world.service = replace(world.service, **changes)
    async with running(credentials_of(world)) as credentials:
        with pytest.raises(CredentialError, match=r"address that is not asked|client_id"):
            await credentials.get(ANN, "mcp:tools")

    assert world.registered == 0


async def test_a_service_that_reads_documents_gets_the_address_of_one(world: World) -> None:
    """Nothing is registered then."""
    world.service = replace(world.service, takes_documents=True)
    async with running(credentials_of(world)) as credentials:
        asked = await world.begin(credentials)

    assert asked["client_id"] == "https://agents.example/oauth/client.json"
    assert world.registered == 0


async def test_a_login_asks_for_the_scopes_of_all_who_wait_for_it(
    world: World, postgres: str
) -> None:
    """Of several at once in a database, too, and by one link."""
    with schema_at(postgres) as url:
        made = await in_database(url, ServicesSettings(), sources=[world])
        async with running(made) as credentials, asyncio.TaskGroup() as group:
            asking = [
                group.create_task(credentials.get(ANN, "mcp:tools", scopes=[f"scope-{number}"]))
                for number in range(4)
            ]
        async with running(made) as credentials:
            found = await credentials.get(ANN, "mcp:tools")
            assert isinstance(found, LoginNeeded)
            login = await credentials.find_login(login_id(found.url))

    assert isinstance(login, Login)
    assert {each.result().url for each in asking} == {found.url}  # type: ignore[union-attr]
    assert set(login.scopes) == {"read", *(f"scope-{number}" for number in range(4))}
