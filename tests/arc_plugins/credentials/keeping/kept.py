"""Credentials that are kept, and an authorization server on loopback, for tests."""

import base64
import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlsplit

from pydantic import SecretStr

from arc_core import Credential, Owner, ServiceSource
from arc_core.settings import ServerAddressSettings
from arc_core.testing.vendor_server import ReceivedRequest, Reply
from arc_plugins.conversations.settings import HistorySettings
from arc_plugins.credentials.keeping.in_memory_credentials import InMemoryCredentials
from arc_plugins.credentials.keeping.kept_credentials import KeptCredentials
from arc_plugins.credentials.keeping.sql_credentials import SqlCredentials
from arc_plugins.credentials.settings import CredentialsSettings, ServicesSettings

__all__ = [
    "ANN",
    "KEY",
    "AuthorizationServer",
    "callback_of",
    "in_database",
    "in_memory",
    "login_id",
    "make_key",
    "renewable",
    "services_at",
]

ANN = Owner(user_id="ann", tenant_id="acme")
PUBLIC_URL = "https://agents.example/"


def make_key() -> str:
    """A new key, as the setting has it."""
    return base64.b64encode(secrets.token_bytes(32)).decode()


KEY = make_key()


def services_at(address: str, **more: Any) -> ServicesSettings:
    """Two services whose tokens come from one server, and one of each other mode."""
    oauth = {
        "authorize_url": f"{address}/authorize",
        "token_url": f"{address}/token",
        "client_id": "arc",
        "client_secret": "the-secret-of-the-client",
        "scopes": ["read", "write"],
        **more,
    }
    return ServicesSettings.model_validate({
        "github": oauth,
        "other": oauth,
        "team": {**oauth, "mode": "tenant"},
        "weather": {"mode": "application", "token": "the-token-of-the-application"},
    })  # fmt: skip


def in_memory(
    services: ServicesSettings, *, sources: Sequence[ServiceSource] = (), **settings: Any
) -> KeptCredentials:
    """Credentials in memory, not started."""
    return InMemoryCredentials(
        settings=CredentialsSettings(backend="memory", **settings),
        services=services,
        server=ServerAddressSettings(public_url=PUBLIC_URL),
        sources=sources,
    )


async def in_database(
    file: Path | str,
    services: ServicesSettings,
    *,
    key: Any = KEY,
    sources: Sequence[ServiceSource] = (),
) -> SqlCredentials:
    """Credentials in a database with its schema, not started."""
    url = file if isinstance(file, str) else f"sqlite:///{file}"
    made = SqlCredentials(
        settings=CredentialsSettings(backend="sql", key=key),
        services=services,
        server=ServerAddressSettings(public_url=PUBLIC_URL),
        conversation=HistorySettings(url=SecretStr(url)),
        sources=sources,
    )
    await made.upgrade_schema()
    return made


def renewable(token: str = "old", *, ends: Any = None, refresh: str = "refresh-1") -> Credential:
    """A credential with a refresh token."""
    return Credential(
        token=SecretStr(token), expires_at=ends, refresh_token=SecretStr(refresh), scopes=("read",)
    )


def login_id(url: str) -> str:
    """The id of a login in the address of its page."""
    return url.rpartition("/")[2]


@dataclass
class AuthorizationServer:
    """Gives tokens as OAuth 2.1 says, and notes what is wrong with what it is asked.

    Attributes:
        issuer: Stands in its answers, if it is set.
        codes: What each code was asked with.
        refresh_tokens: Those that are good.
        tokens: All that it has given.
        refreshed: How many times it has renewed.
        errors: What was wrong.
    """

    issuer: str | None = None
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    refresh_tokens: set[str] = field(default_factory=set)
    tokens: list[str] = field(default_factory=list)
    refreshed: int = 0
    errors: list[str] = field(default_factory=list)

    def log_in(self, address: str) -> dict[str, str]:
        """Let the person allow what an address asks for; the parameters of the callback."""
        asked = dict(parse_qsl(urlsplit(address).query))
        code = secrets.token_urlsafe(12)
        self.codes[code] = asked
        issuer = {} if self.issuer is None else {"iss": self.issuer}
        return {"code": code, "state": asked["state"], **issuer}

    def answer(self, request: ReceivedRequest) -> Reply:
        """Answer a request for a token."""
        form = {name: values[0] for name, values in parse_qs(request.body.decode()).items()}
        if form.get("grant_type") == "refresh_token":
            return self._refresh(form)
        asked = self.codes.pop(form.get("code", ""), None)
        if asked is None or not self._is_right(asked, form):
            return Reply.json({"error": "invalid_grant"}, status=400)
        return self._give(asked["scope"])

    def _refresh(self, form: dict[str, str]) -> Reply:
        self.refreshed += 1
        if form["refresh_token"] not in self.refresh_tokens:
            return Reply.json({"error": "invalid_grant"}, status=400)
        self.refresh_tokens.remove(form["refresh_token"])
        return self._give("read")

    def _is_right(self, asked: dict[str, str], form: dict[str, str]) -> bool:
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        if asked.get("code_challenge") != challenge or asked["code_challenge_method"] != "S256":
            self.errors.append("the verifier is wrong")
        if form.get("redirect_uri") != asked["redirect_uri"]:
            self.errors.append("the redirect is another one")
        return not self.errors

    def _give(self, scope: str) -> Reply:
        token, refresh = (secrets.token_urlsafe(24) for _ in range(2))
        self.tokens += [token, refresh]
        self.refresh_tokens.add(refresh)
        return Reply.json({
            "access_token": token,
            "token_type": "Bearer",
            "expires_in": 3600,
            "refresh_token": refresh,
            "scope": scope,
        })  # fmt: skip


def callback_of(answer: dict[str, str], **changes: str) -> dict[str, str]:
    """The parameters of a callback, some of them changed."""
    changed = {**answer, **changes}
    return {name: value for name, value in changed.items() if value}
