"""Credentials in a database: encrypted, each for its owner, renewed once over all processes."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from arc_core import (
    ConfigurationError,
    Credential,
    CredentialError,
    Login,
    LoginNeeded,
    LoginRefused,
    Owner,
)
from arc_core.testing.conformance.components import running
from arc_core.testing.conformance.credentials import CredentialsConformance
from arc_core.testing.vendor_server import VendorServer
from arc_plugins.credentials.keeping.sql_credentials import SqlCredentials
from arc_plugins.credentials.keeping.sql_store import _decode
from tests.arc_plugins.credentials.keeping.kept import (
    ANN,
    KEY,
    AuthorizationServer,
    in_database,
    login_id,
    make_key,
    renewable,
    services_at,
)
from tests.arc_plugins.postgres_server import schema_at

NOWHERE = services_at("http://127.0.0.1:9")
OVER = datetime.now(UTC) - timedelta(seconds=1)


class TestInFile(CredentialsConformance):
    """In SQLite, they obey the rules of all credentials."""

    service = "github"

    @pytest.fixture(autouse=True)
    async def _open(self, tmp_path: Path) -> None:
        self.file = tmp_path / "credentials.db"
        self.made = await in_database(self.file, NOWHERE)

    def make_credentials(self) -> SqlCredentials:
        """On a file with the schema."""
        return self.made


class TestInPostgres(CredentialsConformance):
    """In PostgreSQL, too."""

    service = "github"

    @pytest.fixture(autouse=True)
    async def _open(self, postgres: str) -> AsyncIterator[None]:
        with schema_at(postgres) as url:
            self.made = await in_database(url, NOWHERE)
            yield

    def make_credentials(self) -> SqlCredentials:
        """On a database with the schema."""
        return self.made


def rows(file: Path, statement: str, *values: Any) -> list[tuple[Any, ...]]:
    """What a statement gives in the file, or does there."""
    with closing(sqlite3.connect(file)) as connection, connection:
        return connection.execute(statement, values).fetchall()


def read_all(folder: Path) -> bytes:
    """The bytes of all files in a folder."""
    return b"".join(each.read_bytes() for each in folder.iterdir())


async def test_several_processes_renew_once(tmp_path: Path) -> None:
    """Fifty who ask at once in five of them, each with a connection of its own."""
    server = AuthorizationServer(refresh_tokens={"refresh-1"})
    async with AsyncExitStack() as stack:
        vendor = await stack.enter_async_context(VendorServer(*[server.answer] * 50))
        made = [
            await stack.enter_async_context(
                running(await in_database(tmp_path / "c.db", services_at(vendor.url)))
            )
            for _ in range(5)
        ]
        await made[0].put(ANN, "github", renewable(ends=OVER))
        async with asyncio.TaskGroup() as group:
            asked = [group.create_task(made[n % 5].get(ANN, "github")) for n in range(50)]

    (found,) = {each.result() for each in asked}
    assert isinstance(found, Credential)
    assert server.refreshed == 1


async def test_a_dump_has_no_token_in_clear(tmp_path: Path) -> None:
    """Not of 100 credentials, nor of the logins that are asked for and begun."""
    file = tmp_path / "c.db"
    async with running(await in_database(file, NOWHERE)) as credentials:
        links = []
        for number in range(100):
            owner = Owner(user_id=f"user-{number}")
            kept = renewable(f"token-of-{number}.", refresh=f"refresh-of-{number}.")
            await credentials.put(owner, "github", kept)
            needed = await credentials.get(owner, "other")
            assert isinstance(needed, LoginNeeded)
            links.append(login_id(needed.url))
            assert isinstance(await credentials.begin_login(links[-1], browser="abc"), str)

    bytes_in = read_all(tmp_path)
    assert b"user-99" in bytes_in, "the owners are not there"
    assert b"token-of-" not in bytes_in
    assert b"refresh-of-" not in bytes_in
    assert not [link for link in links if link.encode() in bytes_in]


async def test_a_row_that_is_copied_to_another_owner_cannot_be_read(tmp_path: Path) -> None:
    """The owner and the service are authenticated with what is sealed."""
    file, bob = tmp_path / "c.db", Owner(user_id="bob")
    async with running(await in_database(file, NOWHERE)) as credentials:
        await credentials.put(ANN, "github", renewable("of-ann"))
        await credentials.put(bob, "github", renewable("of-bob"))
        (sealed,) = rows(file, "SELECT sealed FROM arc_credentials WHERE owner LIKE '%ann%'")
        rows(file, "UPDATE arc_credentials SET sealed = ? WHERE owner LIKE '%bob%'", *sealed)

        with pytest.raises(CredentialError, match="encrypted with another key, or was changed"):
            await credentials.get(bob, "github")


def test_the_error_of_a_record_that_cannot_be_read_has_no_token() -> None:
    """A version that knows other fields may have written it; errors are logged."""
    with pytest.raises(LookupError) as caught:
        _decode(b'{"token": "ghp-secret"}', version=1)

    assert "ghp-secret" not in str(caught.value)


async def test_a_wrong_key_is_an_error_that_says_so(tmp_path: Path) -> None:
    """At the start, before any tool asks."""
    async with running(await in_database(tmp_path / "c.db", NOWHERE)) as credentials:
        await credentials.put(ANN, "github", renewable())

    other = await in_database(tmp_path / "c.db", NOWHERE, key=make_key())
    with pytest.raises(ConfigurationError, match=r"credentials\.key does not have the key of 1"):
        await other.start()


async def test_a_login_whose_key_is_lost_gives_way_to_a_new_one(tmp_path: Path) -> None:
    """Its owner can log in again, and what was begun of it is over."""
    file, key = tmp_path / "c.db", make_key()
    async with running(await in_database(file, NOWHERE)) as credentials:
        before = await credentials.get(ANN, "github")
        assert isinstance(before, LoginNeeded)
        address = await credentials.begin_login(login_id(before.url), browser="b")
        assert isinstance(address, str)
    answer = AuthorizationServer().log_in(address)

    async with running(await in_database(file, NOWHERE, key=key)) as credentials:
        refused = await credentials.complete_login(answer, browser="b")
        after = await credentials.get(ANN, "github")
        again = await credentials.get(ANN, "github")
        assert isinstance(after, LoginNeeded)
        login = await credentials.find_login(login_id(after.url))

    assert isinstance(refused, LoginRefused)
    assert after == again
    assert after.url != before.url
    assert isinstance(login, Login)
    assert login.owner == ANN


async def test_logins_whose_key_is_lost_do_not_stop_a_rotation(tmp_path: Path) -> None:
    """Nor do they stop those that were begun from being forgotten in time."""
    file, new = tmp_path / "c.db", make_key()
    async with running(await in_database(file, NOWHERE, key=make_key())) as credentials:
        lost = await credentials.get(ANN, "other")
        assert isinstance(lost, LoginNeeded)
        await credentials.begin_login(login_id(lost.url), browser="b")
    rows(file, "UPDATE arc_begun_logins SET expires_at = 0")

    async with running(await in_database(file, NOWHERE)) as credentials:
        await credentials.put(ANN, "github", renewable())
    async with running(await in_database(file, NOWHERE, key=(new, KEY))) as credentials:
        rotated = await credentials.rotate()
        needed = await credentials.get(ANN, "team")
        assert isinstance(needed, LoginNeeded)
        await credentials.begin_login(login_id(needed.url), browser="b")

    assert rotated == 1
    assert len(rows(file, "SELECT * FROM arc_begun_logins")) == 1


async def read_while_rotating(
    owners: Sequence[Owner], before: SqlCredentials, after: SqlCredentials
) -> list[Credential | LoginNeeded]:
    """What two processes read until the keys have rotated; one writes with the old one, too."""
    reads: list[Credential | LoginNeeded] = []
    rotating = asyncio.create_task(after.rotate())
    while not rotating.done():
        owner = owners[len(reads) // 2 % len(owners)]
        reads += [await each.get(owner, "github") for each in (before, after)]
        await before.put(owner, "other", renewable())
    assert await rotating >= len(owners)
    await after.rotate()  # what was written meanwhile with the old key
    return reads


async def test_keys_rotate_without_a_pause(tmp_path: Path) -> None:
    """While two processes read, one with the keys in the old order, which also writes."""
    file, new = tmp_path / "c.db", make_key()
    owners = [Owner(user_id=f"user-{number}") for number in range(20)]
    async with AsyncExitStack() as stack:
        before, after = [
            await stack.enter_async_context(running(await in_database(file, NOWHERE, key=keys)))
            for keys in ((KEY, new), (new, KEY))
        ]
        for owner in owners:
            await before.put(owner, "github", renewable())
        await before.get(ANN, "github")
        reads = await read_while_rotating(owners, before, after)
    async with running(await in_database(file, NOWHERE, key=new)) as credentials:
        reads += [await credentials.get(owner, "github") for owner in owners]
        needed = await credentials.get(ANN, "github")

    assert set(reads) == {renewable()}
    assert len(reads) > len(owners), "nothing was read while the keys rotated"
    assert isinstance(needed, LoginNeeded)


async def test_a_list_has_owners_and_no_secrets(tmp_path: Path) -> None:
    """Sorted, with what can be renewed."""
    async with running(await in_database(tmp_path / "c.db", NOWHERE)) as credentials:
        await credentials.put(ANN, "github", renewable("secret-token"))
        await credentials.put(Owner(user_id="bob"), "github", Credential(token=SecretStr("s")))
        kept = await credentials.list_kept()

    assert [(each.owner.user_id, each.can_renew) for each in kept] == [
        ("bob", False),
        ("ann", True),
    ]
    assert "secret-token" not in repr(kept)


async def test_without_a_key_nothing_is_kept(tmp_path: Path) -> None:
    """A database with tokens in clear is not made by mistake."""
    with pytest.raises(ConfigurationError, match=r"credentials\.key is not set"):
        await in_database(tmp_path / "c.db", NOWHERE, key=())
