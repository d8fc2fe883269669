"""Anthropic's errors in Arc's words."""

import re
from collections.abc import Mapping

import anthropic
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
from arc_core.wire import error_of_status, origin_of
from arc_core.wire.http_chat_model import PayloadError, VendorErrors

_COUNTERPARTS: dict[type[Exception], type[ModelError]] = {
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
}

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


def _find_type(error: Exception, text: str) -> type[ModelError] | None:
    """Find the type by the vendor's words, or by the status if the SDK has no class for it."""
    match error:
        case PayloadError() | anthropic.BadRequestError() if _CONTEXT_TOO_LONG.search(text):
            return ContextTooLongError
        case PayloadError():
            return next(filter(None, map(_TYPES.get, error.codes)), ModelUnavailableError)
        case anthropic.APIStatusError() if type(error) is anthropic.APIStatusError:
            return error_of_status(error.status_code)
        case _:
            return None


def _write_hint(error: anthropic.APIStatusError) -> str:
    """Write a hint for an address at which there is nothing of the API."""
    if not isinstance(error, anthropic.NotFoundError) or isinstance(error.body, Mapping):
        return ""
    return (
        f" (asked {origin_of(error.request.url)}). To fix it: correct llm.base_url, to which "
        "/v1/messages is added"
    )


ERRORS = VendorErrors(
    vendor="anthropic",
    counterparts=_COUNTERPARTS,
    status_error=anthropic.APIStatusError,
    connection_error=anthropic.APIConnectionError,
    type_of=_find_type,
    hint_of=_write_hint,
)
