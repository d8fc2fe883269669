"""Anthropic's errors in Arc's words."""

import re
from collections.abc import Mapping

import anthropic
from anthropic.lib.credentials import WorkloadIdentityError

from arc_core import errors
from arc_core.wire import error_of_status, origin_of
from arc_core.wire.http_chat_model import PayloadError, VendorErrors

_COUNTERPARTS: dict[type[Exception], type[errors.ModelError]] = {
    anthropic.AnthropicError: errors.InvalidRequestError,
    anthropic.APIError: errors.ModelUnavailableError,
    anthropic.APIConnectionError: errors.ModelUnavailableError,
    anthropic.APITimeoutError: errors.ModelTimeoutError,
    anthropic.APIResponseValidationError: errors.InvalidResponseError,
    anthropic.APIStatusError: errors.InvalidRequestError,
    anthropic.AuthenticationError: errors.AuthenticationError,
    anthropic.BadRequestError: errors.InvalidRequestError,
    anthropic.ClientClosedRequestError: errors.ModelUnavailableError,
    anthropic.ConflictError: errors.ModelUnavailableError,
    anthropic.ContentTooLargeError: errors.ContextTooLongError,
    anthropic.CredentialsError: errors.AuthenticationError,
    anthropic.InternalServerError: errors.ModelUnavailableError,
    anthropic.NotFoundError: errors.InvalidRequestError,
    anthropic.OverloadedError: errors.ModelOverloadedError,
    anthropic.PaymentRequiredError: errors.QuotaExceededError,
    anthropic.PermissionDeniedError: errors.AuthenticationError,
    anthropic.PreconditionFailedError: errors.InvalidRequestError,
    anthropic.RateLimitError: errors.RateLimitError,
    anthropic.ContractSpendLimitReachedError: errors.QuotaExceededError,
    anthropic.EnforcedSpendLimitReachedError: errors.QuotaExceededError,
    anthropic.RampLimitExceededError: errors.QuotaExceededError,
    anthropic.RequestHeaderFieldsTooLargeError: errors.InvalidRequestError,
    anthropic.RequestTimeoutError: errors.ModelTimeoutError,
    anthropic.RetryableError: errors.ModelUnavailableError,
    anthropic.UnprocessableEntityError: errors.InvalidRequestError,
    WorkloadIdentityError: errors.AuthenticationError,
}

_TYPES: dict[str, type[errors.ModelError]] = {
    "authentication_error": errors.AuthenticationError,
    "billing_error": errors.QuotaExceededError,
    "invalid_request_error": errors.InvalidRequestError,
    "not_found_error": errors.InvalidRequestError,
    "overloaded_error": errors.ModelOverloadedError,
    "permission_error": errors.AuthenticationError,
    "rate_limit_error": errors.RateLimitError,
    "request_too_large": errors.ContextTooLongError,
    "timeout_error": errors.ModelTimeoutError,
}

# The API has no code for it; these two forms of its message are documented.
_CONTEXT_TOO_LONG = re.compile(
    r"prompt is too long: \d+ tokens > \d+ maximum"
    r"|input length and `max_tokens` exceed context limit"
)


def _find_type(error: Exception, text: str) -> type[errors.ModelError] | None:
    """Find the type by the vendor's words, or by the status if the SDK has no class for it."""
    match error:
        case PayloadError() | anthropic.BadRequestError() if _CONTEXT_TOO_LONG.search(text):
            return errors.ContextTooLongError
        case PayloadError():
            return next(filter(None, map(_TYPES.get, error.codes)), errors.ModelUnavailableError)
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
