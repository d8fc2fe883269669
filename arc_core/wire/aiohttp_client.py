"""A guarded client on aiohttp: a piece of a stream costs half as much as by httpx alone."""

import ssl
from base64 import b64encode
from collections.abc import Mapping
from typing import Any, Self

import aiohttp
import httpx2

from arc_core.wire.guarded_client import GuardedClient

# Of one exception, the first that fits.
_COUNTERPARTS: tuple[tuple[type[Exception], type[httpx2.TransportError]], ...] = (
    (aiohttp.SocketTimeoutError, httpx2.ReadTimeout),
    (aiohttp.ServerTimeoutError, httpx2.ConnectTimeout),
    (aiohttp.ClientProxyConnectionError, httpx2.ProxyError),
    (aiohttp.ClientHttpProxyError, httpx2.ProxyError),
    (aiohttp.ClientConnectorError, httpx2.ConnectError),
    (aiohttp.InvalidURL, httpx2.UnsupportedProtocol),
    (aiohttp.ClientError, httpx2.ReadError),
)

# Of headers; of another text, aiohttp makes two more for each request, and keeps them meanwhile.
_NAMES = {each.lower(): each for each in vars(aiohttp.hdrs).values() if isinstance(each, str)}

# As the vendors' SDKs have them: a stream holds its connection for as long as it takes.
_LIMITS = httpx2.Limits(max_connections=1_000, max_keepalive_connections=100)


class AioHttpClient(GuardedClient):
    """Sends its requests through aiohttp, by HTTP/1.1, up to 1 000 at once unless told otherwise.

    With a `base_url` of http, it asks no server by https but for proxies.

    Args:
        limits: Of connections.
        options: Those of `GuardedClient`.
    """

    def __init__(self, *, limits: httpx2.Limits = _LIMITS, **options: Any) -> None:
        super().__init__(limits=limits, **options)

    def _init_transport(self, *args: Any, **options: Any) -> httpx2.AsyncBaseTransport:
        if options.get("verify") is True and self.base_url.scheme == "http":
            # This one trusts no server, since none is asked for a certificate: to read those that
            # the system trusts takes longer than a run.
            options["verify"] = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        return _AioHttpTransport(options)

    def _init_proxy_transport(
        self, proxy: httpx2.Proxy, *args: Any, **options: Any
    ) -> httpx2.AsyncBaseTransport:
        return _AioHttpTransport(options, proxy=proxy)


class _AioHttpTransport(httpx2.AsyncBaseTransport):
    """Makes its session at the first request, on the event loop of that.

    Args:
        options: Those of httpx for a transport.
        proxy: None if there is none.
    """

    def __init__(self, options: Mapping[str, Any], *, proxy: httpx2.Proxy | None = None) -> None:
        self._limits: httpx2.Limits = options["limits"]
        self._ssl_context = _make_ssl_context(
            verify=options["verify"], trust_env=options["trust_env"]
        )
        self._session: aiohttp.ClientSession | None = None
        self._proxy: dict[str, Any] = {} if proxy is None else _describe_proxy(proxy)

    def _open_session(self) -> aiohttp.ClientSession:
        connector = aiohttp.TCPConnector(
            limit=self._limits.max_connections or 0,
            keepalive_timeout=self._limits.keepalive_expiry,
            ssl=self._ssl_context,
        )
        return aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar())

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        if self._session is None:
            self._session = self._open_session()
        timeout = request.extensions.get("timeout", {})
        try:
            response = await self._session.request(
                request.method,
                str(request.url),
                headers=[
                    (_NAMES.get(key, key), text) for key, text in request.headers.multi_items()
                ],
                data=request.content or None,
                allow_redirects=False,
                auto_decompress=False,
                timeout=aiohttp.ClientTimeout(
                    connect=timeout.get("pool"),
                    sock_connect=timeout.get("connect"),
                    sock_read=timeout.get("read"),
                ),
                **self._proxy,
            )
        except aiohttp.ClientError as error:
            raise _translate(error) from error
        return httpx2.Response(
            response.status,
            headers=list(response.raw_headers),
            stream=_Body(response),
            extensions={"http_version": b"HTTP/1.1"},
        )

    async def aclose(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            await session.close()


def _make_ssl_context(*, verify: ssl.SSLContext | str | bool, trust_env: bool) -> ssl.SSLContext:
    if isinstance(verify, ssl.SSLContext):  # to have it returned, httpx imports its own transport
        return verify
    return httpx2.create_ssl_context(verify=verify, trust_env=trust_env)


def _describe_proxy(proxy: httpx2.Proxy) -> dict[str, Any]:
    headers = dict(proxy.headers)
    if proxy.auth is not None:  # aiohttp makes it Proxy-Authorization
        pair = b64encode(":".join(proxy.auth).encode()).decode("ascii")
        headers["Authorization"] = f"Basic {pair}"
    return {"proxy": str(proxy.url), "proxy_headers": headers}


_FIRST_BYTES = 4_096
"""Of a body that is there at once; its reader gets the first piece before the rest is read."""


class _Body(httpx2.AsyncByteStream):
    """The body of a response, as it comes; no generator, which takes more memory while it waits."""

    def __init__(self, response: aiohttp.ClientResponse) -> None:
        self._response, self._has_begun = response, False

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> bytes:
        content, has_begun, self._has_begun = self._response.content, self._has_begun, True
        try:
            piece = await (content.readany() if has_begun else content.read(_FIRST_BYTES))
        except aiohttp.ClientError as error:
            raise _translate(error) from error
        if not piece:
            raise StopAsyncIteration
        return piece

    async def aclose(self) -> None:
        self._response.release()


def _translate(error: aiohttp.ClientError) -> httpx2.TransportError:
    counterpart = next(own for known, own in _COUNTERPARTS if isinstance(error, known))
    return counterpart(str(error))
