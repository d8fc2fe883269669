"""One service's side of OAuth 2.1: where people log in, and where tokens are had.

The protocol is Authlib's; requests go through a guarded client, which follows no redirect, and
their answers are bounded in size and time. No text of an answer gets into an error.
"""

import asyncio
import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx2
from pydantic import SecretStr

from arc_core import ConfigurationError, Credential, CredentialError, ModelError
from arc_core.stores.extras import explain_missing_extra
from arc_core.wire.guarded_client import GuardedClient
from arc_plugins.credentials.settings import ServiceSettings

with explain_missing_extra("credentials"):
    from authlib.oauth2.auth import ClientAuth
    from authlib.oauth2.rfc6749.parameters import prepare_grant_uri, prepare_token_request
    from authlib.oauth2.rfc7636 import create_s256_code_challenge

ANSWER_WITHIN_S = 10.0

_MAX_BYTES = 65_536
_MAX_TOKEN_CHARS = 16_384
_MAX_LIFE_S = 10 * 365 * 86_400
_TOO_MANY = 429
_SERVER_ERROR = 500
_REFUSALS = frozenset({"invalid_grant", "bad_refresh_token", "bad_verification_code"})
"""The error codes of a grant that is used, revoked or expired; GitHub has words of its own."""
_KNOWN_ERRORS = frozenset({
    "access_denied", "incorrect_client_credentials", "invalid_client", "invalid_request",
    "invalid_scope", "invalid_target", "unauthorized_client", "unsupported_grant_type",
})  # fmt: skip


class GrantRefusedError(Exception):
    """The service does not take the code or the refresh token, and never will."""


class TokenEndpoint:
    """Asks one service for tokens.

    Args:
        name: Of the service.
        settings: Of the service, with its addresses.
        redirect_url: To which the service sends people back.
    """

    def __init__(self, name: str, settings: ServiceSettings, *, redirect_url: str) -> None:
        self._name, self._settings, self._redirect_url = name, settings, redirect_url
        self._client: GuardedClient | None = None

    async def aclose(self) -> None:
        """Close the connections."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    def login_address(self, state: str, verifier: str) -> str:
        """Return the address at which a person logs in."""
        address: str = prepare_grant_uri(
            self._settings.authorize_url,
            client_id=self._settings.client_id,
            response_type="code",
            redirect_uri=self._redirect_url,
            scope=" ".join(self._settings.scopes) or None,
            state=state,
            code_challenge=create_s256_code_challenge(verifier),
            code_challenge_method="S256",
        )
        return address

    async def exchange(self, code: str, verifier: str) -> Credential:
        """Return the credential that a code stands for.

        Raises:
            GrantRefusedError: The service does not take the code.
            CredentialError: The service does not answer, or not as it should.
        """
        return await self._ask(
            "authorization_code", code=code, redirect_uri=self._redirect_url, code_verifier=verifier
        )

    async def renew(self, credential: Credential) -> Credential:
        """Return a new credential in the place of one with a refresh token.

        Raises:
            GrantRefusedError: It was revoked, or has expired.
            CredentialError: The service does not answer, or not as it should.
        """
        refresh_token = credential.refresh_token
        assert refresh_token is not None
        renewed = await self._ask("refresh_token", refresh_token=refresh_token.get_secret_value())
        return Credential(
            token=renewed.token,
            expires_at=renewed.expires_at,
            refresh_token=renewed.refresh_token or refresh_token,
            scopes=renewed.scopes or credential.scopes,
        )

    async def _ask(self, grant_type: str, **parameters: str) -> Credential:
        try:
            async with asyncio.timeout(ANSWER_WITHIN_S):
                response = await self._send(prepare_token_request(grant_type, **parameters))
        except TimeoutError:
            raise self._failure("its token endpoint does not answer", retryable=True) from None
        except httpx2.HTTPError:
            raise self._failure("its token endpoint cannot be reached", retryable=True) from None
        except (ModelError, ConfigurationError):  # a redirect, or too large an answer
            raise self._failure("its token endpoint does not answer with a token") from None
        return self._read(response)

    async def _send(self, body: str) -> httpx2.Response:
        settings, secret = self._settings, self._settings.client_secret
        method = "none" if secret is None else f"client_secret_{settings.client_auth}"
        auth = ClientAuth(
            settings.client_id,
            None if secret is None else secret.get_secret_value(),
            auth_method=method,
        )
        headers = {
            "accept": "application/json",
            "content-type": "application/x-www-form-urlencoded",
        }
        url, headers, body = auth.prepare("POST", settings.token_url, headers, body)
        if self._client is None:
            self._client = GuardedClient(
                max_reply_bytes=_MAX_BYTES, setting=f"services.{self._name}.token_url"
            )
        return await self._client.post(url, content=body, headers=dict(headers))

    def _read(self, response: httpx2.Response) -> Credential:
        status = response.status_code
        if status >= _SERVER_ERROR or status == _TOO_MANY:
            raise self._failure(f"its token endpoint answers with status {status}", retryable=True)
        try:
            answer = json.loads(response.content)
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict):
            raise self._failure(f"its token endpoint answers with status {status} and no JSON")
        if "error" in answer or not response.is_success:
            self._raise_refusal(answer.get("error"), status)
        credential = _credential_in(answer)
        if credential is None:
            raise self._failure("its token endpoint answers without a usable token")
        return credential

    def _raise_refusal(self, error: object, status: int) -> None:
        if error in _REFUSALS:
            raise GrantRefusedError
        known = error if error in _KNOWN_ERRORS else f"status {status}"
        raise self._failure(f"its token endpoint refuses with {known}; see services.{self._name}")

    def _failure(self, problem: str, *, retryable: bool = False) -> CredentialError:
        return CredentialError(problem, service=self._name, retryable=retryable)


def _credential_in(answer: Mapping[str, Any]) -> Credential | None:
    """The credential in an answer; None if it is not one that can stand in a header."""
    token, kind, refresh_token = (
        answer.get(name) for name in ("access_token", "token_type", "refresh_token")
    )
    if not _is_token(token) or not (isinstance(kind, str) and kind.lower() == "bearer"):
        return None
    if refresh_token is not None and not _is_token(refresh_token):
        return None
    expires_at, scope = _end_of(answer.get("expires_in")), answer.get("scope")
    return Credential(
        token=SecretStr(str(token)),
        expires_at=expires_at,
        refresh_token=None if refresh_token is None else SecretStr(str(refresh_token)),
        scopes=tuple(scope.replace(",", " ").split()) if isinstance(scope, str) else (),
    )


def _is_token(value: object) -> bool:
    return (
        isinstance(value, str)
        and 0 < len(value) <= _MAX_TOKEN_CHARS
        and all("!" <= each <= "~" for each in value)
    )


def _end_of(seconds: object) -> datetime | None:
    """The time at which a token ends; None if the answer does not say it in seconds."""
    if isinstance(seconds, str) and seconds.isascii() and seconds.isdigit():
        seconds = int(seconds[:12])
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not seconds > 0:
        return None
    return datetime.now(UTC) + timedelta(seconds=min(seconds, _MAX_LIFE_S))
