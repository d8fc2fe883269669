"""Credentials and signatures by botocore; imported only if requests are signed."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from botocore.auth import SIGV4_TIMESTAMP, SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import ReadOnlyCredentials
from botocore.exceptions import ConnectionError as AwsConnectionError
from botocore.exceptions import HTTPClientError
from botocore.session import Session

from arc_core.wire.host_credentials import FetchedCredential

OUTAGES = (OSError, AwsConnectionError, HTTPClientError)


def find_region() -> str:
    """The region of the profile that the environment names, else of the default one, or empty."""
    region = Session().get_config_variable("region")
    return region if isinstance(region, str) else ""


def fetch_credentials() -> FetchedCredential[ReadOnlyCredentials]:
    """Ask the default chain anew; blocks.

    Raises:
        LookupError: There is nothing.
    """
    credentials: Any = Session().get_credentials()
    if credentials is None:
        raise LookupError
    frozen = credentials.get_frozen_credentials()
    ends = getattr(credentials, "_expiry_time", None)
    return FetchedCredential(frozen, None if ends is None else ends.timestamp())


def sign(
    url: str,
    body: bytes,
    *,
    credentials: ReadOnlyCredentials,
    service: str,
    region: str,
    clock_offset: timedelta,
) -> Mapping[str, str]:
    """The headers that sign a POST by Signature Version 4.

    Args:
        url: As it travels.
        body: Every byte of it.
        credentials: Of the account.
        service: For which, such as `bedrock`.
        region: In which.
        clock_offset: How far the server's clock is ahead of this machine's.
    """
    request = AWSRequest(method="POST", url=url, data=body, headers={})
    signature = _Signature(credentials, service, region)
    signature.clock_offset = clock_offset
    signature.add_auth(request)
    return {name: str(value) for name, value in request.headers.items()}


class _Signature(SigV4Auth):  # type: ignore[misc]
    """Botocore's, at the time of the server."""

    clock_offset = timedelta()

    def _modify_request_before_signing(self, request: AWSRequest) -> None:
        if self.clock_offset:
            now = datetime.now(UTC) + self.clock_offset
            request.context["timestamp"] = now.strftime(SIGV4_TIMESTAMP)
        super()._modify_request_before_signing(request)
