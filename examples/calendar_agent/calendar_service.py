"""A service with calendars of people, and its authorization server: `python calendar_service.py`.

The protocol is that of the MCP SDK's authorization server; what is kept is in memory. A real one
asks people for a password, and this one for a name.
"""

import os
import secrets
import time

import uvicorn
from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    AuthorizationParams,
    OAuthAuthorizationServerProvider,
    RefreshToken,
    RegistrationError,
    construct_redirect_uri,
)
from mcp.server.auth.routes import create_auth_routes
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken
from pydantic import AnyHttpUrl, AnyUrl
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

PORT = int(os.environ.get("CALENDAR_PORT", "8020"))
AGENT = os.environ.get("AGENT_URL", "http://127.0.0.1:8010")
EVENTS = {"ann": "10:00 dentist", "bob": "12:00 lunch with Carla"}

_PAGE = """<title>Calendar</title>
<form method="post">Who are you? <input name="user"> <button>Allow</button></form>
"""
_LIFE_S = 3600


class Calendars(OAuthAuthorizationServerProvider[AuthorizationCode, RefreshToken, AccessToken]):
    """The authorization server: one client, its codes, and its tokens."""

    def __init__(self) -> None:
        self._agent = OAuthClientInformationFull(
            client_id="agent",
            redirect_uris=[AnyUrl(f"{AGENT}/oauth/callback")],
            scope="read",
            token_endpoint_auth_method="none",  # noqa: S106 -- the name of a method
        )
        self._asked: dict[str, AuthorizationParams] = {}
        self._codes: dict[str, AuthorizationCode] = {}
        self._tokens: dict[str, AccessToken] = {}
        self._refresh_tokens: dict[str, RefreshToken] = {}

    async def get_client(self, client_id: str) -> OAuthClientInformationFull | None:
        """Return the agent, the only client."""
        return self._agent if client_id == "agent" else None

    async def register_client(self, client_info: OAuthClientInformationFull) -> None:
        """Refuse others."""
        raise RegistrationError("unapproved_software_statement")

    async def authorize(
        self, client: OAuthClientInformationFull, params: AuthorizationParams
    ) -> str:
        """Return the page at which the person is asked."""
        asked = secrets.token_urlsafe()
        self._asked[asked] = params
        return f"http://127.0.0.1:{PORT}/allow/{asked}"

    async def allow(self, request: Request) -> Response:
        """Ask the person, and send the browser back with a code."""
        params = self._asked.get(request.path_params["asked"])
        if params is None:
            return PlainTextResponse("Open the link again.", 410)
        if request.method == "GET":
            return HTMLResponse(_PAGE)
        user = str((await request.form()).get("user"))
        code = AuthorizationCode(
            code=secrets.token_urlsafe(),
            scopes=params.scopes or [],
            expires_at=time.time() + 60,
            client_id="agent",
            code_challenge=params.code_challenge,
            redirect_uri=params.redirect_uri,
            redirect_uri_provided_explicitly=params.redirect_uri_provided_explicitly,
            subject=user,
        )
        self._codes[code.code] = code
        back = construct_redirect_uri(str(params.redirect_uri), code=code.code, state=params.state)
        return RedirectResponse(back, 303)

    async def load_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: str
    ) -> AuthorizationCode | None:
        """Return a code that was given; the SDK checks its verifier."""
        return self._codes.get(authorization_code)

    async def exchange_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: AuthorizationCode
    ) -> OAuthToken:
        """Give tokens for a code, once."""
        del self._codes[authorization_code.code]
        return self._give(authorization_code.scopes, authorization_code.subject)

    async def load_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: str
    ) -> RefreshToken | None:
        """Return a refresh token that was given."""
        return self._refresh_tokens.get(refresh_token)

    async def exchange_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: RefreshToken, scopes: list[str]
    ) -> OAuthToken:
        """Give tokens for a refresh token, once."""
        del self._refresh_tokens[refresh_token.token]
        return self._give(scopes, refresh_token.subject)

    async def load_access_token(self, token: str) -> AccessToken | None:
        """Return a token that is good."""
        found = self._tokens.get(token)
        return found if found and (found.expires_at or 0) > time.time() else None

    async def revoke_token(self, token: AccessToken | RefreshToken) -> None:
        """Forget a token."""
        self._tokens.pop(token.token, None)
        self._refresh_tokens.pop(token.token, None)

    async def events(self, request: Request) -> Response:
        """The calendar of the person whose token is sent."""
        token = request.headers.get("authorization", "").removeprefix("Bearer ")
        found = await self.load_access_token(token)
        if found is None:
            return PlainTextResponse("unknown token", 401)
        return PlainTextResponse(EVENTS.get(found.subject or "", "nothing"))

    def _give(self, scopes: list[str], user: str | None) -> OAuthToken:
        token, refresh = secrets.token_urlsafe(), secrets.token_urlsafe()
        owner = {"client_id": "agent", "scopes": scopes, "subject": user}
        self._tokens[token] = AccessToken.model_validate(
            {"token": token, "expires_at": int(time.time()) + _LIFE_S, **owner}
        )
        self._refresh_tokens[refresh] = RefreshToken.model_validate({"token": refresh, **owner})
        return OAuthToken(
            access_token=token, expires_in=_LIFE_S, refresh_token=refresh, scope=" ".join(scopes)
        )


def make_app() -> Starlette:
    """The service, with the pages of its authorization server."""
    calendars = Calendars()
    own = [
        Route("/allow/{asked}", calendars.allow, methods=["GET", "POST"]),
        Route("/events", calendars.events),
    ]
    issuer = AnyHttpUrl(f"http://127.0.0.1:{PORT}")
    return Starlette(routes=[*create_auth_routes(calendars, issuer), *own])


if __name__ == "__main__":
    uvicorn.run(make_app(), port=PORT, log_level="warning")
