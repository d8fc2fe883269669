"""Callbacks of logins as a browser sends them, and answers of an authorization server."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx2

from arc_autoconfig import Application, ArcSettings
from arc_core import Credential, Credentials, LoginNeeded, Owner
from arc_core.testing.vendor_server import Reply, VendorServer
from benchmarks.fuzzing.target import SECRET, FaultError, Target, check_text
from tests.arc_plugins.credentials.keeping.kept import AuthorizationServer

_ANN = Owner(user_id="ann", tenant_id="acme")
_TOKEN = {"access_token": "token-1", "token_type": "Bearer", "expires_in": 3600,
          "refresh_token": "refresh-1", "scope": "read"}  # fmt: skip
_STATE, _CODE = b"the-state", b"the-code"


@asynccontextmanager
async def open_target() -> AsyncIterator[Target]:
    """An application whose users log in at one service."""
    server, replies = AuthorizationServer(), list[Reply]()

    def answer(request: Any) -> Reply:
        return replies.pop() if replies else server.answer(request)

    async with VendorServer(*[answer] * 1_000_000) as vendor:
        oauth = {"authorize_url": f"{vendor.url}/authorize", "token_url": f"{vendor.url}/token"}
        settings: dict[str, Any] = {
            "credentials": {"backend": "memory"},
            "services": {
                "github": {**oauth, "client_id": "arc", "client_secret": SECRET, "scopes": ["read"]}
            },
            "server": {"public_url": "https://agents.example"},
        }
        app = Application(ArcSettings(_isolated=True, **settings), plugins=False)
        async with app:
            credentials: Credentials = app.component(Credentials)
            transport = httpx2.ASGITransport(app=app.asgi())
            async with httpx2.AsyncClient(
                transport=transport, base_url="http://127.0.0.1"
            ) as client:
                attempt = _Attempts(credentials, client, server, replies).attempt
                query = b"code=%b&state=%b&scope=read" % (_CODE, _STATE)
                wrong = b"error=access_denied&error_description=No&state=%b" % _STATE
                samples = [("callback", query), ("callback", wrong), ("cookie", b"a" * 43)]
                samples += [("token", json.dumps(_TOKEN).encode())] * 3
                samples += [("refusal", b'{"error": "invalid_grant", "error_description": "x"}')]
                yield Target(samples=[*samples, ("page", b"login-id")], attempt=attempt)


@dataclass
class _Attempts:
    credentials: Credentials
    client: httpx2.AsyncClient
    server: AuthorizationServer
    replies: list[Reply]
    count: int = 0

    async def attempt(self, kind: str, data: bytes) -> bool:
        """Log in as another user, with one of the steps malformed."""
        self.count += 1
        owner = Owner(user_id=f"u{self.count}", tenant_id="acme")
        needed = await self.credentials.get(owner, "github")
        assert isinstance(needed, LoginNeeded)
        if kind == "page":
            text = data.decode("latin-1").replace("#", "").replace("?", "")
            return self._check(await self.client.get(f"/oauth/login/{_quote(text[:10_000])}"))
        begun = await self.client.post(urlsplit(needed.url).path, headers={"cookie": ""})
        found = self.server.log_in(begun.headers["location"])
        cookie = begun.headers["set-cookie"].partition(";")[0].encode()
        query = f"code={found['code']}&state={found['state']}".encode()
        if kind == "callback":
            query = data.replace(_STATE, found["state"].encode())
            query = query.replace(_CODE, found["code"].encode())
        elif kind == "cookie":
            cookie = b"__Host-arc-login=" + data
        else:
            status = 200 if kind == "token" else 400
            self.replies[:] = [Reply(body=data, status=status)]
        address = httpx2.URL("http://127.0.0.1/oauth/callback", query=_ascii(query)[:20_000])
        is_accepted = self._check(
            await self.client.get(address, headers=[(b"cookie", _line(cookie))])
        )
        has_credential = isinstance(await self.credentials.get(owner, "github"), Credential)
        given = dict(parse_qsl(query.decode("latin-1")))
        is_right = given.get("state") == found["state"] and given.get("code") == found["code"]
        if has_credential and (kind == "cookie" or not is_right):
            raise FaultError("a login was completed by something else than its callback")
        return is_accepted

    def _check(self, response: httpx2.Response) -> bool:
        self.client.cookies.clear()
        self.replies.clear()
        if response.status_code >= 500:
            raise FaultError(f"the status is {response.status_code}: {response.text[:300]}")
        if self.server.tokens and self.server.tokens[-1] in response.text:
            raise FaultError("a token is shown")
        check_text(response.text or "nothing")
        return response.is_success


def _ascii(query: bytes) -> bytes:
    kept = b"=&%+-._~;"
    return b"".join(
        b"%c" % each if (chr(each).isalnum() and each < 127) or each in kept else b"%%%02X" % each
        for each in query
    )


def _line(header: bytes) -> bytes:
    return header.replace(b"\r", b"").replace(b"\n", b"").replace(b"\0", b"")


def _quote(text: str) -> str:
    return "".join(
        each if each.isalnum() and each.isascii() else f"%{ord(each):02X}" for each in text
    )
