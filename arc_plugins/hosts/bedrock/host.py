"""Amazon Bedrock: Anthropic's models by its own address, others by the OpenAI-compatible one.

Pick it with `llm.host = "bedrock"`. It signs requests with the credentials of the machine, which
takes botocore; with a bearer token it takes nothing.
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from arc_core import (
    AddressedRequest,
    ConfigurationError,
    HostedModels,
    HostedRequest,
    HostExplanation,
    HostFailure,
    InvalidRequestError,
)
from arc_core.settings import LlmSettings
from arc_core.wire.host_credentials import CredentialSource, find_key, read_variable
from arc_plugins.hosts.bedrock.errors import CLOCK_TOLERANCE, explain, find_clock_offset
from arc_plugins.hosts.bedrock.eventstream import CONTENT_TYPE, EventstreamDecoder

_TOKEN = "AWS_BEARER_TOKEN_BEDROCK"  # noqa: S105 -- the name of a variable
_VARIABLES = ("AWS_ACCESS_KEY_ID", "AWS_PROFILE", "AWS_DEFAULT_PROFILE",
    "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI")  # fmt: skip
_LOOKED_FOR = (
    f"llm.api_key, {_TOKEN}, AWS_ACCESS_KEY_ID, a web identity, the profile in ~/.aws, the "
    "credentials of a container, the role of the machine"
)
_REMEDY = f"set {_TOKEN} or llm.api_key, or log in with the tools of AWS"
_AS_THEY_ARE = "!$&'()*,:;=@"  # in a path: clients decode them, and a signature is of what travels
_AHEAD_S = 600  # botocore renews in the last 15 minutes
_SUFFIXES = {"cn": "amazonaws.com.cn", "eusc": "amazonaws.eu"}
_VERSION = {"anthropic_version": "bedrock-2023-05-31"}


class BedrockHost:
    """Bedrock, with the credentials that all its models share."""

    name = "bedrock"

    def __init__(self) -> None:
        self._source: CredentialSource[Any] | None = None

    def open(self, api: str, settings: LlmSettings) -> HostedModels:
        """The models of a region, signed for, or with a bearer token."""
        if api not in {"messages", "chat", "responses"}:
            raise ConfigurationError(
                f"llm.host is 'bedrock', which does not speak {api!r} here",
                remedy='set llm.provider to "anthropic" or "openai"',
            )
        token = find_key(settings.api_key, _TOKEN)
        signing = None if token else _import_signing()
        region = settings.region or read_variable("AWS_REGION", "AWS_DEFAULT_REGION")
        region = region or ("" if signing is None else signing.find_region())
        if not region:
            raise ConfigurationError(
                "llm.host is 'bedrock', and there is no region",
                evidence=["looked for: llm.region, AWS_REGION, AWS_DEFAULT_REGION, the profile's"],
                remedy="set llm.region, such as eu-west-1",
            )
        if signing is None:
            return BedrockModels(api, settings, region=region, token=token)
        self._check_sources()
        source = self._source = self._source or CredentialSource(
            signing.fetch_credentials,
            looked_for=_LOOKED_FOR,
            remedy=_REMEDY,
            ahead_s=_AHEAD_S,
            outages=signing.OUTAGES,
        )
        return BedrockModels(api, settings, region=region, source=source, signing=signing)

    def _check_sources(self) -> None:
        """See that there is a source, by what lies on this machine alone."""
        files = (
            Path(read_variable("AWS_SHARED_CREDENTIALS_FILE") or "~/.aws/credentials").expanduser(),
            Path(read_variable("AWS_CONFIG_FILE") or "~/.aws/config").expanduser(),
        )
        asks_machine = read_variable("AWS_EC2_METADATA_DISABLED").lower() != "true"
        is_there = read_variable(*_VARIABLES) or any(each.exists() for each in files)
        if not is_there and not asks_machine:
            raise ConfigurationError(
                "llm.host is 'bedrock', and there are no credentials",
                evidence=[
                    f"looked for, in this order: {_LOOKED_FOR}",
                    "AWS_EC2_METADATA_DISABLED switches the last one off",
                ],
                remedy=_REMEDY,
            )


@dataclass(frozen=True, slots=True, repr=False)
class _SignedBy:
    """The credentials that signed a request, and the clock by which they did."""

    credentials: Any
    clock_offset: timedelta


class BedrockModels:
    """The models of one section of the settings."""

    request_id_headers: Sequence[str] = ("x-amzn-requestid", "x-request-id")

    def __init__(
        self,
        api: str,
        settings: LlmSettings,
        *,
        region: str,
        token: str = "",
        source: CredentialSource[Any] | None = None,
        signing: Any = None,
    ) -> None:
        self._is_own = api == "messages"
        self._region, self._token, self._source, self._signing = region, token, source, signing
        self._timeout_s = settings.credentials_timeout_s
        derived = _derive_address(region, is_own=self._is_own)
        self.base_url = (settings.base_url or derived).rstrip("/")
        host = urlsplit(self.base_url).hostname or ""
        is_runtime = self._is_own or host.startswith("bedrock-runtime")
        self._service = "bedrock" if is_runtime else "bedrock-mantle"
        self.added_fields: Mapping[str, Any] = _VERSION if self._is_own else {}
        self.omitted_fields: AbstractSet[str] = {"model", "stream"} if self._is_own else set()
        self.fetches_addresses = not self._is_own
        self._clock_offset = timedelta()

    async def address(self, request: HostedRequest) -> AddressedRequest:
        """Name the address, and sign the request or add the token."""
        path = request.path
        if self._is_own:
            if request.model in {".", ".."}:  # clients take these out of an address
                raise InvalidRequestError(
                    f"{request.model!r} is not the name of a model. To fix it: correct llm.model"
                )
            way = "invoke-with-response-stream" if request.is_streamed else "invoke"
            path = f"/model/{quote(request.model, safe=_AS_THEY_ARE)}/{way}"
        url = self.base_url + path
        if self._source is None:
            headers = {"Authorization": f"Bearer {self._token}"}
            return AddressedRequest(url=url, headers=headers, secret=self._token)
        refused = self._find_refused(request)
        found = await self._source.get(timeout_s=self._timeout_s, refused=refused)
        offset = self._clock_offset
        signed = self._signing.sign(
            url,
            request.body,
            credentials=found,
            service=self._service,
            region=self._region,
            clock_offset=offset,
        )
        credential = _SignedBy(found, offset)
        return AddressedRequest(url=url, headers=signed, credential=credential, secret=found.token)

    def _find_refused(self, request: HostedRequest) -> object:
        """The credentials that were refused; None if the clock was wrong and is corrected now."""
        sent = None if request.refused is None else request.refused.credential
        if not isinstance(sent, _SignedBy):
            return None
        is_corrected = abs(self._clock_offset - sent.clock_offset) > CLOCK_TOLERANCE
        return None if is_corrected else sent.credentials

    def open_frames(self, content_type: str) -> EventstreamDecoder | None:
        """Amazon's, unless the answer comes otherwise."""
        is_framed = content_type.partition(";")[0].strip().lower() == CONTENT_TYPE
        return EventstreamDecoder() if is_framed else None

    def explain(self, failure: HostFailure) -> HostExplanation:
        """Say what an error means; a token is not renewed, and a wrong clock is corrected."""
        told = explain(failure)
        if self._source is None:
            return replace(told, is_credential=False)
        offset = find_clock_offset(failure, now=datetime.now(UTC))
        if offset is None:
            return told
        self._clock_offset = offset
        return replace(told, is_credential=True)


def _derive_address(region: str, *, is_own: bool) -> str:
    if not is_own:
        return f"https://bedrock-mantle.{region}.api.aws/openai/v1"
    suffix = _SUFFIXES.get(region.partition("-")[0], "amazonaws.com")
    return f"https://bedrock-runtime.{region}.{suffix}"


def _import_signing() -> Any:
    try:
        return import_module("arc_plugins.hosts.bedrock.signing")
    except ImportError as error:
        raise ConfigurationError(
            "llm.host is 'bedrock', and there is no bearer token and nothing to sign requests with",
            evidence=[f"looked for: llm.api_key, {_TOKEN}, the package botocore"],
            remedy=f'pip install "arc-agents[bedrock]", or set {_TOKEN}',
        ) from error
