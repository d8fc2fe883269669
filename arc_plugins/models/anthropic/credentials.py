"""Credentials beside keys and tokens: a profile, or the identity of a workload.

The SDK finds, exchanges and renews them. It is imported for these alone, since that takes longer
than the rest of a start.
"""

import inspect
from collections.abc import AsyncGenerator
from contextlib import aclosing

import httpx2
from anthropic import AnthropicError
from anthropic.lib.credentials import (
    AccessTokenAuth,
    BaseURLBoundProvider,
    CredentialResult,
    TokenCache,
    default_credentials,
)

from arc_core import AuthenticationError, ConfigurationError
from arc_core.wire.guarded_client import GuardedClient
from arc_core.wire.http_chat_model import PlainClient


class FoundCredentials(httpx2.Auth):
    """Sends the access token, and has it renewed once it is refused.

    Attributes:
        headers: Of every request, beside the token.
        base_url: The address that they name; None if they name none.
    """

    def __init__(self, found: CredentialResult, *, address: str) -> None:
        self.headers, self.base_url = found.extra_headers, found.base_url
        self._provider = found.provider
        if isinstance(self._provider, BaseURLBoundProvider):
            self._provider = self._provider.for_base_url(self.base_url or address)
        self._tokens = TokenCache(self._provider)
        self._auth = AccessTokenAuth(self._tokens)

    async def async_auth_flow(
        self, request: httpx2.Request
    ) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        """Add the token to a request; without one, raise an `AuthenticationError`."""
        try:
            async with aclosing(self._auth.async_auth_flow(request)) as flow:
                authorized = await anext(flow)
        except AnthropicError as error:
            raise AuthenticationError(f"anthropic: {error}") from error
        response = yield authorized
        if response.status_code == httpx2.codes.UNAUTHORIZED:
            self._tokens.invalidate()

    def make_client(self, http: GuardedClient) -> PlainClient:
        """Return a client that closes these, too."""
        return _Client(http, self)

    async def aclose(self) -> None:
        """Close what the SDK has opened to find them."""
        close = getattr(self._provider, "aclose", None) or getattr(self._provider, "close", None)
        closing = None if close is None else close()
        if inspect.isawaitable(closing):
            await closing


def find_credentials(address: str) -> FoundCredentials | None:
    """Return what the SDK finds in the environment and its files; None if that is nothing.

    Args:
        address: Of the server that is to be asked.

    Raises:
        ConfigurationError: They are there, and cannot be used.
    """
    try:
        found = default_credentials(base_url=address)
    except AnthropicError as error:
        raise ConfigurationError(
            "the credentials for Anthropic cannot be used",
            evidence=[str(error)],
            remedy="correct the profile that ANTHROPIC_PROFILE names, or set ANTHROPIC_API_KEY",
        ) from error
    return None if found is None else FoundCredentials(found, address=address)


class _Client(PlainClient):
    def __init__(self, http: GuardedClient, credentials: FoundCredentials) -> None:
        super().__init__(http)
        self._credentials = credentials

    async def close(self) -> None:
        try:
            await super().close()
        finally:
            await self._credentials.aclose()
