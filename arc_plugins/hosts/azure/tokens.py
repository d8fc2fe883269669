"""Tokens of Entra ID by azure-identity; imported only if there is no key."""

from collections.abc import Callable
from typing import Any

from azure.core.exceptions import ServiceRequestError
from azure.identity import DefaultAzureCredential

from arc_core.wire.host_credentials import FetchedCredential

OUTAGES = (OSError, ServiceRequestError)


def token_fetcher(scope: str) -> Callable[[], FetchedCredential[str]]:
    """Return a function that asks the default chain for a token; it blocks."""

    def fetch() -> FetchedCredential[str]:
        with DefaultAzureCredential() as chain:
            token: Any = chain.get_token(scope)
        # A text of its own, since what is refused is known by identity.
        return FetchedCredential(str(bytes(token.token, "ascii"), "ascii"), float(token.expires_on))

    return fetch
