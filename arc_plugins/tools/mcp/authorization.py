"""Logins at MCP servers: how one says that it wants one, and where people log in.

That is found as the protocol says, and no answer is trusted. The server names its authorization
server (RFC 9728), which describes itself (RFC 8414, or OpenID Connect). Each address is checked,
nothing is followed elsewhere, answers are JSON, bounded, and of their words nothing gets into an
error.
"""

import asyncio
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import httpx2
from mcp.client.auth.utils import (
    build_oauth_authorization_server_metadata_discovery_urls,
    build_protected_resource_metadata_discovery_urls,
    extract_field_from_www_auth,
    extract_resource_metadata_from_www_auth,
    extract_scope_from_www_auth,
    issuers_match,
)
from mcp.shared.auth import OAuthMetadata, ProtectedResourceMetadata
from mcp.shared.auth_utils import check_resource_allowed, resource_url_from_server_url
from mcp.shared.inbound import MCP_PROTOCOL_VERSION_HEADER
from mcp_types import LATEST_PROTOCOL_VERSION
from pydantic import ValidationError

from arc_core import AddressRules, CredentialError, ModelError, Service, ServiceSource
from arc_core.text.address_rules import AddressRefusedError, is_loopback
from arc_core.wire.checked_client import CheckedClient
from arc_plugins.tools.mcp.settings import McpServerSettings, McpSettings

_UNAUTHORIZED, _FORBIDDEN = 401, 403
_MAX_SCOPES, _MAX_SCOPE_CHARS = 50, 200


@dataclass(frozen=True, slots=True)
class Challenge:
    """The reason why a server does not do what it was asked.

    Attributes:
        scopes: Those that it wants.
        is_for_more: Whether the token is good, and not for this.
        metadata_url: Where the server describes itself, as it says; None if it does not.
    """

    scopes: tuple[str, ...] = ()
    is_for_more: bool = False
    metadata_url: str | None = None


class LoginWantedError(Exception):
    """A server wants a login, or one that allows more, before it does what it was asked."""

    def __init__(self, challenge: Challenge) -> None:
        super().__init__("the MCP server wants a login")
        self.challenge = challenge


def read_challenge(response: httpx2.Response) -> Challenge | None:
    """Return what a server wants, by the head of its response; None if it is not a login."""
    status = response.status_code
    if status not in {_UNAUTHORIZED, _FORBIDDEN}:
        return None
    scopes = read_scopes((extract_scope_from_www_auth(response) or "").split())
    if status == _FORBIDDEN:
        error = extract_field_from_www_auth(response, "error")
        is_for_more = error == "insufficient_scope" and bool(scopes)
        return Challenge(scopes, is_for_more=True) if is_for_more else None
    return Challenge(scopes, metadata_url=extract_resource_metadata_from_www_auth(response))


def read_scopes(given: object) -> tuple[str, ...]:
    """Return the scopes in a list that a server has sent, without what cannot be one."""
    scopes = given if isinstance(given, list) else []
    return tuple(each for each in scopes[:_MAX_SCOPES] if isinstance(each, str) and _is_scope(each))


def _is_scope(text: str) -> bool:
    """Return whether a text has only the characters of RFC 6749, so that it adds no other."""
    return 0 < len(text) <= _MAX_SCOPE_CHARS and all(
        "!" <= each <= "~" and each not in '"\\' for each in text
    )


_WITHIN_S = 8.0
_MAX_BYTES = 65_536
_OK, _SERVER_ERROR, _TOO_MANY = 200, 500, 429
_OFFLINE = "offline_access"


class _Metadata(NamedTuple):
    """The description of a server, as the SDK has read it, and as it was sent."""

    parsed: Any
    sent: Mapping[str, Any]


