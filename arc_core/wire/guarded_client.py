"""HTTP clients for components that ask servers that need not be trusted.

Addresses are checked for what they must not hold, and stand in logs without their secrets.
"""

import logging
import re
import traceback
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing, contextmanager
from functools import lru_cache
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any

import httpx2

from arc_core.errors import ConfigurationError, InvalidResponseError, ModelUnavailableError
from arc_core.text.addresses import AddressParts, cut_addresses, origin_of


def check_base_url(address: AddressParts, *, setting: str, key_variable: str) -> None:
    """See that an address has no user name and no password, which would travel in the key's place.

    Args:
        address: Where requests will be sent.
        setting: Where it is set, for the remedy.
        key_variable: The environment variable for the key.

    Raises:
        ConfigurationError: It has one of them; the error tells neither.
    """
    if address.userinfo:
        raise ConfigurationError(
            f"{setting} holds a user name or a password for {origin_of(address)}, and they cannot "
            "be sent, since the key is sent in their place",
            remedy=f"take them out of {setting}, and set {key_variable} or "
            f"{setting.rpartition('.')[0]}.api_key to the key of that server",
        )


@contextmanager
def explain_unreadable_address(setting: str) -> Iterator[None]:
    """Say of an address that a client cannot read where it is set, and nothing that it holds.

    Variables of the environment name addresses, too, which only the client reads. Its error repeats
    what it could not read, which may be a password.

    Args:
        setting: Where the address is set, if it is not a variable.

    Raises:
        ConfigurationError: The client has not read an address.
    """
    try:
        yield
    except httpx2.InvalidURL:
        raise ConfigurationError(
            f"{setting}, or a variable of the environment that names a server or a proxy, is not "
            "an address",
            remedy="write it as https://host:port/path, special characters of a user and a "
            "password as %XX; variables such as OPENAI_BASE_URL and HTTPS_PROXY count, too",
        ) from None


_LIBRARIES = ("aiohttp", "anthropic", "httpcore2", "httpx2", "mcp", "openai")
_TRACED_VALUE = re.compile(r" return_value=.*", re.DOTALL)  # headers of responses among them
_HEADERS = re.compile(r"\bHeaders\(\{.*", re.DOTALL)  # cookies, and where a redirect leads
_MASK = "***"
_MAX_PATHS = 32
_NO_BODY = httpx2.ByteStream(b"")


def redact_addresses() -> None:
    """Have the loggers of all HTTP libraries tell an address by scheme, host and port alone.

    A filter counts for the logger it is added to and not for those below, so that it is added to
    every logger that the libraries have made so far: call it once they are imported.
    """
    for name in (*_LIBRARIES, *logging.root.manager.loggerDict):
        if name.partition(".")[0] in _LIBRARIES:
            logging.getLogger(name).addFilter(_redact_record)


def _redact_record(record: logging.LogRecord) -> bool:
    try:
        message = record.getMessage()
    except (TypeError, ValueError):
        return True  # arguments that do not fit the message: the handler reports that
    redacted = _HEADERS.sub(f"Headers({_MASK})", cut_addresses(message))
    if record.name.startswith("httpcore2"):
        redacted = _TRACED_VALUE.sub("", redacted)
    if redacted != message:
        record.msg, record.args = redacted, None
    if record.exc_info and record.exc_info[0] is not None:
        text = "".join(traceback.format_exception(*record.exc_info)).rstrip()
        redacted = cut_addresses(text)
        if redacted != text:
            record.exc_info, record.exc_text = None, redacted
    return True


