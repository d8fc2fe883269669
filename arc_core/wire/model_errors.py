"""From a vendor's refusal, and what an SDK and the transport below it raise, to a `ModelError`."""

import math
import socket
import ssl
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, cast

import aiohttp
import httpx2

from arc_core import errors
from arc_core.text.addresses import origin_of
from arc_core.wire.payloads import json_value


def retry_after_s(headers: Mapping[str, str], *, now: datetime) -> float | None:
    """Seconds from `now` on, never negative; None if the vendor says nothing usable.

    Args:
        headers: Of the response, told apart without regard to case. `retry-after-ms` is
            milliseconds and goes first; `retry-after` is seconds or a date.
        now: With a time zone; dates are counted from here.
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    text = headers.get("retry-after")
    seconds = _number(text)
    if seconds is not None:
        return seconds
    try:
        moment = parsedate_to_datetime(text or "")
    except ValueError:
        return None
    if moment.tzinfo is None:  # a zone of -0000 says "UTC, place unknown"
        moment = moment.replace(tzinfo=UTC)
    return max((moment - now).total_seconds(), 0.0)


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return max(number, 0.0) if math.isfinite(number) else None


_STATUSES: dict[int, type[errors.ModelError]] = {
    401: errors.AuthenticationError,
    402: errors.QuotaExceededError,
    403: errors.AuthenticationError,
    408: errors.ModelTimeoutError,
    409: errors.ModelUnavailableError,
    413: errors.ContextTooLongError,
    429: errors.RateLimitError,
    529: errors.ModelOverloadedError,
}
_MAX_CHARS = 500
_MAX_CAUSES = 16
_MASK = "***"


def error_of_status(status: int) -> type[errors.ModelError]:
    """Return the error that an HTTP status of 400 or more means."""
    otherwise = errors.ModelUnavailableError if status >= 500 else errors.InvalidRequestError
    return _STATUSES.get(status, otherwise)


def find_counterpart(
    error: Exception, table: Mapping[type[Exception], type[errors.ModelError]]
) -> type[errors.ModelError]:
    """The entry of the nearest ancestor of an exception's class; `table` needs `Exception`."""
    return next(table[cls] for cls in type(error).__mro__ if cls in table)


def own_error(error: Exception) -> errors.ModelError | None:
    """The same as the error of Arc's that an SDK has wrapped, if there is one."""
    own = next((cause for cause in _causes(error) if isinstance(cause, errors.ModelError)), None)
    if own is None:
        return None
    same = type(own)(str(own), retry_after_s=own.retry_after_s)
    same.retryable = own.retryable
    return same


_CONNECTION_FAILURES: Mapping[type[BaseException], str] = {
    ConnectionRefusedError: "connection refused",
    socket.gaierror: "the name of the host is not known",
    ssl.SSLCertVerificationError: "the certificate of the host is not trusted",
    ssl.SSLError: "the host does not speak TLS as expected",
}


def connection_failure(error: Exception) -> str | None:
    """Why no connection came about, in a few words, None if there is nothing more to say."""
    classes = (cls for cause in _causes(error) for cls in type(cause).__mro__)
    return next((_CONNECTION_FAILURES[cls] for cls in classes if cls in _CONNECTION_FAILURES), None)


def _causes(error: BaseException) -> Iterator[BaseException]:
    """An exception and what it came from."""
    cause: BaseException | None = error
    for _ in range(_MAX_CAUSES):
        if cause is None:
            return
        yield cause
        cause = cause.__cause__ or cause.__context__


def model_error(
    error_type: type[errors.ModelError], message: str, headers: Mapping[str, str] | None = None
) -> errors.ModelError:
    """An error that waits and retries as the headers of the response say."""
    headers = headers or {}
    error = error_type(
        message[:_MAX_CHARS], retry_after_s=retry_after_s(headers, now=datetime.now(UTC))
    )
    should_retry = headers.get("x-should-retry")
    if should_retry in {"true", "false"}:
        error.retryable = should_retry == "true"
    return error


