"""Anthropic's errors in Arc's words."""

import re
from typing import Any

import httpx2

from arc_core import errors
from arc_core.wire import error_of_status, origin_of
from arc_core.wire.http_chat_model import PayloadError, VendorErrors, read_body, read_facts

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
_SPENT = frozenset({
    "contract_spend_limit_reached", "enforced_spend_limit_reached", "ramp_limit_exceeded",
})  # fmt: skip
_CLIENT_CLOSED_REQUEST, _NOT_FOUND = 499, 404

# The API has no code for it; these two forms of its message are documented.
_CONTEXT_TOO_LONG = re.compile(
    r"prompt is too long: \d+ tokens > \d+ maximum"
    r"|input length and `max_tokens` exceed context limit"
)


def _find_type(error: Exception, text: str) -> type[errors.ModelError] | None:
    """Find the type by the vendor's words, else by the status."""
    match error:
        case PayloadError() | httpx2.HTTPStatusError() if _CONTEXT_TOO_LONG.search(text):
            return errors.ContextTooLongError
        case PayloadError():
            return next(filter(None, map(_TYPES.get, error.codes)), errors.ModelUnavailableError)
        case httpx2.HTTPStatusError():
            return _find_status_type(error)
        case _:
            return None


def _find_status_type(error: httpx2.HTTPStatusError) -> type[errors.ModelError]:
    details: Any = read_facts(error).get("details")
    if isinstance(details, dict) and details.get("error_code") in _SPENT:
        return errors.QuotaExceededError  # arrives like a rate limit
    if error.response.status_code == _CLIENT_CLOSED_REQUEST:
        return errors.ModelUnavailableError
    return error_of_status(error.response.status_code)


def _write_hint(error: httpx2.HTTPStatusError) -> str:
    """Write a hint for an address at which there is nothing of the API."""
    if error.response.status_code != _NOT_FOUND or read_facts(error):
        return ""
    return (
        f" (asked {origin_of(error.request.url)}). To fix it: correct llm.base_url, to which "
        "/v1/messages is added"
    )


ERRORS = VendorErrors(
    vendor="anthropic", type_of=_find_type, hint_of=_write_hint, body_of=read_body
)