class GuardedClient(httpx2.AsyncClient):
    """Bounds every reply, follows no redirect, keeps no cookie, and logs no address.

    Args:
        max_reply_bytes: Of the body of one response, decompressed, whatever its status and whether
            it is streamed.
        setting: Where the address is set, for remedies.
        options: Those of httpx.
    """

    def __init__(self, *, max_reply_bytes: int, setting: str, **options: Any) -> None:
        no_cookies = CookieJar(DefaultCookiePolicy(allowed_domains=[]))
        with explain_unreadable_address(setting):
            super().__init__(**{**options, "cookies": no_cookies, "follow_redirects": False})
        self._max_reply_bytes, self._setting = max_reply_bytes, setting
        self._merge_path = lru_cache(_MAX_PATHS)(super()._merge_url)
        redact_addresses()

    def _merge_url(self, url: httpx2.URL | str) -> httpx2.URL:
        """The address of a request; httpx takes all of it apart twice for each, and they are few.

        Of a client whose base URL stays the same once it has sent a request.
        """
        return self._merge_path(url) if isinstance(url, str) else super()._merge_url(url)

    def _merge_headers(self, headers: Any = None) -> list[tuple[bytes, bytes]]:
        """Those of a request over the client's own; httpx compares each name with each, twice."""
        given = httpx2.Headers(headers).raw
        names = {name.lower() for name, _ in given}
        return [pair for pair in self.headers.raw if pair[0].lower() not in names] + given

    async def send(
        self, request: httpx2.Request, *, stream: bool = False, **options: Any
    ) -> httpx2.Response:
        """The response to a request; its body is read unless it is streamed.

        The `request` of a streamed success has no body and no headers: they may be long, and would
        take memory until the last piece has come.

        Raises:
            ModelUnavailableError: The server redirects; trying again would not help.
            InvalidResponseError: The body is larger than allowed, or compressed more than once. A
                streamed response raises it while its body is read.
        """
        options["follow_redirects"] = False
        response = await super().send(request, stream=True, **options)
        try:
            self._check_head(response)
            if stream and response.is_success:
                response.request = httpx2.Request(request.method, request.url, stream=_NO_BODY)
            bounded = _BoundedResponse(response, max_bytes=self._max_reply_bytes)
            if not stream:
                await bounded.aread()
        except BaseException:
            await response.aclose()
            raise
        return bounded

    def _check_head(self, response: httpx2.Response) -> None:
        if response.is_redirect:
            target = response.next_request
            towards = "" if target is None else f" to {origin_of(target.url)}"
            error = ModelUnavailableError(
                f"{origin_of(response.request.url)} redirects{towards} (status "
                f"{response.status_code}), and redirects are not followed, since they would send "
                f"prompts to another address. To fix it: set {self._setting} to the address of the "
                "server that answers"
            )
            error.retryable = False  # the address stays wrong
            raise error
        # Each further decoder multiplies what one piece becomes before anything can be counted.
        if "," in response.headers.get("content-encoding", ""):
            raise InvalidResponseError(
                f"{origin_of(response.request.url)} sent a body that is compressed more than once"
            )


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
        # Without the stream of httpx around it, which only passes each piece on.
        self._as_sent: Any = getattr(response.stream, "_stream", response.stream)

    async def aiter_bytes(self, chunk_size: int | None = None) -> AsyncGenerator[bytes]:
        """The body, decompressed, as it comes."""
        is_as_sent = chunk_size is None and "content-encoding" not in self.headers
        if is_as_sent and not self.is_stream_consumed and not self.is_closed:
            self.is_stream_consumed = True
            pieces = aiter(self._as_sent)  # spares what decompressing costs a piece
        else:
            pieces = super().aiter_bytes(chunk_size)
        received = 0
        try:
            async with aclosing(self), aclosing(pieces):
                async for piece in pieces:
                    received += len(piece)
                    if received > self._max_bytes:
                        raise InvalidResponseError(
                            f"the reply of {origin_of(self.request.url)} has more than "
                            f"{self._max_bytes} bytes and was not read to its end. To fix it: "
                            "raise llm.max_reply_bytes if the server may send so much"
                        )
                    yield piece
        except httpx2.RequestError as error:
            error.request = self.request
            raise