def redact(error: Exception, secret: str | None) -> str:
    """The text of an exception without `secret`, which is taken out of the exception too.

    Servers echo keys, and the exception is logged as the cause of ours.
    """
    if secret and secret in str(error):
        error.args = tuple(
            argument.replace(secret, _MASK) if isinstance(argument, str) else argument
            for argument in error.args
        )
    return str(error).replace(secret, _MASK) if secret else str(error)


TRANSPORT_COUNTERPARTS: Mapping[type[Exception], type[errors.ModelError]] = {
    httpx2.HTTPError: errors.ModelUnavailableError,
    httpx2.StreamError: errors.ModelUnavailableError,
    httpx2.TimeoutException: errors.ModelTimeoutError,
    httpx2.DecodingError: errors.InvalidResponseError,
    httpx2.UnsupportedProtocol: errors.InvalidRequestError,
    httpx2.InvalidURL: errors.InvalidRequestError,
    aiohttp.ClientError: errors.ModelUnavailableError,
    OSError: errors.ModelUnavailableError,
    TimeoutError: errors.ModelTimeoutError,
    ValueError: errors.ModelUnavailableError,  # a proxy's page, or JSON that breaks off
    Exception: errors.InvalidResponseError,  # JSON without the form it should have
}
"""For what the SDKs let through, in the middle of a stream for instance."""


_WITHOUT_FORM = (LookupError, TypeError, AttributeError)  # of reading JSON


class PayloadError(Exception):
    """An error that came as an event or a body, with a status of success.

    Attributes:
        payload: As it came.
        codes: The payload's `code` and `type`, as far as it has them.
    """

    def __init__(self, payload: object) -> None:
        self.payload = payload
        facts: Mapping[str, Any] = payload if isinstance(payload, Mapping) else {"message": payload}
        self.codes = [str(facts[key]) for key in ("code", "type") if facts.get(key) is not None]
        super().__init__(" ".join(["Error:", *self.codes, "-", str(facts.get("message"))]))


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorBody:
    """Facts in the body of an error that its exception lacks.

    Attributes:
        message: The vendor's, if the exception's text has it not.
        retry_after_s: Seconds to wait, for a vendor that says so in no header.
    """

    message: str | None = None
    retry_after_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class VendorErrors:
    """The errors of one vendor, translated.

    Attributes:
        vendor: Its name, as metrics, spans and messages have it.
        counterparts: Of the SDK's exceptions. What counts for a class is the entry of its nearest
            ancestor, here or in `TRANSPORT_COUNTERPARTS`.
        status_error: The root of the exceptions that have a `response`.
        connection_error: The root of the exceptions that have a `request` and no response.
        type_of: What is more precise than the class, from an exception and its text: a status, or
            a code of the vendor's; None leaves it to the class.
        hint_of: What is worth a look, from a `status_error`; behind the message.
        body_of: What an SDK does not read of a body.
        section: Of the settings, in which the address stands that remedies name.
    """

    vendor: str
    counterparts: Mapping[type[Exception], type[errors.ModelError]] = field(
        default_factory=lambda: {httpx2.HTTPStatusError: errors.InvalidRequestError}
    )
    status_error: type[Exception] = httpx2.HTTPStatusError
    connection_error: type[Exception] = httpx2.TransportError
    type_of: Callable[[Exception, str], type[errors.ModelError] | None]
    hint_of: Callable[[Any], str]
    body_of: Callable[[Exception], ErrorBody] = lambda _: ErrorBody()
    section: str = "llm"

    def translate(
        self, error: Exception, *, secret: str | None, address: str = "base_url"
    ) -> errors.ModelError:
        """The counterpart of an exception; `secret` is kept out of its text and its cause's.

        Args:
            error: Of the SDK, the transport, or raised while a payload was read.
            secret: The API key.
            address: The setting of the section that says where the server is.
        """
        own = own_error(error)
        if own is not None:
            return own
        body, said = self.body_of(error), redact(error, secret)
        if body.message:
            said = f"{said} - {redact(Exception(body.message), secret)}"
        if isinstance(error, _WITHOUT_FORM):
            said = (
                f"the reply is not in the form of this API ({type(error).__name__}: {said}). "
                f"To fix it: check that the server at {self.section}.base_url speaks this API"
            )
        text = f"{self.vendor}: {said}"
        error_type = self.type_of(error, text) or self._find_counterpart(error)
        headers, facts = None, cast("Any", error)
        if isinstance(error, self.status_error):
            text, headers = text + self.hint_of(error), facts.response.headers
        elif isinstance(error, self.connection_error):
            text = self._connection_text(error, text, address)
        translated = model_error(error_type, text, headers)
        if translated.retry_after_s is None:
            translated.retry_after_s = body.retry_after_s
        return translated

    def _find_counterpart(self, error: Exception) -> type[errors.ModelError]:
        counterpart = find_counterpart(error, {**TRANSPORT_COUNTERPARTS, **self.counterparts})
        if counterpart is errors.ModelTimeoutError and any(
            isinstance(cause, aiohttp.ClientConnectionError) and not isinstance(cause, TimeoutError)
            for cause in _causes(error)
        ):  # the aiohttp backend reports a lost connection as a time-out
            return errors.ModelUnavailableError
        return counterpart

    def _connection_text(self, error: Exception, text: str, address: str) -> str:
        try:
            server = origin_of(cast("Any", error).request.url)
        except RuntimeError:  # of httpx, for an exception that no client has raised
            return text
        reason = connection_failure(error)
        if reason is None:
            return f"{text} ({server})"
        return (
            f"{self.vendor}: {server} cannot be reached: {reason}. "
            f"To fix it: start the server there, or correct {self.section}.{address}"
        )


