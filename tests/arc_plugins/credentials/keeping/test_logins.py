"""A login is made by the browser that began it, once, in time, and at the service asked for."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

import pytest

from arc_core import Credential, Login, LoginNeeded, LoginRefused, Owner
from arc_core.testing.conformance.components import running
from arc_core.testing.vendor_server import VendorServer
from arc_plugins.credentials.keeping.kept_credentials import KeptCredentials
from tests.arc_plugins.credentials.keeping.kept import (
    ANN,
    AuthorizationServer,
    callback_of,
    in_memory,
    login_id,
    renewable,
    services_at,
)

BOB = Owner(user_id="bob", tenant_id="acme")


@dataclass
class People:
    """Credentials, the service, and what people do there."""

    credentials: KeptCredentials
    server: AuthorizationServer

    async def link_of(self, owner: Owner) -> str:
        """The id of the login that a user is asked to make."""
        found = await self.credentials.get(owner, "github")
        assert isinstance(found, LoginNeeded)
        return login_id(found.url)

    async def begin(self, owner: Owner, browser: str) -> dict[str, str]:
        """Open the link in a browser and allow it; what the service sends back."""
        address = await self.credentials.begin_login(await self.link_of(owner), browser=browser)
        assert isinstance(address, str)
        return self.server.log_in(address)

    async def has_credential(self, owner: Owner) -> bool:
        """Whether a user has a credential."""
        return isinstance(await self.credentials.get(owner, "github"), Credential)


@pytest.fixture
async def people() -> AsyncIterator[People]:
    """With a server that answers as it should."""
    server = AuthorizationServer()
    async with (
        VendorServer(*[server.answer] * 9) as vendor,
        running(in_memory(services_at(vendor.url))) as credentials,
    ):
        yield People(credentials, server)


async def test_a_login_gives_a_credential(people: People) -> None:
    """To its owner alone, and the link is over once it is closed."""
    answer = await people.begin(ANN, "browser")
    link = await people.link_of(ANN)

    ended = await people.credentials.complete_login(answer, browser="browser")
    assert isinstance(ended, Login)
    before = await people.credentials.find_login(link)
    await people.credentials.close_login(ended)
    found = await people.credentials.get(ANN, "github")

    assert ended == Login(owner=ANN, service="github", scopes=("read", "write"))
    assert isinstance(found, Credential)
    assert found.token.get_secret_value() in people.server.tokens
    assert found.scopes == ("read", "write")
    assert before == ended
    assert isinstance(await people.credentials.find_login(link), LoginRefused)
    assert not await people.has_credential(BOB)
    assert people.server.errors == []


async def test_the_service_is_asked_as_it_should(people: People) -> None:
    """With PKCE, a state, the exact redirect and the scopes."""
    address = await people.credentials.begin_login(await people.link_of(ANN), browser="browser")
    assert isinstance(address, str)

    asked = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}

    assert asked.pop("state") != asked.pop("code_challenge")
    assert asked == {
        "response_type": "code",
        "client_id": "arc",
        "redirect_uri": "https://agents.example/oauth/callback",
        "scope": "read write",
        "code_challenge_method": "S256",
    }


FORGERIES: dict[str, Callable[[dict[str, str]], tuple[dict[str, str], str | None]]] = {
    "no cookie": lambda answer: (answer, None),
    "an empty cookie": lambda answer: (answer, ""),
    "the cookie of another browser": lambda answer: (answer, "another"),
    "no state": lambda answer: (callback_of(answer, state=""), "browser"),
    "a made-up state": lambda answer: (callback_of(answer, state="made-up"), "browser"),
    "a state with an end": lambda answer: (callback_of(answer, state=answer["state"] + "a"), "x"),
    "another issuer": lambda answer: (callback_of(answer, iss="https://evil.example"), "browser"),
    "an issuer that is no address": lambda answer: (callback_of(answer, iss="["), "browser"),
}


@pytest.mark.parametrize("forge", FORGERIES.values(), ids=FORGERIES)
async def test_a_forged_callback_changes_nothing(
    people: People, forge: Callable[[dict[str, str]], tuple[dict[str, str], str | None]]
) -> None:
    """The true one succeeds afterwards."""
    answer = await people.begin(ANN, "browser")
    forged, browser = forge(answer)

    refused = await people.credentials.complete_login(forged, browser=browser)
    has_any = await people.has_credential(ANN)
    ended = await people.credentials.complete_login(answer, browser="browser")

    assert isinstance(refused, LoginRefused)
    assert not has_any
    assert isinstance(ended, Login)


async def test_a_callback_counts_once(people: People) -> None:
    """What is replayed does nothing, not even after the credential was removed."""
    answer = await people.begin(ANN, "browser")
    await people.credentials.complete_login(answer, browser="browser")
    await people.credentials.remove(ANN)

    replayed = await people.credentials.complete_login(answer, browser="browser")

    assert isinstance(replayed, LoginRefused)
    assert not await people.has_credential(ANN)


async def test_what_was_begun_before_is_over_with_its_login(people: People) -> None:
    """Another browser with the same link puts no other credential in the place of the first."""
    earlier = await people.begin(ANN, "another")
    answer = await people.begin(ANN, "browser")
    ended = await people.credentials.complete_login(answer, browser="browser")
    found = await people.credentials.get(ANN, "github")

    late = await people.credentials.complete_login(earlier, browser="another")

    assert isinstance(ended, Login)
    assert isinstance(late, LoginRefused)
    assert await people.credentials.get(ANN, "github") == found


async def test_a_code_of_another_person_is_not_taken(people: People) -> None:
    """It was asked for with another verifier, which the service compares."""
    of_bob = await people.begin(BOB, "bobs browser")
    of_ann = await people.begin(ANN, "browser")

    mixed = callback_of(of_ann, code=of_bob["code"])
    refused = await people.credentials.complete_login(mixed, browser="browser")

    assert isinstance(refused, LoginRefused)
    assert not await people.has_credential(ANN)
    assert not await people.has_credential(BOB)
    assert people.server.errors == ["the verifier is wrong"]


async def test_a_login_that_the_person_declines_changes_nothing(people: People) -> None:
    """The same link may be opened again."""
    answer = await people.begin(ANN, "browser")
    declined = {"state": answer["state"], "error": "access_denied"}

    refused = await people.credentials.complete_login(declined, browser="browser")
    again = await people.begin(ANN, "browser")
    ended = await people.credentials.complete_login(again, browser="browser")

    assert isinstance(refused, LoginRefused)
    assert isinstance(ended, Login)


async def test_a_state_expires() -> None:
    """After `credentials.state_s`; the link itself is good for days."""
    server, now = AuthorizationServer(), [1_000.0]
    async with VendorServer(*[server.answer] * 9) as vendor:
        credentials = in_memory(services_at(vendor.url), state_s=600)
        credentials._logins._clock = lambda: now[0]
        people = People(credentials, server)
        answer = await people.begin(ANN, "browser")
        now[0] += 601
        refused = await credentials.complete_login(answer, browser="browser")
        now[0] += 2 * 86_400
        again = await people.begin(ANN, "browser")
        ended = await credentials.complete_login(again, browser="browser")
        await credentials.aclose()

    assert isinstance(refused, LoginRefused)
    assert isinstance(ended, Login)


@pytest.mark.parametrize(
    ("said", "is_taken"),
    [("https://github.example", True), ("https://github.example/", False), (None, False)],
)
async def test_an_issuer_that_is_set_has_to_be_said(said: str | None, *, is_taken: bool) -> None:
    """Character by character."""
    server = AuthorizationServer(issuer=said)
    async with VendorServer(*[server.answer] * 2) as vendor:
        services = services_at(vendor.url, issuer="https://github.example")
        async with running(in_memory(services)) as credentials:
            people = People(credentials, server)
            answer = await people.begin(ANN, "browser")
            ended = await credentials.complete_login(answer, browser="browser")

    assert isinstance(ended, Login) is is_taken


async def test_one_login_is_for_all_who_wait(people: People) -> None:
    """Each run of an owner that needs the service is given the same link."""
    assert await people.link_of(ANN) == await people.link_of(ANN)
    assert await people.link_of(ANN) != await people.link_of(BOB)


async def test_a_credential_that_is_put_ends_the_login(people: People) -> None:
    """By a program: nothing waits for it then, and its link is over."""
    link = await people.link_of(ANN)

    await people.credentials.put(ANN, "github", renewable())

    assert isinstance(await people.credentials.begin_login(link, browser="b"), LoginRefused)
