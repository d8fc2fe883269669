"""One service's side of OAuth 2.1: where people log in, and where tokens are had.

The protocol is Authlib's. No text of an answer gets into an error.
"""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, NamedTuple

import httpx2
from pydantic import SecretStr

from arc_core import (
    AddressRules,
    ConfigurationError,
    Credential,
    CredentialError,
    ModelError,
    Service,
)
from arc_core.stores import explain_missing_extra
from arc_core.text.address_rules import AddressRefusedError
from arc_core.wire.checked_client import CheckedClient
from arc_core.wire.guarded_client import GuardedClient

ANSWER_WITHIN_S = 10.0

_MAX_BYTES = 65_536
_TOO_MANY = 429
_SERVER_ERROR = 500


class ServiceReply(NamedTuple):
    """The reply of an endpoint."""

    status: int
    answer: Mapping[str, Any]

    @property
    def is_success(self) -> bool:
        """True if the status says that it is what was asked for."""
        return self.status in range(200, 300)


class ServiceClients:
    """The clients of all services: one for those of the settings, one for each set of rules."""

    def __init__(self) -> None:
        self._clients: dict[AddressRules | None, GuardedClient] = {}

    async def aclose(self) -> None:
        """Close the connections."""
        while self._clients:
            await self._clients.popitem()[1].aclose()

    async def post(
        self, name: str, service: Service, url: str, *, body: str, headers: Mapping[str, str]
    ) -> ServiceReply:
        """Send something to an endpoint of a service, which says what addresses may be asked.

        Raises:
            CredentialError: It does not answer, or not with an object in JSON.
        """
        client = self._find_client(service)
        kind = "token" if url == service.token_url else "registration"
        failure = partial(_make_failure, name, f"its {kind} endpoint")
        try:
            async with asyncio.timeout(ANSWER_WITHIN_S):
                response = await client.post(
                    url, content=body, headers={"accept": "application/json", **headers}
                )
        except TimeoutError:
            raise failure("does not answer", retryable=True) from None
        except AddressRefusedError as error:
            raise failure(f"has an address that is not asked: {error}") from None
        except httpx2.HTTPError:
            raise failure("cannot be reached", retryable=True) from None
        except (ModelError, ConfigurationError):  # a redirect, or too large an answer
            raise failure("does not answer with a token") from None
        return _read(failure, response)

    def _find_client(self, service: Service) -> GuardedClient:
        client, rules = self._clients.get(service.rules), service.rules
        if client is None:
            setting = service.setting
            client = (
                GuardedClient(max_reply_bytes=_MAX_BYTES, setting=setting)
                if rules is None
                else CheckedClient(rules, max_reply_bytes=_MAX_BYTES, setting=setting)
            )
            self._clients[rules] = client
        return client


def _make_failure(
    service: str, endpoint: str, problem: str, *, retryable: bool = False
) -> CredentialError:
    return CredentialError(f"{endpoint} {problem}", service=service, retryable=retryable)


def _read(failure: Callable[..., CredentialError], response: httpx2.Response) -> ServiceReply:
    status = response.status_code
    if status >= _SERVER_ERROR or status == _TOO_MANY:
        raise failure(f"answers with status {status}", retryable=True)
    try:
        answer = json.loads(response.content)
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict):
        raise failure(f"answers with status {status} and no JSON")
    return ServiceReply(status, answer)


with explain_missing_extra("credentials"):
    from authlib.oauth2.auth import ClientAuth
    from authlib.oauth2.rfc6749.parameters import prepare_grant_uri, prepare_token_request
    from authlib.oauth2.rfc7636 import create_s256_code_challenge

_MAX_TOKEN_CHARS = 16_384
_MAX_LIFE_S = 10 * 365 * 86_400
_REFUSALS = frozenset({"invalid_grant", "bad_refresh_token", "bad_verification_code"})
"""The error codes of a grant that is used, revoked or expired; GitHub has words of its own."""
_CLIENT_REFUSALS = frozenset({"invalid_client", "unauthorized_client"})
_KNOWN_ERRORS = _CLIENT_REFUSALS | {
    "access_denied", "incorrect_client_credentials", "invalid_request", "invalid_scope",
    "invalid_target", "unsupported_grant_type",
}  # fmt: skip


