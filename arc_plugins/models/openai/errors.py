"""OpenAI's errors in Arc's words."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

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
from arc_core.wire import error_of_status, json_value, origin_of
from arc_core.wire.http_chat_model import ErrorBody, PayloadError, VendorErrors


def unwrap(payload: Any) -> Any:
    """The only entry of a list of one, anything else as it is."""
    return payload[0] if isinstance(payload, list) and len(payload) == 1 else payload


def read_error_body(error: Exception) -> ErrorBody:
    """The message that the SDK does not find in a list, and when to try again."""
    facts = _facts_in(error)
    message = facts.get("message") if isinstance(error, openai.APIStatusError) else None
    is_told = not isinstance(message, str) or message in str(error)
    delays = [detail.get("retryDelay") for detail in _details_in(facts)]
    seconds = [_seconds(delay) for delay in delays if isinstance(delay, str)]
    return ErrorBody(
        message=None if is_told else message,
        retry_after_s=next((each for each in seconds if each is not None), None),
    )


def reasons_in(error: Exception) -> list[str]:
    """Return the reasons that are more precise than the status, such as `API_KEY_INVALID`."""
    reasons = [detail.get("reason") for detail in _details_in(_facts_in(error))]
    return [reason for reason in reasons if isinstance(reason, str)]


def _facts_in(error: Exception) -> Mapping[str, Any]:
    payload: Any = None
    if isinstance(error, PayloadError):
        payload = error.payload
    elif isinstance(error, openai.APIStatusError):
        payload = error.body
        if not isinstance(payload, Mapping):
            try:
                body = unwrap(json_value(error.response.content))
            except (ValueError, RuntimeError):  # no JSON, or a body that was not read
                body = None
            payload = body.get("error") if isinstance(body, Mapping) else None
    return payload if isinstance(payload, Mapping) else {}


def _details_in(facts: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    details = facts.get("details")
    for detail in details if isinstance(details, list) else ():
        if isinstance(detail, Mapping):
            yield detail


def _seconds(text: str) -> float | None:
    try:
        return float(text.removesuffix("s"))
    except ValueError:
        return None


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


def _find_type(error: Exception, text: str) -> type[ModelError] | None:
    """A code of the vendor's, where it is more precise, else the status."""
    match error:
        case PayloadError():
            return _find_payload_type(error, text)
        case openai.APIStatusError():
            return _find_status_type(error, text)
        case _:
            return None


def _write_hint(error: openai.APIStatusError) -> str:
    """Write a hint for an address at which there is nothing of the API."""
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


def _find_status_type(error: openai.APIStatusError, text: str) -> type[ModelError]:
    codes = (str(error.code or ""), str(error.type or ""))
    for code in (*reasons_in(error), *codes):
        if code in _PRECISE_CODES:
            return _PRECISE_CODES[code]
    has_own_code = codes[0] not in {"", _BAD_REQUEST}
    if isinstance(error, openai.BadRequestError) and not has_own_code:
        return _find_bad_request_type(text)
    return error_of_status(error.status_code)


def _find_bad_request_type(text: str) -> type[ModelError]:
    return ContextTooLongError if _CONTEXT_TOO_LONG.search(text) else InvalidRequestError


def _find_payload_type(error: PayloadError, text: str) -> type[ModelError]:
    for code in (*reasons_in(error), *error.codes):
        if code == _BAD_REQUEST:
            return _find_bad_request_type(text)
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
    type_of=_find_type,
    hint_of=_write_hint,
    body_of=read_error_body,
)


def refused_parameters(error: openai.APIStatusError) -> Iterator[str]:
    """The code of a refusal, and the parameters that its body names, such as `reasoning.summary`.

    They are found where bodies have names, never in their text; words that are not parameters may
    be among them.
    """
    if error.code:
        yield str(error.code)
    if error.param:
        yield str(error.param)
    details = error.body.get("detail") if isinstance(error.body, Mapping) else None
    for detail in details if isinstance(details, list) else ():
        location = detail.get("loc") if isinstance(detail, Mapping) else None
        yield from map(str, location if isinstance(location, list) else ())