async def discover(name: str, settings: McpServerSettings) -> Service:
    """Return the service at which people log in for a server.

    Args:
        name: Of the service: `mcp:shop`.
        settings: Of the server, which has an address.

    Raises:
        CredentialError: It cannot be found, or must not be trusted.
    """
    assert settings.url is not None
    url = settings.url.get_secret_value()
    setting = f"mcp.servers.{name.removeprefix('mcp:')}"
    rules = _make_rules(url, settings.issuer)
    async with CheckedClient(rules, max_reply_bytes=_MAX_BYTES, setting=setting) as client:
        discovery = _Discovery(name, url, settings, setting, rules, client)
        try:
            async with asyncio.timeout(_WITHIN_S):
                return await discovery.run()
        except TimeoutError:
            raise discovery.fail("it takes too long to say", is_retryable=True) from None
        except AddressRefusedError as error:
            raise discovery.fail(f"it names an address that is not asked: {error}") from None
        except httpx2.HTTPError:
            raise discovery.fail("it cannot be reached", is_retryable=True) from None
        except ModelError:
            raise discovery.fail("it redirects, or says too much") from None


def _make_rules(url: str, issuer: str | None) -> AddressRules:
    named = [httpx2.URL(each) for each in (url, issuer) if each is not None]
    return AddressRules(
        trusted=frozenset(f"{each.scheme}://{each.netloc.decode()}" for each in named),
        allows_loopback=is_loopback(named[0].host),
    )


@dataclass(frozen=True, slots=True)
class _Discovery:
    name: str
    url: str
    settings: McpServerSettings
    setting: str
    rules: AddressRules
    client: CheckedClient

    def fail(self, problem: str, *, is_retryable: bool = False) -> CredentialError:
        text = f"where to log in for its server is not known: {problem}"
        return CredentialError(text, service=self.name, retryable=is_retryable)

    async def run(self) -> Service:
        challenge = await self._find_challenge()
        described = await self._find_resource(challenge)
        issuer = self._choose_issuer(described)
        metadata = await self._find_metadata(issuer)
        return self._make_service(challenge, described, metadata)

    async def _find_challenge(self) -> Challenge:
        """Ask without a token, to see what is said then; a server may want none for this."""
        ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        headers = {
            "accept": "application/json, text/event-stream",
            MCP_PROTOCOL_VERSION_HEADER: LATEST_PROTOCOL_VERSION,
        }
        async with self.client.stream("POST", self.url, json=ping, headers=headers) as response:
            return read_challenge(response) or Challenge()

    async def _find_resource(self, challenge: Challenge) -> _Metadata | None:
        """Return how the server describes itself; None if it does not, as older ones."""
        for address in build_protected_resource_metadata_discovery_urls(
            challenge.metadata_url, self.url
        ):
            found = await self._read(address, ProtectedResourceMetadata)
            if found is None:
                continue
            wanted = resource_url_from_server_url(self.url)
            if not check_resource_allowed(wanted, str(found.parsed.resource)):
                raise self.fail("it describes another server than itself")
            return found
        return None

    def _choose_issuer(self, described: _Metadata | None) -> str | None:
        """Return the authorization server; None if the server describes nothing."""
        if described is None:
            return None
        named = [str(each) for each in described.sent["authorization_servers"]]
        wanted = self.settings.issuer
        if wanted is None:
            return named[0]
        if wanted not in named:
            raise self.fail(f"it does not name {self.setting}.issuer; correct that, or remove it")
        return wanted

    async def _find_metadata(self, issuer: str | None) -> _Metadata:
        if issuer is not None:
            self.rules.check(issuer)
        for address in build_oauth_authorization_server_metadata_discovery_urls(issuer, self.url):
            found = await self._read(address, OAuthMetadata)
            if found is None:
                continue
            said = str(found.sent["issuer"])
            parts = httpx2.URL(self.url)
            own = f"{parts.scheme}://{parts.netloc.decode()}"
            if said != issuer if issuer is not None else not issuers_match(said, own):
                raise self.fail("its authorization server says that it is another one")
            return found
        raise self.fail("its authorization server does not describe itself")

    def _make_service(
        self, challenge: Challenge, described: _Metadata | None, metadata: _Metadata
    ) -> Service:
        parsed: OAuthMetadata = metadata.parsed
        if "S256" not in (parsed.code_challenge_methods_supported or ()):
            raise self.fail("its authorization server does not promise PKCE by S256")
        registration = parsed.registration_endpoint
        secret = self.settings.client_secret
        resource = None if described is None else described.sent["resource"]
        return Service(
            authorize_url=self.rules.check(str(parsed.authorization_endpoint)),
            token_url=self.rules.check(str(parsed.token_endpoint)),
            registration_url=None if registration is None else self.rules.check(str(registration)),
            setting=self.setting,
            client_id=self.settings.client_id,
            client_secret=secret,
            client_auth=_choose_auth(parsed, has_secret=secret is not None),
            takes_documents=parsed.client_id_metadata_document_supported is True,
            scopes=self._choose_scopes(challenge, described, parsed),
            issuer=str(metadata.sent["issuer"]),
            is_confirmed=self.settings.issuer is not None,
            promises_issuer=parsed.authorization_response_iss_parameter_supported is True,
            resource=str(resource or resource_url_from_server_url(self.url)),
            rules=self.rules,
        )

    def _choose_scopes(
        self, challenge: Challenge, described: _Metadata | None, parsed: OAuthMetadata
    ) -> tuple[str, ...]:
        supported = None if described is None else described.parsed.scopes_supported
        scopes = self.settings.scopes or challenge.scopes or read_scopes(supported)
        offers_offline = _OFFLINE in (parsed.scopes_supported or ())
        return (*scopes, _OFFLINE) if scopes and offers_offline else scopes

    async def _read(self, address: str, kind: Any) -> _Metadata | None:
        """Return a description of a kind; None if there is none at the address."""
        headers = {
            "accept": "application/json",
            MCP_PROTOCOL_VERSION_HEADER: LATEST_PROTOCOL_VERSION,
        }
        response = await self.client.get(address, headers=headers)
        status = response.status_code
        if status >= _SERVER_ERROR or status == _TOO_MANY:
            raise self.fail(f"it answers with status {status}", is_retryable=True)
        if status != _OK:
            return None
        media_type = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if media_type != "application/json" and not media_type.endswith("+json"):
            return None
        try:
            return _Metadata(
                kind.model_validate_json(response.content), json.loads(response.content)
            )
        except (ValidationError, ValueError, RecursionError):
            return None


