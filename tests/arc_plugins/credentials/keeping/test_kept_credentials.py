"""Credentials are kept for their owners alone, renewed once, and forgotten when revoked."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest

from arc_core import Credential, CredentialError, Credentials, LoginNeeded, Owner
from arc_core.testing.conformance.components import running
from arc_core.testing.conformance.credentials import CredentialsConformance
from arc_core.testing.vendor_server import Ending, Reply, VendorServer
from arc_plugins.credentials.keeping.kept_credentials import KeptCredentials
from tests.arc_plugins.credentials.keeping.kept import (
    ANN,
    AuthorizationServer,
    in_memory,
    renewable,
    services_at,
)

NOWHERE = "http://127.0.0.1:9"
OVER = datetime.now(UTC) - timedelta(seconds=1)


class TestInMemory(CredentialsConformance):
    """They obey the rules of all credentials."""

    service = "github"

    def make_credentials(self) -> Credentials:
        """Of a service with logins."""
        return in_memory(services_at(NOWHERE))


@pytest.fixture
async def vendor() -> AsyncIterator[VendorServer]:
    """A server without a reply."""
    async with VendorServer() as server:
        yield server


@pytest.fixture
async def credentials(vendor: VendorServer) -> AsyncIterator[KeptCredentials]:
    """Credentials whose services are that server."""
    async with running(in_memory(services_at(vendor.url))) as made:
        yield made


async def test_fifty_who_ask_at_once_renew_once(
    vendor: VendorServer, credentials: KeptCredentials
) -> None:
    """All of them get the new token."""
    server = AuthorizationServer(refresh_tokens={"refresh-1"})
    vendor.add(*[server.answer] * 50)
    await credentials.put(ANN, "github", renewable(ends=OVER))

    async with asyncio.TaskGroup() as group:
        asked = [group.create_task(credentials.get(ANN, "github")) for _ in range(50)]

    found = {each.result() for each in asked}
    (credential,) = found
    assert isinstance(credential, Credential)
    assert credential.token.get_secret_value() == server.tokens[0]
    assert server.refreshed == 1


async def test_who_is_cancelled_does_not_stop_the_renewal(
    vendor: VendorServer, credentials: KeptCredentials
) -> None:
    """The refresh token is used up; its answer must not be lost."""
    server = AuthorizationServer(refresh_tokens={"refresh-1"})
    vendor.add(server.answer)
    await credentials.put(ANN, "github", renewable(ends=OVER))
    asking = asyncio.create_task(credentials.get(ANN, "github"))
    await vendor.wait_until(lambda: bool(vendor.requests))

    asking.cancel()
    await asyncio.wait([asking])
    found = await credentials.get(ANN, "github")

    assert asking.cancelled()
    assert isinstance(found, Credential)
    assert server.refreshed == 1


async def test_a_revoked_refresh_token_asks_for_a_login(
    vendor: VendorServer, credentials: KeptCredentials
) -> None:
    """And nothing is tried with it again."""
    vendor.add(AuthorizationServer().answer)
    await credentials.put(ANN, "github", renewable(ends=OVER))

    found = [await credentials.get(ANN, "github") for _ in range(2)]

    assert all(isinstance(each, LoginNeeded) for each in found)
    assert found[0] == found[1], "each one who asks has another link"
    assert len(vendor.requests) == 1


async def test_a_token_that_was_refused_twice_asks_for_a_login(
    vendor: VendorServer, credentials: KeptCredentials
) -> None:
    """One more call may be made with what is renewed, and no second one."""
    server = AuthorizationServer(refresh_tokens={"refresh-1"})
    vendor.add(*[server.answer] * 3)
    await credentials.put(ANN, "github", renewable())

    first = await credentials.get(ANN, "github")
    assert isinstance(first, Credential)
    second = await credentials.get(ANN, "github", rejected=first)
    assert isinstance(second, Credential)
    third = await credentials.get(ANN, "github", rejected=second)

    assert isinstance(third, LoginNeeded)
    assert server.refreshed == 1


LIES = {
    "a page": Reply(body=b"<html>secret-of-page</html>", content_type="text/html"),
    "a list": Reply.json(["secret-of-page"]),
    "no token": Reply.json({"token_type": "bearer"}),
    "an empty token": Reply.json({"token_type": "bearer", "access_token": ""}),
    "a token of two lines": Reply.json({"token_type": "bearer", "access_token": "a\r\nb: c"}),
    "a token that is a number": Reply.json({"token_type": "bearer", "access_token": 7}),
    "another kind of token": Reply.json({"token_type": "mac", "access_token": "secret-of-page"}),
    "a strange error": Reply.json({"error": "secret-of-page"}, status=400),
    "an error that is a list": Reply.json({"error": ["secret-of-page"]}, status=400),
    "a wrong client": Reply.json({"error": "invalid_client"}, status=401),
    "an endless body": Reply(body=b"a" * 100_000),
    "a redirect": Reply(status=302, headers={"location": "http://127.0.0.1:9/secret-of-page"}),
    "an endless JSON": Reply(body=b"[" * 60_000),
    "a server error": Reply(status=503, body=b"secret-of-page"),
    "too many": Reply(status=429, body=b"secret-of-page"),
    "a lost connection": Reply.nothing(Ending.RESET),
    "half a body": Reply.json({"access_token": "secret-of-page"}).cut_off(9, Ending.DROPPED),
}


@pytest.mark.parametrize("lie", LIES.values(), ids=LIES)
async def test_a_faulty_token_endpoint_needs_no_login(
    lie: Reply, vendor: VendorServer, credentials: KeptCredentials
) -> None:
    """It is an error that shows nothing of the answer, and the refresh token is kept."""
    server = AuthorizationServer(refresh_tokens={"refresh-1"})
    vendor.add(lie, server.answer)
    await credentials.put(ANN, "github", renewable(ends=OVER))

    with pytest.raises(CredentialError) as raised:
        await credentials.get(ANN, "github")
    later = await credentials.get(ANN, "github")

    assert "secret" not in str(raised.value).replace("the-secret", "")
    assert raised.value.__cause__ is None
    assert isinstance(later, Credential)


async def test_a_token_endpoint_that_hangs_is_an_error(
    vendor: VendorServer, credentials: KeptCredentials, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a time, and no login is asked for."""
    monkeypatch.setattr("arc_plugins.credentials.keeping.token_endpoint.ANSWER_WITHIN_S", 0.05)
    vendor.add(Reply.nothing(Ending.STALLED))
    await credentials.put(ANN, "github", renewable(ends=OVER))

    with pytest.raises(CredentialError, match="does not answer") as raised:
        await credentials.get(ANN, "github")

    assert raised.value.retryable


