"""OpenAI's errors in Arc's words."""

import re

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
from arc_core.wire import error_of_status, origin_of
from arc_core.wire.http_chat_model import PayloadError, VendorErrors
from arc_plugins.models.openai.google_errors import body_of, reasons_in

__all__ = ["ERRORS"]

_COUNTERPARTS: dict[type[Exception], type[ModelError]] = {
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
}

_PRECISE_CODES: dict[str, type[ModelError]] = {
    "API_KEY_INVALID": AuthenticationError,  # Google's, with a status of 400
    "context_length_exceeded": ContextTooLongError,
    "exceed_context_size_error": ContextTooLongError,
    "string_above_max_length": ContextTooLongError,
    "billing_hard_limit_reached": QuotaExceededError,
    "billing_not_active": QuotaExceededError,
    "insufficient_quota": QuotaExceededError,
    "content_filter": RefusedError,
    "content_policy_violation": RefusedError,
    "bio_policy": RefusedError,
    "image_content_policy_violation": RefusedError,
    "invalid_prompt": RefusedError,  # is said of prompts that a policy forbids
    "misalignment_policy_violation": RefusedError,
}
_CODES_WITHOUT_STATUS: dict[str, type[ModelError]] = {
    "authentication_error": AuthenticationError,
    "invalid_api_key": AuthenticationError,
    "permission_error": AuthenticationError,
    "data_residency_mismatch": InvalidRequestError,
    "empty_image_file": InvalidRequestError,
    "failed_to_download_image": InvalidRequestError,
    "image_file_not_found": InvalidRequestError,
    "image_file_too_large": InvalidRequestError,
    "image_parse_error": InvalidRequestError,
    "image_too_large": InvalidRequestError,
    "image_too_small": InvalidRequestError,
    "invalid_base64_image": InvalidRequestError,
    "invalid_image": InvalidRequestError,
    "invalid_image_format": InvalidRequestError,
    "invalid_image_mode": InvalidRequestError,
    "invalid_image_url": InvalidRequestError,
    "invalid_request_error": InvalidRequestError,
    "model_not_found": InvalidRequestError,
    "overloaded_error": ModelOverloadedError,
    "rate_limit_error": RateLimitError,
    "rate_limit_exceeded": RateLimitError,
    "server_error": ModelUnavailableError,
    "timeout": ModelTimeoutError,
    "unsupported_image_media_type": InvalidRequestError,
    "vector_store_timeout": ModelTimeoutError,
}

# vLLM and Google have no code for it, and have always said it in these words.
_CONTEXT_TOO_LONG = re.compile(
    r"model's maximum context length is \d+ tokens"
    r"|input token count \(\d+\) exceeds the maximum number of tokens"
)
_BAD_REQUEST = "400"  # its code is the status once more
_VERSION = re.compile(r"/v\d")
_CHAT, _RESPONSES = "/chat/completions", "/responses"


def _type_of(error: Exception, text: str) -> type[ModelError] | None:
    """A code of the vendor's, where it is more precise, else the status."""
    match error:
        case PayloadError():
            return _type_of_payload(error, text)
        case openai.APIStatusError():
            return _type_of_status(error, text)
        case _:
            return None


def _hint_of(error: openai.APIStatusError) -> str:
    """What is worth a look when nothing of the API is at the address that was asked."""
    path = error.request.url.path
    if error.status_code != 404 or error.code:
        return ""
    asked = f" (asked {origin_of(error.request.url)}). To fix it: "
    if not _VERSION.search(path.removesuffix(_CHAT).removesuffix(_RESPONSES)):
        return (
            f"{asked}llm.base_url has no /v1 at its end, where most servers have their API; "
            "add it, or correct llm.model"
        )
    if path.endswith(_RESPONSES):
        return f'{asked}set llm.api to "chat", if the server does not have the Responses API'
    return ""


def _type_of_status(error: openai.APIStatusError, text: str) -> type[ModelError]:
    codes = (str(error.code or ""), str(error.type or ""))
    for code in (*reasons_in(error), *codes):
        if code in _PRECISE_CODES:
            return _PRECISE_CODES[code]
    has_own_code = codes[0] not in {"", _BAD_REQUEST}
    if isinstance(error, openai.BadRequestError) and not has_own_code:
        return _type_of_bad_request(text)
    return error_of_status(error.status_code)


def _type_of_bad_request(text: str) -> type[ModelError]:
    return ContextTooLongError if _CONTEXT_TOO_LONG.search(text) else InvalidRequestError


def _type_of_payload(error: PayloadError, text: str) -> type[ModelError]:
    for code in (*reasons_in(error), *error.codes):
        if code == _BAD_REQUEST:
            return _type_of_bad_request(text)
        if code.isdecimal() and int(code) >= 400:
            return error_of_status(int(code))
        known = _PRECISE_CODES.get(code) or _CODES_WITHOUT_STATUS.get(code)
        if known is not None:
            return known
    return ModelUnavailableError


ERRORS = VendorErrors(
    vendor="openai",
    counterparts=_COUNTERPARTS,
    status_error=openai.APIStatusError,
    connection_error=openai.APIConnectionError,
    type_of=_type_of,
    hint_of=_hint_of,
    body_of=body_of,
)
