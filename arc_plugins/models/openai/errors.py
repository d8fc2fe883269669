"""OpenAI's errors, and those of the transport below its SDK, in Arc's words."""

from collections.abc import Iterator, Mapping
from typing import Any

import aiohttp
import httpx2
import openai

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
    RefusedError,
)
from arc_core.wire import (
    counterpart_of,
    error_of_status,
    model_error,
    redact,
)

__all__ = ["COUNTERPARTS", "PayloadError", "translate"]

COUNTERPARTS: dict[type[Exception], type[ModelError]] = {
    openai.OpenAIError: InvalidRequestError,
    openai.APIError: ModelUnavailableError,
    openai.APIConnectionError: ModelUnavailableError,
    openai.APITimeoutError: ModelTimeoutError,
    openai.APIResponseValidationError: InvalidResponseError,
    openai.APIStatusError: InvalidRequestError,
    openai.AuthenticationError: AuthenticationError,
    openai.BadRequestError: InvalidRequestError,
    openai.ConflictError: ModelUnavailableError,
    openai.InternalServerError: ModelUnavailableError,
    openai.NotFoundError: InvalidRequestError,
    openai.PermissionDeniedError: AuthenticationError,
    openai.RateLimitError: RateLimitError,
    openai.UnprocessableEntityError: InvalidRequestError,
    openai.ContentFilterFinishReasonError: RefusedError,
    openai.LengthFinishReasonError: InvalidResponseError,
    openai.WebSocketConnectionClosedError: ModelUnavailableError,
    openai.WebSocketQueueFullError: ModelUnavailableError,
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
"""The counterpart of a class is that of its nearest ancestor here; a status, or a code of the
vendor's, is more precise and goes first."""

_PRECISE_CODES: dict[str, type[ModelError]] = {
    "context_length_exceeded": ContextTooLongError,
    "exceed_context_size_error": ContextTooLongError,
    "string_above_max_length": ContextTooLongError,
    "billing_hard_limit_reached": QuotaExceededError,
    "billing_not_active": QuotaExceededError,
    "insufficient_quota": QuotaExceededError,
    "content_filter": RefusedError,
    "content_policy_violation": RefusedError,
}
_CODES_WITHOUT_STATUS: dict[str, type[ModelError]] = {
    "authentication_error": AuthenticationError,
    "invalid_api_key": AuthenticationError,
    "permission_error": AuthenticationError,
    "invalid_request_error": InvalidRequestError,
    "model_not_found": InvalidRequestError,
    "overloaded_error": ModelOverloadedError,
    "rate_limit_error": RateLimitError,
    "rate_limit_exceeded": RateLimitError,
    "timeout": ModelTimeoutError,
}


class PayloadError(Exception):
    """An error that came as an event or a body, with a status of success.

    Attributes:
        codes: The payload's `code` and `type`, where it has them.
    """

    def __init__(self, payload: object) -> None:
        facts: Mapping[str, Any] = payload if isinstance(payload, Mapping) else {"message": payload}
        self.codes = [str(facts[key]) for key in ("code", "type") if facts.get(key) is not None]
        super().__init__(" ".join(["Error:", *self.codes, "-", str(facts.get("message"))]))


def translate(error: Exception, *, secret: str | None) -> ModelError:
    """The counterpart of an exception; `secret` is kept out of its text and its cause's.

    Args:
        error: Of the SDK, the transport, or raised while a payload was read.
        secret: The API key.
    """
    text = f"openai: {redact(error, secret)}"
    match error:
        case PayloadError():
            return model_error(_type_of_payload(error), text)
        case openai.APIStatusError():
            codes = (error.code or "", error.type or "")
            precise = next((_PRECISE_CODES[c] for c in codes if c in _PRECISE_CODES), None)
            error_type = precise or error_of_status(error.status_code)
            return model_error(error_type, text, error.response.headers)
        case openai.APITimeoutError() | httpx2.TimeoutException() if _was_disconnected(error):
            return model_error(ModelUnavailableError, text)
        case _:
            return model_error(counterpart_of(error, COUNTERPARTS), text)


def _type_of_payload(error: PayloadError) -> type[ModelError]:
    for code in error.codes:
        if code.isdecimal() and int(code) >= 400:
            return error_of_status(int(code))
        known = _PRECISE_CODES.get(code) or _CODES_WITHOUT_STATUS.get(code)
        if known is not None:
            return known
    return ModelUnavailableError


def _was_disconnected(error: BaseException) -> bool:
    """Whether a time-out is none: the aiohttp backend reports lost connections as time-outs."""
    return any(
        isinstance(cause, aiohttp.ClientConnectionError) and not isinstance(cause, TimeoutError)
        for cause in _causes(error)
    )


def _causes(error: BaseException) -> Iterator[BaseException]:
    cause = error.__cause__
    while cause is not None:
        yield cause
        cause = cause.__cause__