class GrantRefusedError(Exception):
    """The service does not take the code or the refresh token, and never will."""


class _ClientRefusedError(CredentialError):
    pass


def is_client_refused(error: CredentialError) -> bool:
    """Return whether the service does not know this application, or not by this secret."""
    return isinstance(error, _ClientRefusedError)


class TokenEndpoint:
    """Asks one service for tokens, as the client that this application is there."""

    def __init__(
        self, name: str, service: Service, *, redirect_url: str, clients: ServiceClients
    ) -> None:
        self.service = service
        self._name, self._redirect_url, self._clients = name, redirect_url, clients

    def login_address(self, state: str, verifier: str, scopes: Sequence[str]) -> str:
        """Return the address at which a person logs in, and is asked to allow some scopes."""
        parameters: dict[str, str] = {}
        if self.service.resource is not None:
            parameters["resource"] = self.service.resource
        if "offline_access" in scopes:
            parameters["prompt"] = "consent"  # without it OpenID providers give no refresh token
        address: str = prepare_grant_uri(
            self.service.authorize_url,
            client_id=self.service.client_id,
            response_type="code",
            redirect_uri=self._redirect_url,
            scope=" ".join(scopes) or None,
            state=state,
            code_challenge=create_s256_code_challenge(verifier),
            code_challenge_method="S256",
            **parameters,
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
        service, secret = self.service, self.service.client_secret
        if service.resource is not None:
            parameters["resource"] = service.resource
        has_secret = secret is not None and service.client_auth != "none"
        method = f"client_secret_{service.client_auth}" if has_secret else "none"
        auth = ClientAuth(
            service.client_id,
            None if secret is None else secret.get_secret_value(),
            auth_method=method,
        )
        if service.client_id and method == "client_secret_basic":  # MCP's servers look for it here
            parameters["client_id"] = service.client_id
        headers = {"content-type": "application/x-www-form-urlencoded"}
        body = prepare_token_request(grant_type, **parameters)
        url, headers, body = auth.prepare("POST", service.token_url, headers, body)
        reply = await self._clients.post(self._name, service, url, body=body, headers=dict(headers))
        if "error" in reply.answer or not reply.is_success:
            self._raise_refusal(str(reply.answer.get("error")), reply.status)
        credential = _credential_in(reply.answer)
        if credential is None:
            raise self._failure("its token endpoint answers without a usable token")
        return credential

    def _raise_refusal(self, error: str, status: int) -> None:
        if error in _REFUSALS:
            raise GrantRefusedError
        known = error if error in _KNOWN_ERRORS else f"status {status}"
        problem = f"its token endpoint refuses with {known}; see {self.service.setting}"
        if error in _CLIENT_REFUSALS:
            raise _ClientRefusedError(problem, service=self._name)
        raise self._failure(problem)

    def _failure(self, problem: str) -> CredentialError:
        return CredentialError(problem, service=self._name)


def _credential_in(answer: Mapping[str, Any]) -> Credential | None:
    """The credential in an answer; None if it is not one that can stand in a header."""
    token, kind, refresh_token = (
        answer.get(name) for name in ("access_token", "token_type", "refresh_token")
    )
    if not is_token(token) or not (isinstance(kind, str) and kind.lower() == "bearer"):
        return None
    if refresh_token is not None and not is_token(refresh_token):
        return None
    expires_at, scope = _end_of(answer.get("expires_in")), answer.get("scope")
    return Credential(
        token=SecretStr(str(token)),
        expires_at=expires_at,
        refresh_token=None if refresh_token is None else SecretStr(str(refresh_token)),
        scopes=tuple(scope.replace(",", " ").split()) if isinstance(scope, str) else (),
    )


def is_token(value: object) -> bool:
    """Return whether a value can stand in a header, as tokens and names of clients do."""
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
