"""Vertex AI: the models of Anthropic and Google in a project of Google Cloud.

Pick it with `llm.host = "vertex"`; it takes google-auth.
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import UTC
from pathlib import Path
from typing import Any
from urllib.parse import quote

from arc_core import (
    AddressedRequest,
    AuthenticationError,
    ConfigurationError,
    FrameDecoder,
    HostedModels,
    HostedRequest,
    HostExplanation,
    HostFailure,
    errors,
)
from arc_core.settings import LlmSettings
from arc_core.wire.host_credentials import CredentialSource, FetchedCredential, read_variable
from arc_core.wire.model_errors import find_facts, list_details

_FILE = "GOOGLE_APPLICATION_CREDENTIALS"
_LOOKED_FOR = f"{_FILE}, the login of gcloud (application-default), the metadata of the machine"
_REMEDY = f"run gcloud auth application-default login, or set {_FILE}"
_PROJECTS = ("GOOGLE_CLOUD_PROJECT", "GCLOUD_PROJECT")
_LOCATION = "GOOGLE_CLOUD_LOCATION"
_SCOPE = "https://www.googleapis.com/auth/cloud-platform"
_METHODS = {
    "messages": ("anthropic", "rawPredict", "streamRawPredict"),
    "gemini": ("google", "generateContent", "streamGenerateContent?alt=sse"),
}
_VERSION = {"anthropic_version": "vertex-2023-10-16"}
_ENABLE = "enable the Vertex AI API in the project of llm.project"
_GRANT = "grant the account the role Vertex AI User (roles/aiplatform.user) in llm.project"
_IN_REGION = "enable the model in Model Garden, and set llm.region to one that has it, or to global"


@dataclass(frozen=True, slots=True, repr=False)
class GoogleToken:
    """A token, and what the credentials know beside it."""

    text: str
    project: str | None
    quota_project: str | None


class VertexHost:
    """Vertex, with the token that all its models share."""

    name = "vertex"

    def __init__(self) -> None:
        self._source: CredentialSource[GoogleToken] | None = None

    def open(self, api: str, settings: LlmSettings) -> HostedModels:
        """The models of a project in a region."""
        if api not in _METHODS:
            raise ConfigurationError(
                f"llm.host is 'vertex', which does not speak {api!r} here",
                remedy='set llm.provider to "anthropic" or "gemini"',
            )
        region = settings.region or read_variable(_LOCATION, "CLOUD_ML_REGION")
        if not region:
            raise ConfigurationError(
                "llm.host is 'vertex', and there is no region",
                evidence=[f"looked for: llm.region, {_LOCATION}, CLOUD_ML_REGION"],
                remedy="set llm.region, such as europe-west1 or global",
            )
        source = self._source = self._source or _make_source()
        _check_sources()
        return VertexModels(api, settings, region=region, source=source)


class VertexModels:
    """The models of one section of the settings."""

    request_id_headers: Sequence[str] = ("x-vertex-ai-request-id", "request-id", "x-request-id")
    fetches_addresses = False

    def __init__(
        self, api: str, settings: LlmSettings, *, region: str, source: CredentialSource[GoogleToken]
    ) -> None:
        self._region, self._source = region, source
        self._timeout_s = settings.credentials_timeout_s
        self._project = settings.project or read_variable(*_PROJECTS)
        self._publisher, self._whole, self._streamed = _METHODS[api]
        address = (settings.base_url or _derive_address(region)).rstrip("/")
        self.base_url = address.removesuffix("/v1")
        is_messages = api == "messages"
        self.added_fields: Mapping[str, Any] = _VERSION if is_messages else {}
        self.omitted_fields: AbstractSet[str] = {"model"} if is_messages else set()

    async def address(self, request: HostedRequest) -> AddressedRequest:
        """Name the address, and add the token."""
        refused = None if request.refused is None else request.refused.credential
        token = await self._source.get(timeout_s=self._timeout_s, refused=refused)
        project = self._project or token.project
        if not project:
            raise AuthenticationError(
                "there is no project; looked for, in this order: llm.project, "
                f"{', '.join(_PROJECTS)}, the credentials. To fix it: set llm.project"
            )
        model = quote(request.model, safe=":@")
        method = self._streamed if request.is_streamed else self._whole
        url = (
            f"{self.base_url}/v1/projects/{quote(project, safe='')}/locations/{self._region}"
            f"/publishers/{self._publisher}/models/{model}:{method}"
        )
        headers = {"Authorization": f"Bearer {token.text}"}
        if token.quota_project:
            headers["X-Goog-User-Project"] = token.quota_project
        return AddressedRequest(url=url, headers=headers, credential=token, secret=token.text)

    def open_frames(self, content_type: str) -> FrameDecoder | None:
        """None: server-sent events."""
        return None

    def explain(self, failure: HostFailure) -> HostExplanation:
        """Say what an error means, by its status and its reasons."""
        facts = find_facts(failure.payload)
        reasons = [detail.get("reason") for detail in list_details(facts)]
        status = facts.get("status")
        if failure.status == 401 or status == "UNAUTHENTICATED":
            return HostExplanation(
                error_type=errors.AuthenticationError, remedy=_REMEDY, is_credential=True
            )
        if failure.status == 403 or status == "PERMISSION_DENIED":
            remedy = _ENABLE if "SERVICE_DISABLED" in reasons else _GRANT
            return HostExplanation(error_type=errors.AuthenticationError, remedy=remedy)
        if failure.status == 404:
            return HostExplanation(error_type=errors.AuthenticationError, remedy=_IN_REGION)
        return HostExplanation()


def _derive_address(region: str) -> str:
    if region == "global":
        return "https://aiplatform.googleapis.com"
    if region in {"us", "eu"}:
        return f"https://aiplatform.{region}.rep.googleapis.com"
    return f"https://{region}-aiplatform.googleapis.com"


def _check_sources() -> None:
    """See that there is a source, by what lies on this machine alone."""
    named = read_variable(_FILE)
    folder = Path(read_variable("CLOUDSDK_CONFIG") or "~/.config/gcloud").expanduser()
    has_login = (folder / "application_default_credentials.json").exists()
    asks_machine = read_variable("NO_GCE_CHECK").lower() != "true"
    is_there = Path(named).expanduser().exists() if named else has_login or asks_machine
    if not is_there:
        missing = f"{_FILE} names a file that is not there" if named else "none was found"
        raise ConfigurationError(
            "llm.host is 'vertex', and there are no credentials",
            evidence=[f"looked for, in this order: {_LOOKED_FOR}", missing],
            remedy=_REMEDY,
        )


def _make_source() -> CredentialSource[GoogleToken]:
    try:
        import google.auth  # noqa: PLC0415 -- of an extra
        from google.auth.exceptions import TransportError  # noqa: PLC0415
        from google.auth.transport.requests import Request  # noqa: PLC0415
    except ImportError as error:
        raise ConfigurationError(
            "llm.host is 'vertex', and the package google-auth is not installed",
            remedy='pip install "arc-agents[vertex]"',
        ) from error

    def fetch() -> FetchedCredential[GoogleToken]:
        """Ask the default chain anew; blocks."""
        default: Any = google.auth.default
        found, project = default(scopes=(_SCOPE,))
        found.refresh(Request())
        ends = found.expiry  # in UTC, without saying so
        token = GoogleToken(found.token, project, getattr(found, "quota_project_id", None))
        ends_at = None if ends is None else ends.replace(tzinfo=UTC).timestamp()
        return FetchedCredential(token, ends_at)

    return CredentialSource(
        fetch, looked_for=_LOOKED_FOR, remedy=_REMEDY, outages=(OSError, TransportError)
    )
