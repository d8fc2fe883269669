"""From what an SDK raises, and the transport below it, to a `ModelError`."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import aiohttp
import httpx2

from arc_core.errors import (
    InvalidRequestError,
    InvalidResponseError,
    ModelError,
    ModelTimeoutError,
    ModelUnavailableError,
)
from arc_core.text.addresses import origin_of
from arc_core.wire.model_errors import (
    connection_failure,
    find_counterpart,
    model_error,
    own_error,
    redact,
)

__all__ = ["TRANSPORT_COUNTERPARTS", "ErrorBody", "PayloadError", "VendorErrors"]

TRANSPORT_COUNTERPARTS: Mapping[type[Exception], type[ModelError]] = {
    httpx2.HTTPError: ModelUnavailableError,
    httpx2.StreamError: ModelUnavailableError,
    httpx2.TimeoutException: ModelTimeoutError,
    httpx2.DecodingError: InvalidResponseError,
    httpx2.UnsupportedProtocol: InvalidRequestError,
    httpx2.InvalidURL: InvalidRequestError,
    aiohttp.ClientError: ModelUnavailableError,
    OSError: ModelUnavailableError,
    TimeoutError: ModelTimeoutError,
    ValueError: ModelUnavailableError,  # a proxy's page, or JSON that breaks off
    Exception: InvalidResponseError,  # JSON without the form it should have
}
"""For what the SDKs let through, in the middle of a stream for instance."""


_WITHOUT_FORM = (LookupError, TypeError, AttributeError)
"""The errors of reading JSON that does not have the form it should have."""


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
    """

    vendor: str
    counterparts: Mapping[type[Exception], type[ModelError]]
    status_error: type[Exception]
    connection_error: type[Exception]
    type_of: Callable[[Exception, str], type[ModelError] | None]
    hint_of: Callable[[Any], str]
    body_of: Callable[[Exception], ErrorBody] = lambda _: ErrorBody()

    def translate(self, error: Exception, *, secret: str | None) -> ModelError:
        """The counterpart of an exception; `secret` is kept out of its text and its cause's.

        Args:
            error: Of the SDK, the transport, or raised while a payload was read.
            secret: The API key.
        """
        own = own_error(error)
        if own is not None:
            return own
        body = self.body_of(error)
        translated = self._translate(error, body, secret=secret)
        if translated.retry_after_s is None:
            translated.retry_after_s = body.retry_after_s
        return translated

    def _translate(self, error: Exception, body: ErrorBody, *, secret: str | None) -> ModelError:
        said = redact(error, secret)
        if body.message:
            said = f"{said} - {redact(Exception(body.message), secret)}"
        if isinstance(error, _WITHOUT_FORM):
            said = (
                f"the reply is not in the form of this API ({type(error).__name__}: {said}). "
                "To fix it: check that the server at llm.base_url speaks this API"
            )
        text = f"{self.vendor}: {said}"
        error_type = self.type_of(error, text) or self.class_counterpart(error)
        facts: Any = error
        if isinstance(error, self.status_error):
            return model_error(error_type, text + self.hint_of(error), facts.response.headers)
        if isinstance(error, self.connection_error):
            text = self._connection_text(error, facts.request.url, text)
        return model_error(error_type, text)

    def class_counterpart(self, error: Exception) -> type[ModelError]:
        """Read the class of an exception alone."""
        counterpart = find_counterpart(error, {**TRANSPORT_COUNTERPARTS, **self.counterparts})
        is_misnamed = counterpart is ModelTimeoutError and _was_disconnected(error)
        return ModelUnavailableError if is_misnamed else counterpart

    def _connection_text(self, error: Exception, url: httpx2.URL, text: str) -> str:
        reason = connection_failure(error)
        if reason is None:
            return f"{text} ({origin_of(url)})"
        return (
            f"{self.vendor}: {origin_of(url)} cannot be reached: {reason}. "
            "To fix it: start the server there, or correct llm.base_url"
        )


def _was_disconnected(error: BaseException) -> bool:
    """True for a lost connection, which the aiohttp backend reports as a time-out."""
    return any(
        isinstance(cause, aiohttp.ClientConnectionError) and not isinstance(cause, TimeoutError)
        for cause in _causes(error)
    )


def _causes(error: BaseException) -> Iterator[BaseException]:
    cause = error.__cause__
    while cause is not None:
        yield cause
        cause = cause.__cause__
