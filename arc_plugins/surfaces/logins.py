"""The pages by which a person logs in at a service, so that a tool can act for them.

What is served, without a key: `GET /oauth/login/{id}`, which says for whom a service is asked, and
whose button leads there; `GET /oauth/callback`, to which the service sends the person back. A
cookie binds what a browser begins to that browser. `GET /oauth/client.json` tells services about
this application. Nothing is served if nothing completes logins.
"""

import base64
import html
import secrets
from collections.abc import Collection, Sequence
from hashlib import sha256

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from arc_core import CompletesLogins, Credentials, Login, LoginRefused, ServedApplication, Surface
from arc_core.serving import caller_of, has_caller

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<main>
<h1>{title}</h1>
{body}
</main>
</body>
</html>
"""
_STYLE = (
    ":root{color-scheme:light dark;font:16px/1.55 system-ui,sans-serif}"
    "main{max-width:32rem;margin:12vh auto 0;padding:0 1.2rem;overflow-wrap:anywhere}"
    "h1{font-size:1.5rem;line-height:1.25}"
    "button{font:inherit;font-weight:550;padding:.5rem 1.1rem;border:0;border-radius:9px;"
    "background:#3d4fd1;color:#fff;cursor:pointer}"
)
_POLICY = "; ".join((
    "default-src 'none'",
    f"style-src 'sha256-{base64.b64encode(sha256(_STYLE.encode()).digest()).decode()}'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
))  # fmt: skip
_HEADERS = {
    "cache-control": "no-store",
    "content-security-policy": _POLICY,
    "referrer-policy": "same-origin",  # with none, a browser would not say which page asks
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}
_GONE = 410
_REFUSED = 400
_NOT_ALLOWED = 405
_SEE_OTHER = 303
_COOKIE_CHARS = 43
_COOKIE_S = 86_400


class LoginsSurface(Surface):
    """For people with a browser."""

    order = 35
    public_paths: Collection[str] = ("/oauth/login/", "/oauth/callback", "/oauth/client.json")

    def __init__(self, *, credentials: Credentials) -> None:
        self._credentials = credentials

    def routes(self, application: ServedApplication) -> Sequence[BaseRoute]:
        """The page of a login, its button, and the callback."""
        if not isinstance(self._credentials, CompletesLogins):
            return ()
        served = _Endpoints(application, self._credentials)
        page = "/oauth/login/{login_id}"
        return [
            Route(page, served.show, methods=["GET"]),
            Route(page, served.begin, methods=["POST"]),
            Route("/oauth/callback", served.complete, methods=["GET"]),
            Route("/oauth/client.json", served.describe, methods=["GET"]),
        ]


class _Endpoints:
    def __init__(self, application: ServedApplication, credentials: CompletesLogins) -> None:
        self._application, self._credentials = application, credentials
        self._is_secure = (application.public_url or "").startswith("https://")
        self._base_url = f"{(application.public_url or '').rstrip('/')}/oauth/"
        self._cookie = "__Host-arc-login" if self._is_secure else "arc-login"

    async def show(self, request: Request) -> Response:
        """Say what will be allowed, and for whom: another person may have sent the link."""
        found = await self._find(request)
        return _refuse(found, _GONE) if isinstance(found, LoginRefused) else _show_login(found)

    async def begin(self, request: Request) -> Response:
        """Bind the browser, and lead it to the service."""
        found = await self._find(request)
        if isinstance(found, LoginRefused):
            return _refuse(found, _GONE)
        browser = self._browser(request) or secrets.token_urlsafe(32)
        login_id: str = request.path_params["login_id"]
        address = await self._credentials.begin_login(login_id, browser=browser)
        if isinstance(address, LoginRefused):
            return _refuse(address, _GONE)
        response = RedirectResponse(address, _SEE_OTHER, headers=_HEADERS)
        response.set_cookie(
            self._cookie,
            browser,
            max_age=_COOKIE_S,
            path="/",
            secure=self._is_secure,
            httponly=True,
            samesite="lax",
        )
        return response

    async def complete(self, request: Request) -> Response:
        """Take what the service says; each parameter has to be there once."""
        if request.method == "HEAD":  # a program that looks at links, and no person
            return Response(status_code=_NOT_ALLOWED, headers={**_HEADERS, "allow": "GET"})
        answer = dict(request.query_params)
        if len(answer) < len(request.query_params.multi_items()):
            return _refuse(LoginRefused(reason="The answer of the service is ambiguous."), _REFUSED)
        browser = self._browser(request)
        ended = await self._credentials.complete_login(answer, browser=browser)
        if isinstance(ended, LoginRefused):
            return _refuse(ended, _REFUSED)
        owner = ended.owner
        await self._application.runs.end_logins(
            ended.service, user_id=owner.user_id or None, tenant_id=owner.tenant_id
        )
        await self._credentials.close_login(ended)  # last: until then the link is good for another
        return _show_page(
            f"Logged in at {ended.service}",
            "<p>What waited for this login goes on. You can close this page.</p>",
        )

    async def describe(self, _: Request) -> Response:
        """Describe this application to services that read it by its address as a client's name."""
        if not self._is_secure:
            return _refuse(LoginRefused(reason="This server has no public address."), _GONE)
        return JSONResponse(
            {
                "client_id": f"{self._base_url}client.json",
                "client_name": "Arc",
                "client_uri": (self._application.public_url or ""),
                "redirect_uris": [f"{self._base_url}callback"],
                "grant_types": ["authorization_code", "refresh_token"],
                "response_types": ["code"],
                "token_endpoint_auth_method": "none",
                "application_type": "web",
            },
            headers={"cache-control": "max-age=3600"},
        )

    async def _find(self, request: Request) -> Login | LoginRefused:
        found = await self._credentials.find_login(request.path_params["login_id"])
        if not isinstance(found, LoginRefused) and has_caller(request):
            owner = found.owner
            self._application.owner(
                caller_of(request), user_id=owner.user_id or None, tenant_id=owner.tenant_id
            )
        return found

    def _browser(self, request: Request) -> str | None:
        found = request.cookies.get(self._cookie)
        return found if found is not None and len(found) == _COOKIE_CHARS else None


def _show_login(login: Login) -> Response:
    owner, service = login.owner, html.escape(login.service)
    tenant = "" if owner.tenant_id is None else f" of <b>{html.escape(owner.tenant_id)}</b>"
    whom = f"user <b>{html.escape(owner.user_id)}</b>{tenant}" if owner.user_id else "all users"
    if not owner.user_id:
        whom += tenant
    scopes = "".join(f"<li>{html.escape(each)}</li>" for each in login.scopes)
    allowed = f"<p>It asks for:</p><ul>{scopes}</ul>" if scopes else ""
    return _show_page(
        f"Log in at {login.service}",
        f"<p>After this login, tools act at <b>{service}</b> for the {whom}. Go on only if that is "
        f'you.</p>{allowed}<form method="post"><button>Go on to {service}</button></form>',
    )


def _refuse(refused: LoginRefused, status: int) -> Response:
    return _show_page("No login", f"<p>{html.escape(refused.reason)}</p>", status=status)


def _show_page(title: str, body: str, *, status: int = 200) -> Response:
    page = _PAGE.format(title=html.escape(title), body=body, style=_STYLE)
    return HTMLResponse(page, status, headers=_HEADERS)
