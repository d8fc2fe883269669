"""OpenAI's errors in Arc's words."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import httpx2

from arc_core import errors
from arc_core.wire import error_of_status, origin_of
from arc_core.wire.http_chat_model import (
    PayloadError,
    VendorErrors,
    list_details,
    read_body,
    read_facts,
)

_PRECISE_CODES: dict[str, type[errors.ModelError]] = {
    "API_KEY_INVALID": errors.AuthenticationError,  # Google's, with a status of 400
    "context_length_exceeded": errors.ContextTooLongError,
    "exceed_context_size_error": errors.ContextTooLongError,
    "string_above_max_length": errors.ContextTooLongError,
    "billing_hard_limit_reached": errors.QuotaExceededError,
    "billing_not_active": errors.QuotaExceededError,
    "insufficient_quota": errors.QuotaExceededError,
    "content_filter": errors.RefusedError,
    "content_policy_violation": errors.RefusedError,
    "bio_policy": errors.RefusedError,
    "image_content_policy_violation": errors.RefusedError,
    "invalid_prompt": errors.RefusedError,  # is said of prompts that a policy forbids
    "misalignment_policy_violation": errors.RefusedError,
}
_INVALID_REQUESTS = (
    "data_residency_mismatch", "empty_image_file", "failed_to_download_image",
    "image_file_not_found", "image_file_too_large", "image_parse_error", "image_too_large",
    "image_too_small", "invalid_base64_image", "invalid_image", "invalid_image_format",
    "invalid_image_mode", "invalid_image_url", "invalid_request_error", "model_not_found",
    "unsupported_image_media_type",
)  # fmt: skip
_CODES_WITHOUT_STATUS: dict[str, type[errors.ModelError]] = {
    **dict.fromkeys(_INVALID_REQUESTS, errors.InvalidRequestError),
    "authentication_error": errors.AuthenticationError,
    "invalid_api_key": errors.AuthenticationError,
    "permission_error": errors.AuthenticationError,
    "overloaded_error": errors.ModelOverloadedError,
    "rate_limit_error": errors.RateLimitError,
    "rate_limit_exceeded": errors.RateLimitError,
    "server_error": errors.ModelUnavailableError,
    "timeout": errors.ModelTimeoutError,
    "vector_store_timeout": errors.ModelTimeoutError,
}

# vLLM and Google have no code for it, and have always said it in these words.
_CONTEXT_TOO_LONG = re.compile(
    r"model's maximum context length is \d+ tokens"
    r"|input token count \(\d+\) exceeds the maximum number of tokens"
)
_BAD_REQUEST = "400"  # its code is the status once more
_VERSION = re.compile(r"/v\d")
_CHAT, _RESPONSES = "/chat/completions", "/responses"


def _find_type(error: Exception, text: str) -> type[errors.ModelError] | None:
    """A code of the vendor's, where it is more precise, else the status."""
    match error:
        case PayloadError():
            return _find_payload_type(error, text)
        case httpx2.HTTPStatusError():
            return _find_status_type(error, text)
        case _:
            return None


def _write_hint(error: httpx2.HTTPStatusError) -> str:
    """Write a hint for an address at which there is nothing of the API."""
    path = error.request.url.path
    if error.response.status_code != 404 or read_facts(error).get("code"):
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


def _find_status_type(error: httpx2.HTTPStatusError, text: str) -> type[errors.ModelError]:
    facts, status = read_facts(error), error.response.status_code
    codes = (str(facts.get("code") or ""), str(facts.get("type") or ""))
    for code in (*_list_reasons(facts), *codes):
        if code in _PRECISE_CODES:
            return _PRECISE_CODES[code]
    has_own_code = codes[0] not in {"", _BAD_REQUEST}
    if status == 400 and not has_own_code:
        return _find_bad_request_type(text)
    return error_of_status(status)


def _find_bad_request_type(text: str) -> type[errors.ModelError]:
    is_too_long = _CONTEXT_TOO_LONG.search(text)
    return errors.ContextTooLongError if is_too_long else errors.InvalidRequestError


def _find_payload_type(error: PayloadError, text: str) -> type[errors.ModelError]:
    for code in (*_list_reasons(read_facts(error)), *error.codes):
        if code == _BAD_REQUEST:
            return _find_bad_request_type(text)
        if code.isdecimal() and int(code) >= 400:
            return error_of_status(int(code))
        known = _PRECISE_CODES.get(code) or _CODES_WITHOUT_STATUS.get(code)
        if known is not None:
            return known
    return errors.ModelUnavailableError


def _list_reasons(facts: Mapping[str, Any]) -> list[str]:
    """The reasons that are more precise than the status, such as `API_KEY_INVALID`."""
    reasons = [detail.get("reason") for detail in list_details(facts)]
    return [reason for reason in reasons if isinstance(reason, str)]


ERRORS = VendorErrors(vendor="openai", type_of=_find_type, hint_of=_write_hint, body_of=read_body)


def refused_parameters(error: httpx2.HTTPStatusError) -> Iterator[str]:
    """The code of a refusal, and the parameters that its body names, such as `reasoning.summary`.

    They are found where bodies have names, never in their text; words that are not parameters may
    be among them.
    """
    facts = read_facts(error)
    for name in ("code", "param"):
        if facts.get(name):
            yield str(facts[name])
    details = facts.get("detail")
    for detail in details if isinstance(details, list) else ():
        location = detail.get("loc") if isinstance(detail, Mapping) else None
        yield from map(str, location if isinstance(location, list) else ())