def unwrap(payload: Any) -> Any:
    """The only entry of a list of one, as Google sends errors; anything else as it is."""
    return payload[0] if isinstance(payload, list) and len(payload) == 1 else payload


def find_facts(body: Any) -> Mapping[str, Any]:
    """The `error` of a body, else all of it; empty if that is not an object."""
    body = unwrap(body)
    facts = body.get("error", body) if isinstance(body, Mapping) else None
    return facts if isinstance(facts, Mapping) else {}


def read_facts(error: Exception) -> Mapping[str, Any]:
    """The facts of an error that came as a body or an event; empty if there are none."""
    if isinstance(error, PayloadError):
        return error.payload if isinstance(error.payload, Mapping) else {}
    if not isinstance(error, httpx2.HTTPStatusError):
        return {}
    try:
        return find_facts(json_value(error.response.content))
    except (ValueError, RuntimeError):  # a proxy's page, or a body that was not read
        return {}


def list_details(facts: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The `details` that are objects."""
    details = facts.get("details")
    for detail in details if isinstance(details, list) else ():
        if isinstance(detail, Mapping):
            yield detail


def find_retry_delay(facts: Mapping[str, Any]) -> float | None:
    """Seconds to wait, as Google says them in a detail, `"2.5s"`; None if none does."""
    for detail in list_details(facts):
        try:
            return float(str(detail["retryDelay"]).removesuffix("s"))
        except (KeyError, ValueError):
            continue
    return None


def read_body(error: Exception) -> ErrorBody:
    """The message, which the exception lacks, and when to try again."""
    facts = read_facts(error)
    message = facts.get("message")
    if isinstance(error, httpx2.HTTPStatusError) and not isinstance(message, str):
        message = error.response.text.strip()
    is_new = isinstance(message, str) and not isinstance(error, PayloadError)
    return ErrorBody(message=message if is_new else None, retry_after_s=find_retry_delay(facts))
