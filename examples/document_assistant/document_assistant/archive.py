"""The archive: an MCP server in which each person finds their own contracts, after a login.

Its authorization server is that of the MCP SDK. A real one asks for a password, and this one for
a name; what it knows is in memory.
"""

import secrets
import sys
import time
from typing import Any

import uvicorn
from mcp.server import MCPServer
from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    AuthorizationParams,
    OAuthAuthorizationServerProvider,
    RefreshToken,
    construct_redirect_uri,
)
from mcp.server.auth.settings import AuthSettings, ClientRegistrationOptions
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response

CONTRACTS = {
    "ann": "Contract 17: engineer, 32 hours a week.",
    "bob": "Contract 42: cook, mornings.",
}
_PAGE = """<title>Archive</title>
<form method="post">Who are you? <input name="user"> <button>Allow</button></form>
"""
_LIFE_S = 3600


class Logins(OAuthAuthorizationServerProvider[AuthorizationCode, RefreshToken, AccessToken]):
    """Clients that registered themselves, and what was given to them."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._clients: dict[str, OAuthClientInformationFull] = {}
        self._asked: dict[str, tuple[str, AuthorizationParams]] = {}
        self._codes: dict[str, AuthorizationCode] = {}
        self._tokens: dict[str, AccessToken] = {}

    async def get_client(self, client_id: str) -> OAuthClientInformationFull | None:
        """Return a client that has registered."""
        return self._clients.get(client_id)

    async def register_client(self, client_info: OAuthClientInformationFull) -> None:
        """Take any client: Arc registers itself."""
        self._clients[client_info.client_id or ""] = client_info

    async def authorize(
        self, client: OAuthClientInformationFull, params: AuthorizationParams
    ) -> str:
        """Return the page at which the person is asked."""
        asked = secrets.token_urlsafe()
        self._asked[asked] = client.client_id or "", params
        return f"{self._url}/allow/{asked}"

    async def allow(self, request: Request) -> Response:
        """Ask the person, and send the browser back with a code."""
        if request.path_params["asked"] not in self._asked:
            return PlainTextResponse("Open the link again.", 410)
        if request.method == "GET":
            return HTMLResponse(_PAGE)
        client_id, params = self._asked.pop(request.path_params["asked"])
        code = secrets.token_urlsafe()
        self._codes[code] = AuthorizationCode(
            code=code,
            client_id=client_id,
            expires_at=time.time() + 60,
            subject=str((await request.form()).get("user")),
            scopes=params.scopes or [],
            **params.model_dump(exclude={"scopes", "state"}),
        )
        back = construct_redirect_uri(str(params.redirect_uri), code=code, state=params.state)
        return RedirectResponse(back, 303)

    async def load_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: str
    ) -> AuthorizationCode | None:
        """Return a code that was given; the SDK checks its verifier."""
        return self._codes.get(authorization_code)

    async def exchange_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: AuthorizationCode
    ) -> OAuthToken:
        """Give a token for a code, once."""
        code = self._codes.pop(authorization_code.code)
        token = secrets.token_urlsafe()
        kept = code.model_dump(include={"client_id", "scopes", "subject", "resource"})
        self._tokens[token] = AccessToken(
            token=token, expires_at=int(time.time()) + _LIFE_S, **kept
        )
        return OAuthToken(access_token=token, expires_in=_LIFE_S, scope=" ".join(code.scopes))

    async def load_access_token(self, token: str) -> AccessToken | None:
        """Return a token that was given."""
        return self._tokens.get(token)

    async def load_refresh_token(self, client: Any, refresh_token: str) -> None:
        """Give none: after an hour people log in again."""

    async def exchange_refresh_token(self, client: Any, refresh_token: Any, scopes: Any) -> Any:
        """Never asked, as there are none."""
        raise NotImplementedError

    async def revoke_token(self, token: AccessToken | RefreshToken) -> None:
        """Forget a token."""
        self._tokens.pop(token.token, None)


def make_archive(url: str) -> Starlette:
    """The server, with its authorization server, at an address of this machine."""
    logins = Logins(url)
    auth = AuthSettings.model_validate(
        {
            "issuer_url": url,
            "resource_server_url": f"{url}/mcp",
            "required_scopes": ["read"],
            "validate_token_resource": True,
            "client_registration_options": ClientRegistrationOptions(
                enabled=True, valid_scopes=["read"], default_scopes=["read"]
            ),
        }
    )
    server = MCPServer("archive", auth_server_provider=logins, auth=auth, log_level="WARNING")

    @server.tool()
    async def find_contracts() -> str:
        """The contracts of the person who has logged in."""
        token = get_access_token()
        return CONTRACTS.get(str(token and token.subject), "You have no contracts here.")

    app = server.streamable_http_app()
    app.add_route("/allow/{asked}", logins.allow, methods=["GET", "POST"])
    return app


if __name__ == "__main__":
    host, port = "127.0.0.1", int(sys.argv[1])
    uvicorn.run(make_archive(f"http://{host}:{port}"), host=host, port=port, log_level="warning")
