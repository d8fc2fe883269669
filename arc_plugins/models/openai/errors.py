"""OpenAI's errors, and those of the transport below its SDK, in Arc's words."""

import re
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

# vLLM has no code for it, and has said it in these words in all of its versions.
_CONTEXT_TOO_LONG = re.compile(r"model's maximum context length is \d+ tokens")
_BAD_REQUEST = "400"  # its code is the status once more
_VERSION = re.compile(r"/v\d")
_PATH = "/chat/completions"


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
    own = own_error(error)
    return _counterpart(error, f"openai: {redact(error, secret)}") if own is None else own


def _counterpart(error: Exception, text: str) -> ModelError:
    match error:
        case PayloadError():
            return model_error(_type_of_payload(error), text)
        case openai.APIStatusError():
            return model_error(
                _type_of_status(error), text + _hint_of(error), error.response.headers
            )
        case openai.APITimeoutError() | httpx2.TimeoutException() if _was_disconnected(error):
            return model_error(ModelUnavailableError, _connection_text(error, text))
        case openai.APIConnectionError():
            return model_error(counterpart_of(error, COUNTERPARTS), _connection_text(error, text))
        case _:
            return model_error(counterpart_of(error, COUNTERPARTS), text)


def _connection_text(error: openai.APIConnectionError | httpx2.TimeoutException, text: str) -> str:
    reason = connection_failure(error)
    if isinstance(error, httpx2.TimeoutException):
        return text
    if reason is None:
        return f"{text} ({origin_of(error.request.url)})"
    return (
        f"openai: {origin_of(error.request.url)} cannot be reached: {reason}. "
        "To fix it: start the server there, or correct llm.base_url"
    )


def _hint_of(error: openai.APIStatusError) -> str:
    """What is worth a look when nothing of the API is at the address that was asked."""
    base_path = error.request.url.path.removesuffix(_PATH)
    if error.status_code != 404 or error.code or _VERSION.search(base_path):
        return ""
    return (
        f" (asked {origin_of(error.request.url)}). To fix it: llm.base_url has no /v1 at its end, "
        "where most servers have their API; add it, or correct llm.model"
    )


def _type_of_status(error: openai.APIStatusError) -> type[ModelError]:
    codes = (str(error.code or ""), str(error.type or ""))
    for code in codes:
        if code in _PRECISE_CODES:
            return _PRECISE_CODES[code]
    has_own_code = codes[0] not in {"", _BAD_REQUEST}
    if isinstance(error, openai.BadRequestError) and not has_own_code:
        return _type_of_bad_request(str(error))
    return error_of_status(error.status_code)


def _type_of_bad_request(text: str) -> type[ModelError]:
    return ContextTooLongError if _CONTEXT_TOO_LONG.search(text) else InvalidRequestError


def _type_of_payload(error: PayloadError) -> type[ModelError]:
    for code in error.codes:
        if code == _BAD_REQUEST:
            return _type_of_bad_request(str(error))
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
