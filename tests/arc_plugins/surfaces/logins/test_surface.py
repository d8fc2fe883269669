"""The pages of logins: they need no key, bind the browser, and lead there and back."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit

import httpx2
import pytest

from arc_autoconfig import Application, ArcSettings
from arc_core import Credential, Credentials, LoginNeeded, Owner, ToolCall, ToolContext, tool
from arc_core.testing import ScriptedChatModel
from arc_core.testing.vendor_server import VendorServer
from tests.arc_plugins.credentials.keeping.kept import AuthorizationServer
from tests.serving import KEY, serving_app

BOBS_KEY = "another-key-of-16-characters"
ANN = Owner(user_id="ann <b>", tenant_id="acme")


@tool
async def act(context: ToolContext) -> str:
    """Act for the user."""
    await context.credential("github")
    return "done"


@dataclass
class Place:
    """An application that is served, and its service."""

    app: Application
    address: str
    server: AuthorizationServer

    @property
    def credentials(self) -> Credentials:
        """Those of the application."""
        found: Credentials = self.app.component(Credentials)
        return found

    async def page(self, owner: Owner = ANN) -> str:
        """The address of the page of a login."""
        found = await self.credentials.get(owner, "github")
        assert isinstance(found, LoginNeeded)
        assert found.url.startswith("https://agents.example/oauth/login/")
        return f"{self.address}{urlsplit(found.url).path}"

    async def has_credential(self, owner: Owner = ANN) -> bool:
        """Whether a user has a credential."""
        return isinstance(await self.credentials.get(owner, "github"), Credential)

    def callback(self, answer: dict[str, str]) -> str:
        """The address to which the service sends the browser back."""
        return f"{self.address}/oauth/callback?{urlencode(answer)}"


@asynccontextmanager
async def browser() -> AsyncIterator[httpx2.AsyncClient]:
    """One that keeps cookies, follows nothing, and takes http for https, as if before a proxy."""
    async with httpx2.AsyncClient(follow_redirects=False) as client:
        yield client


def cookie_of(response: httpx2.Response) -> dict[str, str]:
    """The cookie that a response sets, to be sent back."""
    name, _, value = response.headers["set-cookie"].partition(";")[0].partition("=")
    return {"cookie": f"{name}={value}"}


@pytest.fixture
async def place() -> AsyncIterator[Place]:
    """With a key that callers need."""
    server = AuthorizationServer()
    async with VendorServer(*[server.answer] * 9) as vendor:
        settings = ArcSettings(
            _isolated=True,
            credentials={"backend": "memory"},
            services={
                "github": {
                    "authorize_url": f"{vendor.url}/authorize",
                    "token_url": f"{vendor.url}/token",
                    "client_id": "arc",
                    "scopes": ["read"],
                }
            },
            server={
                "public_url": "https://agents.example",
                "api_keys": [
                    {"name": "page", "key": KEY},
                    {"name": "bob", "key": BOBS_KEY, "users": ["bob"]},
                ],
            },
        )
        says = [[ToolCall("1", "act", "{}")]] * 3 + ["Done."] * 2
        app = Application(settings, register=[act, ScriptedChatModel(says)], plugins=False)
        async with serving_app(app.asgi()) as address:
            yield Place(app, address, server)


async def test_a_person_logs_in(place: Place) -> None:
    """From the link to the credential, without a key."""
    async with browser() as client:
        page = await client.get(await place.page())
        begun = await client.post(await place.page())
        answer = place.server.log_in(begun.headers["location"])
        ended = await client.get(place.callback(answer), headers=cookie_of(begun))

    assert page.status_code == 200
    assert "github" in page.text
    assert "ann &lt;b&gt;" in page.text
    assert "acme" in page.text
    assert begun.status_code == 303
    assert ended.status_code == 200
    assert await place.has_credential()
    assert not [each for each in place.server.tokens if each in ended.text]


async def test_the_cookie_is_for_this_server_alone(place: Place) -> None:
    """No script, no other host and no plain connection gets it."""
    async with browser() as client:
        begun = await client.post(await place.page())

    name, *marks = begun.headers["set-cookie"].split("; ")
    assert name.startswith("__Host-arc-login=")
    assert {"HttpOnly", "Secure", "Path=/", "SameSite=lax"} <= set(marks)


async def test_opening_a_link_begins_nothing(place: Place) -> None:
    """Programs that look at links make no states, and no browser is bound unseen."""
    async with browser() as client:
        page = await client.get(await place.page())

    assert "set-cookie" not in page.headers
    assert "frame-ancestors 'none'" in page.headers["content-security-policy"]
    assert page.headers["cache-control"] == "no-store"
    assert page.headers["referrer-policy"] == "same-origin"


async def test_pages_of_others_cannot_press_the_button(place: Place) -> None:
    """A form on another site would bind the browser without the person."""
    async with browser() as client:
        pressed = await client.post(await place.page(), headers={"origin": "https://evil.example"})

    assert pressed.status_code == 403
    assert "set-cookie" not in pressed.headers


async def test_a_callback_in_another_browser_does_nothing(place: Place) -> None:
    """And the one that began can still end it."""
    async with browser() as client:
        begun = await client.post(await place.page())
        answer = place.server.log_in(begun.headers["location"])
        other = {"cookie": f"__Host-arc-login={'a' * 43}"}
        strange = await client.get(place.callback(answer), headers=other)
        bare = await client.get(place.callback(answer), headers={"cookie": ""})
        had = await place.has_credential()
        ended = await client.get(place.callback(answer), headers=cookie_of(begun))

    assert (strange.status_code, bare.status_code, had) == (400, 400, False)
    assert ended.status_code == 200


async def test_a_program_that_looks_at_the_callback_ends_nothing(place: Place) -> None:
    """HEAD is of programs, and the person can still end the login."""
    async with browser() as client:
        begun = await client.post(await place.page())
        answer = place.server.log_in(begun.headers["location"])
        headers = cookie_of(begun)
        looked = await client.head(place.callback(answer), headers=headers)
        had = await place.has_credential()
        ended = await client.get(place.callback(answer), headers=headers)

    assert (looked.status_code, had, ended.status_code) == (405, False, 200)


async def test_a_parameter_that_comes_twice_is_refused(place: Place) -> None:
    """Two programs would read it differently."""
    async with browser() as client:
        begun = await client.post(await place.page())
        answer = place.server.log_in(begun.headers["location"])
        address = f"{place.callback(answer)}&state=other"
        twice = await client.get(address, headers=cookie_of(begun))

    assert twice.status_code == 400
    assert not await place.has_credential()


@pytest.mark.parametrize("path", ["/oauth/login/unknown", "/oauth/login/%00", "/oauth/callback"])
async def test_what_is_not_known_is_said(place: Place, path: str) -> None:
    """In a page, with a sentence."""
    async with browser() as client:
        found = await client.get(f"{place.address}{path}")

    assert found.status_code in {400, 410}
    assert "No login" in found.text


async def test_a_caller_that_is_known_logs_in_for_itself_alone(place: Place) -> None:
    """A program's own authentication may say who opens the page."""
    headers = {"authorization": f"Bearer {BOBS_KEY}"}
    async with browser() as client:
        found = await client.get(await place.page(), headers=headers)
        pressed = await client.post(await place.page(), headers=headers)

    assert (found.status_code, pressed.status_code) == (403, 403)


async def test_a_login_lets_the_runs_of_its_owner_go_on(place: Place) -> None:
    """All of them, and those of others wait on."""
    app = place.app
    runs = [
        await app.execute("Act", user_id=user, tenant_id="acme")
        for user in (ANN.user_id, ANN.user_id, "bob")
    ]
    async with browser() as client:
        begun = await client.post(await place.page())
        answer = place.server.log_in(begun.headers["location"])
        await client.get(place.callback(answer), headers=cookie_of(begun))
    results = []
    for each in runs[:2]:
        async with app.attach(each.run_id) as run:
            results.append(await run.result())

    assert [each.content for each in results] == ["Done.", "Done."]
    assert [each.run_id for each in await app.waiting()] == [runs[2].run_id]
