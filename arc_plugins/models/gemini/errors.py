"""Gemini's errors in Arc's words; Vertex AI has the same."""

import re
from collections.abc import Mapping
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

_REASONS: dict[str, type[errors.ModelError]] = {
    "API_KEY_EXPIRED": errors.AuthenticationError,
    "API_KEY_INVALID": errors.AuthenticationError,  # with a status of 400
    "API_KEY_SERVICE_BLOCKED": errors.AuthenticationError,
    "SERVICE_DISABLED": errors.AuthenticationError,
}
_STATUSES: dict[str, type[errors.ModelError]] = {
    "CANCELLED": errors.ModelUnavailableError,
    "DEADLINE_EXCEEDED": errors.ModelTimeoutError,
    "FAILED_PRECONDITION": errors.AuthenticationError,  # a place that is not served, or no billing
    "PERMISSION_DENIED": errors.AuthenticationError,
    "UNAUTHENTICATED": errors.AuthenticationError,
    "UNAVAILABLE": errors.ModelUnavailableError,
}
_PER_DAY = "PerDay"  # of the name of a quota

# The API has no code for it, and has always said it in these words.
_CONTEXT_TOO_LONG = re.compile(r"input token count \(\d+\) exceeds the maximum number of tokens")


def _is_quota_of_a_day(detail: Mapping[str, Any]) -> bool:
    violations = detail.get("violations")
    return isinstance(violations, list) and any(
        isinstance(each, Mapping) and _PER_DAY in str(each.get("quotaId")) for each in violations
    )


def _find_type(error: Exception, text: str) -> type[errors.ModelError] | None:
    """The reason in the details, where it is more precise, else the status."""
    facts = read_facts(error)
    code: Any
    match error:
        case httpx2.HTTPStatusError():
            code = error.response.status_code
        case PayloadError():
            code = facts.get("code")
        case _:
            return None
    if _CONTEXT_TOO_LONG.search(text):
        return errors.ContextTooLongError
    precise = next(filter(None, map(_read_detail, list_details(facts))), None)
    known = precise or _STATUSES.get(str(facts.get("status")))
    is_status = type(code) is int and code >= 400
    return known or (error_of_status(code) if is_status else errors.ModelUnavailableError)


def _read_detail(detail: Mapping[str, Any]) -> type[errors.ModelError] | None:
    if _is_quota_of_a_day(detail):
        return errors.QuotaExceededError
    return _REASONS.get(str(detail.get("reason")))


def _write_hint(error: httpx2.HTTPStatusError) -> str:
    """Return a remedy that the message does not have."""
    facts, status = read_facts(error), error.response.status_code
    if facts.get("status") == "FAILED_PRECONDITION":
        return (
            ". To fix it: enable billing for the key's project, or ask from a place that is served"
        )
    if status != 404:
        return ""
    asked = f" (asked {origin_of(error.request.url)}). To fix it: correct "
    if "message" in facts:
        return f"{asked}llm.model"
    return f"{asked}llm.base_url, to which /v1beta/models is added"


ERRORS = VendorErrors(vendor="gemini", type_of=_find_type, hint_of=_write_hint, body_of=read_body)
