"""An application that is served with the pages of logins, and the service behind them."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode, urlsplit

import httpx2

from arc_autoconfig import Application, ArcSettings
from arc_core import (
    Credential,
    Credentials,
    LoginNeeded,
    Owner,
    ToolCall,
    ToolContext,
    UpgradesSchema,
    tool,
)
from arc_core.testing import ScriptedChatModel
from arc_core.testing.vendor_server import VendorServer
from tests.arc_plugins.credentials.keeping.kept import AuthorizationServer
from tests.serving import KEY, client_of, serving_app

__all__ = ["ANN", "BOBS_KEY", "Begun", "Place", "browser", "cookie_of", "serving_logins"]

BOBS_KEY = "another-key-of-16-characters"
ANN = Owner(user_id="ann <b>", tenant_id="acme")


SAYS = [*[[ToolCall("1", "act", "{}")]] * 3, *["Done."] * 2]


@tool
async def act(context: ToolContext) -> str:
    """Act for the user."""
    await context.credential("github")
    return "done"


@dataclass(frozen=True)
class Begun:
    """A login between the service and the callback: the answer, and the browser's cookie."""

    answer: dict[str, str]
    cookie: str


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

    async def begin(self, client: httpx2.AsyncClient, owner: Owner) -> Begun:
        """Press the button in a browser, and allow it at the service."""
        begun = await client.post(await self.page(owner))
        return Begun(self.server.log_in(begun.headers["location"]), cookie_of(begun)["cookie"])

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


@asynccontextmanager
async def serving_logins(
    *register: object,
    says: Sequence[Any] = SAYS,
    sections: dict[str, Any] | None = None,
    **kept: Any,
) -> AsyncIterator[Place]:
    """With a key that callers need.

    Args:
        register: Further components.
        says: The turns of the model; by default three runs begin, and two end.
        sections: Further settings.
        kept: The settings of the credentials.
    """
    server = AuthorizationServer()
    async with VendorServer(*[server.answer] * 99) as vendor:
        oauth = {"authorize_url": f"{vendor.url}/authorize", "token_url": f"{vendor.url}/token"}
        keys = [{"name": "page", "key": KEY}, {"name": "bob", "key": BOBS_KEY, "users": ["bob"]}]
        settings = {
            "credentials": kept,
            "services": {"github": {**oauth, "client_id": "arc", "scopes": ["read"]}},
            "server": {
                "public_url": "https://agents.example", "api_keys": keys, "access_log": True,
            },
            **(sections or {}),
        }  # fmt: skip
        app = Application(
            ArcSettings(_isolated=True, **settings),
            register=[act, ScriptedChatModel(says), *register],
            plugins=False,
        )
        if isinstance(kept := app.container.credentials(), UpgradesSchema):
            await kept.upgrade_schema()
        async with serving_app(app.asgi()) as address, client_of(address) as client:
            await client.get("/health/live")  # is answered once the application has started
            yield Place(app, address, server)
