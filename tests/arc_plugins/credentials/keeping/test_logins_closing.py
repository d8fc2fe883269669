"""A login that was made is forgotten once its runs go on, unless it is needed anew by then."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from arc_core import Credential, Login, LoginNeeded, LoginRefused
from arc_core.testing.conformance.components import running
from arc_core.testing.vendor_server import VendorServer
from arc_plugins.credentials.keeping.kept_credentials import KeptCredentials
from tests.arc_plugins.credentials.keeping.kept import (
    ANN,
    AuthorizationServer,
    in_database,
    in_memory,
    login_id,
    services_at,
)

SERVICE = "github"


class Person:
    """A person who logs in, and the credentials that they give."""

    def __init__(self, credentials: KeptCredentials, server: AuthorizationServer) -> None:
        self.credentials, self._server = credentials, server

    async def begin(self, browser: str) -> dict[str, str]:
        """Open the link in a browser and allow it; what the service sends back."""
        found = await self.credentials.get(ANN, SERVICE)
        assert isinstance(found, LoginNeeded)
        address = await self.credentials.begin_login(login_id(found.url), browser=browser)
        assert isinstance(address, str)
        return self._server.log_in(address)

    async def log_in(self) -> tuple[str, Login]:
        """Make a login, which is not closed; its link, and what is to be closed."""
        found = await self.credentials.get(ANN, SERVICE)
        assert isinstance(found, LoginNeeded)
        made = await self.credentials.complete_login(await self.begin("b"), browser="b")
        assert isinstance(made, Login)
        return login_id(found.url), made

    async def is_open(self, link: str) -> bool:
        """Whether a link leads to a login."""
        return isinstance(await self.credentials.find_login(link), Login)


@pytest.fixture(params=["memory", "sql"])
async def person(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Person]:
    """With credentials in memory, and in a database."""
    server = AuthorizationServer()
    async with VendorServer(*[server.answer] * 9) as vendor:
        services = services_at(vendor.url)
        made: KeptCredentials = in_memory(services)
        if request.param == "sql":
            made = await in_database(tmp_path / "c.db", services)
        async with running(made) as credentials:
            yield Person(credentials, server)


async def test_a_login_is_over_once_it_is_closed(person: Person) -> None:
    """Until then it can be made again."""
    link, made = await person.log_in()
    before = await person.is_open(link)

    await person.credentials.close_login(made)

    assert (before, await person.is_open(link)) == (True, False)


async def test_a_login_that_is_needed_anew_stays(person: Person) -> None:
    """A run that finds no token any more waits for the same link."""
    link, made = await person.log_in()
    await person.credentials.remove(ANN, SERVICE)
    needed = await person.credentials.get(ANN, SERVICE)
    assert isinstance(needed, LoginNeeded)

    await person.credentials.close_login(made)

    assert login_id(needed.url) == link
    assert await person.is_open(link)


async def test_a_login_that_is_to_give_more_stays(person: Person) -> None:
    """A run that needs another scope waits for the same link."""
    link, made = await person.log_in()
    given = await person.credentials.get(ANN, SERVICE)
    assert isinstance(given, Credential)
    needed = await person.credentials.get(ANN, SERVICE, rejected=given, scopes=["admin"])
    assert isinstance(needed, LoginNeeded)

    await person.credentials.close_login(made)

    assert login_id(needed.url) == link
    assert await person.is_open(link)


async def test_what_another_browser_has_begun_is_over_at_once(person: Person) -> None:
    """The first login counts, also before it is closed."""
    late = await person.begin("other")
    _, made = await person.log_in()

    refused = await person.credentials.complete_login(late, browser="other")

    assert isinstance(made, Login)
    assert isinstance(refused, LoginRefused)