def _choose_auth(parsed: OAuthMetadata, *, has_secret: bool) -> Literal["basic", "post", "none"]:
    """Return how this application shows who it is: without a secret, if the server lets it."""
    methods = parsed.token_endpoint_auth_methods_supported
    if not has_secret and (methods is None or "none" in methods):
        return "none"
    is_post = methods is not None and "client_secret_basic" not in methods
    return "post" if is_post else "basic"


_FRESH_S, _FAILED_S = 60.0, 3.0


@dataclass(slots=True)
class _Found:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    until: float = 0.0
    outcome: Service | CredentialError | None = None


class McpServices(ServiceSource):
    """Finds where people log in; for all who ask within a minute, once."""

    def __init__(
        self, settings: McpSettings, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._clock = clock
        self._servers = {
            f"mcp:{name}": each for name, each in settings.servers.items() if each.auth == "oauth"
        }
        self._found = {name: _Found() for name in self._servers}

    async def find_service(self, name: str, *, anew: bool = False) -> Service | None:
        """Return the service of a server, which is asked `anew` at once.

        Raises:
            CredentialError: It cannot be found, or must not be trusted.
        """
        settings = self._servers.get(name)
        if settings is None:
            return None
        found = self._found[name]
        async with found.lock:
            is_failure = isinstance(found.outcome, CredentialError)
            is_over = found.outcome is None or found.until <= self._clock()
            if is_over or (anew and not is_failure):
                lasts_s = _FRESH_S
                try:
                    found.outcome = await discover(name, settings)
                except CredentialError as error:
                    found.outcome, lasts_s = error, _FAILED_S
                found.until = self._clock() + lasts_s
            outcome = found.outcome
        if isinstance(outcome, CredentialError):
            raise CredentialError(
                outcome.problem, service=name, retryable=outcome.retryable
            ) from outcome
        return outcome