async def test_a_token_that_is_still_good_bridges_a_failure(
    vendor: VendorServer, credentials: KeptCredentials
) -> None:
    """It is renewed a minute before its end, so that there is time."""
    vendor.add(Reply(status=503))
    await credentials.put(ANN, "github", renewable(ends=datetime.now(UTC) + timedelta(seconds=30)))

    found = await credentials.get(ANN, "github")

    assert isinstance(found, Credential)
    assert found.token.get_secret_value() == "old"


async def test_a_tenant_shares_a_credential(credentials: KeptCredentials) -> None:
    """Of a service of the mode `tenant`; another tenant has none, and a run without one is told."""
    await credentials.put(ANN, "team", renewable())

    shared = await credentials.get(Owner(user_id="bob", tenant_id="acme"), "team")
    other = await credentials.get(Owner(user_id="ann", tenant_id="other"), "team")
    with pytest.raises(CredentialError, match="belongs to tenants"):
        await credentials.get(Owner(user_id="ann"), "team")

    assert isinstance(shared, Credential)
    assert isinstance(other, LoginNeeded)


async def test_an_application_has_a_static_token(credentials: KeptCredentials) -> None:
    """Also for runs without a user; if the service refuses it, anonymous is asked to log in."""
    anonymous = Owner(user_id="anonymous")

    found = await credentials.get(anonymous, "weather")
    assert isinstance(found, Credential)
    with pytest.raises(CredentialError, match=r"services\.weather\.token"):
        await credentials.get(anonymous, "weather", rejected=found)

    assert found.token.get_secret_value() == "the-token-of-the-application"


async def test_a_service_that_is_not_set_is_an_error(credentials: KeptCredentials) -> None:
    """With the name of the section that is missing, unless a program has put a credential."""
    with pytest.raises(CredentialError, match=r"\[services\.gitlab\]"):
        await credentials.get(ANN, "gitlab")
    await credentials.put(ANN, "gitlab", renewable())

    assert await credentials.get(ANN, "gitlab") == renewable()


async def test_anonymous_is_refused_with_that_sentence(credentials: KeptCredentials) -> None:
    """A login without a user would be one for all users."""
    with pytest.raises(CredentialError, match="`anonymous` never owns a credential"):
        await credentials.get(Owner(user_id="anonymous"), "github")
