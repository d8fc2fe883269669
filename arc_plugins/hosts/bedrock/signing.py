"""Credentials and signatures by botocore; imported only if requests are signed."""

from collections.abc import Mapping
from typing import Any

from botocore.auth import SigV4Auth
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
    url: str, body: bytes, *, credentials: ReadOnlyCredentials, service: str, region: str
) -> Mapping[str, str]:
    """The headers that sign a POST by Signature Version 4."""
    request = AWSRequest(method="POST", url=url, data=body, headers={})
    SigV4Auth(credentials, service, region).add_auth(request)
    return {name: str(value) for name, value in request.headers.items()}
