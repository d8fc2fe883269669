"""From a vendor's refusal to a `ModelError`: statuses, headers, and what must not be printed."""

import math
import socket
import ssl
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from arc_core.errors import (
    AuthenticationError,
    ContextTooLongError,
    InvalidRequestError,
    ModelError,
    ModelOverloadedError,
    ModelTimeoutError,
    ModelUnavailableError,
    QuotaExceededError,
    RateLimitError,
)

__all__ = [
    "connection_failure",
    "error_of_status",
    "find_counterpart",
    "model_error",
    "own_error",
    "redact",
    "retry_after_s",
]


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
    return seconds if seconds is not None else _until(text, now)


def _number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return max(number, 0.0) if math.isfinite(number) else None


def _until(text: str | None, now: datetime) -> float | None:
    try:
        moment = parsedate_to_datetime(text or "")
    except ValueError:
        return None
    if moment.tzinfo is None:  # a zone of -0000 says "UTC, place unknown"
        moment = moment.replace(tzinfo=UTC)
    return max((moment - now).total_seconds(), 0.0)


_STATUSES: dict[int, type[ModelError]] = {
    401: AuthenticationError,
    402: QuotaExceededError,
    403: AuthenticationError,
    408: ModelTimeoutError,
    409: ModelUnavailableError,
    413: ContextTooLongError,
    429: RateLimitError,
    529: ModelOverloadedError,
}
_MAX_CHARS = 500
_MAX_CAUSES = 16
_MASK = "***"


def error_of_status(status: int) -> type[ModelError]:
    """Return the error that an HTTP status of 400 or more means."""
    otherwise = ModelUnavailableError if status >= 500 else InvalidRequestError
    return _STATUSES.get(status, otherwise)


def find_counterpart(
    error: Exception, table: Mapping[type[Exception], type[ModelError]]
) -> type[ModelError]:
    """The entry of the nearest ancestor of an exception's class; `table` needs `Exception`."""
    return next(table[cls] for cls in type(error).__mro__ if cls in table)


def own_error(error: Exception) -> ModelError | None:
    """The same as the error of Arc's that an SDK has wrapped, if there is one."""
    own = next((cause for cause in _causes(error) if isinstance(cause, ModelError)), None)
    if own is None:
        return None
    same = type(own)(str(own), retry_after_s=own.retry_after_s)
    same.retryable = own.retryable
    return same


def connection_failure(error: Exception) -> str | None:
    """Why no connection came about, in a few words, None if there is nothing more to say."""
    for cause in _causes(error):
        match cause:
            case ConnectionRefusedError():
                return "connection refused"
            case socket.gaierror():
                return "the name of the host is not known"
            case ssl.SSLCertVerificationError():
                return "the certificate of the host is not trusted"
            case ssl.SSLError():
                return "the host does not speak TLS as expected"
    return None


def _causes(error: BaseException) -> Iterator[BaseException]:
    """An exception and what it came from."""
    cause: BaseException | None = error
    for _ in range(_MAX_CAUSES):
        if cause is None:
            return
        yield cause
        cause = cause.__cause__ or cause.__context__


def model_error(
    error_type: type[ModelError], message: str, headers: Mapping[str, str] | None = None
) -> ModelError:
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
