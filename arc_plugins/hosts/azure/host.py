"""Azure: OpenAI's models as deployments of a resource, and Anthropic's in Foundry.

Pick it with `llm.host = "azure"`. With a key it takes nothing, for tokens azure-identity.
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from arc_core import (
    AddressedRequest,
    ConfigurationError,
    FrameDecoder,
    HostedModels,
    HostedRequest,
    HostExplanation,
    HostFailure,
    errors,
)
from arc_core.settings import LlmSettings
from arc_core.wire.host_credentials import CredentialSource, FetchedCredential, find_key
from arc_core.wire.model_errors import find_facts

_KEY = "AZURE_OPENAI_API_KEY"
_LOOKED_FOR = (
    f"llm.api_key, {_KEY}, then by azure-identity: AZURE_CLIENT_ID with a secret or a certificate, "
    "a workload identity, a managed identity, the logins of az, azd and PowerShell"
)
_REMEDY = f"set {_KEY} or llm.api_key to a key of the resource, or run az login"
_SCOPES = {
    "chat": "https://cognitiveservices.azure.com/.default",
    "responses": "https://cognitiveservices.azure.com/.default",
    "messages": "https://ai.azure.com/.default",
}
_DEPLOYMENT = "set llm.model to the name of a deployment of the resource at llm.base_url"
_ROLE = "grant the account the role Cognitive Services OpenAI User (or Foundry User) there"
_no_access = partial(HostExplanation, error_type=errors.AuthenticationError)
_CODES: dict[str, HostExplanation] = {
    "DeploymentNotFound": _no_access(remedy=_DEPLOYMENT),
    "PermissionDenied": _no_access(remedy=_ROLE),
    "OperationNotSupported": HostExplanation(
        error_type=errors.InvalidRequestError,
        remedy="set llm.api to the other API, chat or responses, or llm.model to a deployment that "
        "speaks this one",
    ),
    "content_filter": HostExplanation(
        error_type=errors.RefusedError,
        remedy="change the prompt, or the content filter of the deployment",
    ),
    "QuotaExceeded": HostExplanation(
        error_type=errors.QuotaExceededError, remedy="raise the quota of the subscription"
    ),
    "RateLimitReached": HostExplanation(error_type=errors.RateLimitError),
}
_STATUSES: dict[int | None, HostExplanation] = {
    401: _no_access(
        remedy="correct the key or log in anew; it must be of the resource at llm.base_url",
        is_credential=True,
    ),
    403: _CODES["PermissionDenied"],
    404: HostExplanation(remedy=f"correct llm.base_url, or {_DEPLOYMENT}"),
}


class AzureHost:
    """Azure, with the tokens that all its models share."""

    name = "azure"

    def __init__(self) -> None:
        self._sources: dict[str, CredentialSource[str]] = {}

    def open(self, api: str, settings: LlmSettings) -> HostedModels:
        """The deployments of a resource, with a key or tokens."""
        if api not in _SCOPES:
            raise ConfigurationError(
                f"llm.host is 'azure', which does not speak {api!r}",
                remedy='set llm.provider to "openai" or "anthropic"',
            )
        if settings.base_url is None:
            raise ConfigurationError(
                "llm.host is 'azure', and there is no address",
                remedy="set llm.base_url to that of the resource, such as "
                "https://name.openai.azure.com",
            )
        key = find_key(settings.api_key, _KEY)
        source = None if key else self._find_source(_SCOPES[api])
        return AzureModels(
            api, settings.base_url, key=key, source=source, timeout_s=settings.credentials_timeout_s
        )

    def _find_source(self, scope: str) -> CredentialSource[str]:
        known = self._sources.get(scope)
        if known is not None:
            return known
        try:
            from azure.core.exceptions import ServiceRequestError  # noqa: PLC0415 -- of an extra
            from azure.identity import DefaultAzureCredential  # noqa: PLC0415 -- takes long
        except ImportError as error:
            raise ConfigurationError(
                "llm.host is 'azure', and there is no key and no package that finds tokens",
                evidence=[f"looked for, in this order: {_LOOKED_FOR}"],
                remedy=f'set {_KEY} or llm.api_key, or pip install "arc-agents[azure]"',
            ) from error

        def fetch() -> FetchedCredential[str]:
            with DefaultAzureCredential() as chain:
                token: Any = chain.get_token(scope)
            # A text of its own, since what is refused is known by identity.
            text = str(bytes(token.token, "ascii"), "ascii")
            return FetchedCredential(text, float(token.expires_on))

        source = self._sources[scope] = CredentialSource(
            fetch, looked_for=_LOOKED_FOR, remedy=_REMEDY, outages=(OSError, ServiceRequestError)
        )
        return source


class AzureModels:
    """The models of one section of the settings."""

    request_id_headers: Sequence[str] = ("apim-request-id", "x-ms-request-id", "x-request-id")
    added_fields: Mapping[str, Any] = {}
    omitted_fields: AbstractSet[str] = frozenset()
    fetches_addresses = True

    def __init__(
        self,
        api: str,
        address: str,
        *,
        key: str,
        source: CredentialSource[str] | None,
        timeout_s: float,
    ) -> None:
        self._key, self._source, self._timeout_s = key, source, timeout_s
        self.base_url = _complete(address, api)

    async def address(self, request: HostedRequest) -> AddressedRequest:
        """Add the key, or a token."""
        url = self.base_url + request.path
        if self._source is None:
            headers = {"api-key": self._key, "X-Api-Key": self._key}
            return AddressedRequest(url=url, headers=headers, secret=self._key)
        refused = None if request.refused is None else request.refused.credential
        token = await self._source.get(timeout_s=self._timeout_s, refused=refused)
        headers = {"Authorization": f"Bearer {token}"}
        return AddressedRequest(url=url, headers=headers, credential=token, secret=token)

    def open_frames(self, content_type: str) -> FrameDecoder | None:
        """None: server-sent events."""
        return None

    def explain(self, failure: HostFailure) -> HostExplanation:
        """Say what an error means, by its code, else by its status."""
        code = find_facts(failure.payload).get("code")
        by_status = _STATUSES.get(failure.status, HostExplanation())
        explanation = _CODES.get(code, by_status) if isinstance(code, str) else by_status
        return replace(explanation, is_credential=False) if self._source is None else explanation


def _complete(address: str, api: str) -> str:
    """The address of a resource with the path of an API, which it may have already."""
    plain = address.rstrip("/")
    if api == "messages":
        plain = plain.removesuffix("/v1").removesuffix("/messages")
        return plain if plain.endswith("/anthropic") else f"{plain}/anthropic"
    path = urlsplit(plain).path
    if path == "/openai":
        return f"{plain}/v1"
    return plain if path else f"{plain}/openai/v1"
