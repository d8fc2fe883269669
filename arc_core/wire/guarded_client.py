"""HTTP clients for components that ask servers that need not be trusted.

An SDK's client becomes one by inheritance, in a class of its own:

```python
class _HttpClient(GuardedAioHttpClient, openai.DefaultAioHttpClient):
    pass
```
"""

import ssl
from collections.abc import AsyncGenerator
from contextlib import aclosing
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any

import aiohttp
import httpx2

from arc_core.errors import InvalidResponseError, ModelUnavailableError
from arc_core.text.addresses import origin_of
from arc_core.wire.base_url import explain_unreadable_address, redact_addresses

__all__ = ["GuardedAioHttpClient", "GuardedClient"]


class GuardedClient(httpx2.AsyncClient):
    """Bounds every reply, follows no redirect, keeps no cookie, and logs no address.

    Args:
        max_reply_bytes: Of the body of one response, decompressed, whatever its status and whether
            it is streamed.
        setting: Where the address is set, for remedies.
        options: Those of the client that it is mixed into.
    """

    def __init__(self, *, max_reply_bytes: int, setting: str, **options: Any) -> None:
        no_cookies = CookieJar(DefaultCookiePolicy(allowed_domains=[]))
        with explain_unreadable_address(setting):
            super().__init__(**{**options, "cookies": no_cookies, "follow_redirects": False})
        self._max_reply_bytes, self._setting = max_reply_bytes, setting
        redact_addresses()

    def _merge_headers(self, headers: Any = None) -> list[tuple[bytes, bytes]]:
        """Those of a request over the client's own; httpx compares each name with each, twice."""
        given = httpx2.Headers(headers).raw
        names = {name.lower() for name, _ in given}
        return [pair for pair in self.headers.raw if pair[0].lower() not in names] + given

    async def send(
        self, request: httpx2.Request, *, stream: bool = False, **options: Any
    ) -> httpx2.Response:
        """The response to a request; its body is read unless it is streamed.

        Raises:
            ModelUnavailableError: The server redirects; trying again would not help.
            InvalidResponseError: The body is larger than allowed, or compressed more than once. A
                streamed response raises it while its body is read.
        """
        options["follow_redirects"] = False
        response = await super().send(request, stream=True, **options)
        try:
            self._check_head(response)
            bounded = _BoundedResponse(response, max_bytes=self._max_reply_bytes)
            if not stream:
                await bounded.aread()
        except BaseException:
            await response.aclose()
            raise
        return bounded

    def _check_head(self, response: httpx2.Response) -> None:
        if response.is_redirect:
            error = ModelUnavailableError(_redirect_message(response, self._setting))
            error.retryable = False  # the address stays wrong
            raise error
        # Each further decoder multiplies what one piece becomes before anything can be counted.
        if "," in response.headers.get("content-encoding", ""):
            raise InvalidResponseError(
                f"{origin_of(response.request.url)} sent a body that is compressed more than once"
            )


class GuardedAioHttpClient(GuardedClient):
    """The same on aiohttp, for the clients that the vendors' SDKs build on it.

    With a `base_url` of http, it asks no server by https but for proxies.
    """

    def _init_transport(self, *args: Any, **options: Any) -> httpx2.AsyncBaseTransport:
        if options.get("verify") is True and self.base_url.scheme == "http":
            # This one trusts no server, since none is asked for a certificate: to read those that
            # the system trusts takes longer than a run.
            options["verify"] = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        return _without_cookies(super()._init_transport(*args, **options))

    def _init_proxy_transport(self, *args: Any, **options: Any) -> httpx2.AsyncBaseTransport:
        return _without_cookies(super()._init_proxy_transport(*args, **options))


class _BoundedResponse(httpx2.Response):
    """Takes the place of a response whose body has not been read."""

    def __init__(self, response: httpx2.Response, *, max_bytes: int) -> None:
        super().__init__(
            response.status_code,
            headers=response.headers,
            stream=response.stream,
            request=response.request,
            extensions=response.extensions,
            default_encoding=response.default_encoding,
        )
        self.headers.encoding = response.headers.encoding  # spares reading all of them again
        self._max_bytes = max_bytes

    async def aiter_bytes(self, chunk_size: int | None = None) -> AsyncGenerator[bytes]:
        """The body, decompressed, as it comes."""
        is_as_sent = chunk_size is None and "content-encoding" not in self.headers
        if is_as_sent and not self.is_stream_consumed:
            pieces = self.aiter_raw()  # spares what decompressing costs a piece
        else:
            pieces = super().aiter_bytes(chunk_size)
        received = 0
        async with aclosing(pieces):
            async for piece in pieces:
                received += len(piece)
                if received > self._max_bytes:
                    raise InvalidResponseError(_too_large_message(self, self._max_bytes))
                yield piece


def _without_cookies(transport: httpx2.AsyncBaseTransport) -> httpx2.AsyncBaseTransport:
    """An SDK's aiohttp transport, whose session would keep cookies beside those of the client."""
    sdk_transport: Any = transport

    def make_session() -> aiohttp.ClientSession:
        limits: httpx2.Limits = sdk_transport.limits
        connector = aiohttp.TCPConnector(
            limit=limits.max_connections or 0,
            keepalive_timeout=limits.keepalive_expiry,
            ssl=sdk_transport.ssl_context,
        )
        return aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar())

    sdk_transport.client = make_session
    return transport


def _redirect_message(response: httpx2.Response, setting: str) -> str:
    target = response.next_request
    towards = "" if target is None else f" to {origin_of(target.url)}"
    return (
        f"{origin_of(response.request.url)} redirects{towards} (status {response.status_code}), "
        "and redirects are not followed, since they would send prompts to another address. "
        f"To fix it: set {setting} to the address of the server that answers"
    )


def _too_large_message(response: httpx2.Response, max_bytes: int) -> str:
    return (
        f"the reply of {origin_of(response.request.url)} has more than {max_bytes} bytes and was "
        "not read to its end. To fix it: raise llm.max_reply_bytes if the server may send so much"
    )
