"""Tokens by google-auth; imported only if Vertex is the host."""

from dataclasses import dataclass
from datetime import UTC
from typing import Any

import google.auth
from google.auth.exceptions import TransportError
from google.auth.transport.requests import Request

from arc_core.wire.host_credentials import FetchedCredential

OUTAGES = (OSError, TransportError)
_SCOPES = ("https://www.googleapis.com/auth/cloud-platform",)


@dataclass(frozen=True, slots=True, repr=False)
class GoogleToken:
    """A token, and what the credentials know beside it."""

    text: str
    project: str | None
    quota_project: str | None


def fetch_token() -> FetchedCredential[GoogleToken]:
    """Ask the default chain anew; blocks."""
    default: Any = google.auth.default
    credentials, project = default(scopes=_SCOPES)
    credentials.refresh(Request())
    ends = credentials.expiry  # in UTC, without saying so
    token = GoogleToken(credentials.token, project, getattr(credentials, "quota_project_id", None))
    return FetchedCredential(token, None if ends is None else ends.replace(tzinfo=UTC).timestamp())
