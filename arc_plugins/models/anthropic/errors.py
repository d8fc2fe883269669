"""Anthropic's errors, and those of the transport below its SDK, in Arc's words."""

import re
from collections.abc import Mapping
from typing import Any

import aiohttp
import anthropic
import httpx2
from anthropic.lib.credentials import WorkloadIdentityError

from arc_core import (
    AuthenticationError,
    ContextTooLongError,
    InvalidRequestError,
    InvalidResponseError,
    ModelError,
    ModelOverloadedError,
    ModelTimeoutError,
    ModelUnavailableError,
    QuotaExceededError,
    RateLimitError,
)
from arc_core.wire import (
    connection_failure,
    counterpart_of,
    error_of_status,
    model_error,
    origin_of,
    own_error,
    redact,
)

__all__ = ["COUNTERPARTS", "PayloadError", "translate"]

COUNTERPARTS: dict[type[Exception], type[ModelError]] = {
    anthropic.AnthropicError: InvalidRequestError,
    anthropic.APIError: ModelUnavailableError,
    anthropic.APIConnectionError: ModelUnavailableError,
    anthropic.APITimeoutError: ModelTimeoutError,
    anthropic.APIResponseValidationError: InvalidResponseError,
    anthropic.APIStatusError: InvalidRequestError,
    anthropic.AuthenticationError: AuthenticationError,
    anthropic.BadRequestError: InvalidRequestError,
    anthropic.ClientClosedRequestError: ModelUnavailableError,
    anthropic.ConflictError: ModelUnavailableError,
    anthropic.ContentTooLargeError: ContextTooLongError,
    anthropic.CredentialsError: AuthenticationError,
    anthropic.InternalServerError: ModelUnavailableError,
    anthropic.NotFoundError: InvalidRequestError,
    anthropic.OverloadedError: ModelOverloadedError,
    anthropic.PaymentRequiredError: QuotaExceededError,
    anthropic.PermissionDeniedError: AuthenticationError,
    anthropic.PreconditionFailedError: InvalidRequestError,
    anthropic.RateLimitError: RateLimitError,
    anthropic.ContractSpendLimitReachedError: QuotaExceededError,
    anthropic.EnforcedSpendLimitReachedError: QuotaExceededError,
    anthropic.RampLimitExceededError: QuotaExceededError,
    anthropic.RequestHeaderFieldsTooLargeError: InvalidRequestError,
    anthropic.RequestTimeoutError: ModelTimeoutError,
    anthropic.RetryableError: ModelUnavailableError,
    anthropic.UnprocessableEntityError: InvalidRequestError,
    WorkloadIdentityError: AuthenticationError,
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
"""The counterpart of a class is that of its nearest ancestor here."""

_TYPES: dict[str, type[ModelError]] = {
    "authentication_error": AuthenticationError,
    "billing_error": QuotaExceededError,
    "invalid_request_error": InvalidRequestError,
    "not_found_error": InvalidRequestError,
    "overloaded_error": ModelOverloadedError,
    "permission_error": AuthenticationError,
    "rate_limit_error": RateLimitError,
    "request_too_large": ContextTooLongError,
    "timeout_error": ModelTimeoutError,
}

# The API has no code for it; these two forms of its message are documented.
_CONTEXT_TOO_LONG = re.compile(
    r"prompt is too long: \d+ tokens > \d+ maximum"
    r"|input length and `max_tokens` exceed context limit"
)


class PayloadError(Exception):
    """An error that came as an event or a body, with a status of success.

    Attributes:
        error_type: The payload's `type`, empty where it has none.
    """

    def __init__(self, payload: object) -> None:
        facts: Mapping[str, Any] = payload if isinstance(payload, Mapping) else {"message": payload}
        self.error_type = str(facts.get("type") or "")
        super().__init__(f"Error: {self.error_type} - {facts.get('message')}")


def translate(error: Exception, *, secret: str | None) -> ModelError:
    """The counterpart of an exception; `secret` is kept out of its text and its cause's.

    Args:
        error: Of the SDK, the transport, or raised while a payload was read.
        secret: The API key.
    """
    own = own_error(error)
    return _counterpart(error, f"anthropic: {redact(error, secret)}") if own is None else own


def _counterpart(error: Exception, text: str) -> ModelError:
    match error:
        case PayloadError() | anthropic.BadRequestError() if _CONTEXT_TOO_LONG.search(text):
            return model_error(ContextTooLongError, text)
        case PayloadError():
            return model_error(_TYPES.get(error.error_type, ModelUnavailableError), text)
        case anthropic.APIStatusError():
            is_listed = type(error) is not anthropic.APIStatusError
            error_type = (
                counterpart_of(error, COUNTERPARTS)
                if is_listed
                else error_of_status(error.status_code)
            )
            return model_error(error_type, text + _hint_of(error), error.response.headers)
        case anthropic.APIConnectionError():
            return model_error(counterpart_of(error, COUNTERPARTS), _connection_text(error, text))
        case _:
            return model_error(counterpart_of(error, COUNTERPARTS), text)


def _connection_text(error: anthropic.APIConnectionError, text: str) -> str:
    reason = connection_failure(error)
    if reason is None:
        return f"{text} ({origin_of(error.request.url)})"
    return (
        f"anthropic: {origin_of(error.request.url)} cannot be reached: {reason}. "
        "To fix it: start the server there, or correct llm.base_url"
    )


def _hint_of(error: anthropic.APIStatusError) -> str:
    """What is worth a look when nothing of the API is at the address that was asked."""
    if not isinstance(error, anthropic.NotFoundError) or isinstance(error.body, Mapping):
        return ""
    return (
        f" (asked {origin_of(error.request.url)}). To fix it: correct llm.base_url, to which "
        "/v1/messages is added"
    )
