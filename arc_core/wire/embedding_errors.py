"""Errors of servers that embed texts, in Arc's words; servers of all makers write them alike."""

import re
from collections.abc import Mapping
from functools import partial

import httpx2

from arc_core import errors
from arc_core.text.addresses import origin_of
from arc_core.wire.model_errors import (
    ErrorBody,
    VendorErrors,
    error_of_status,
    find_retry_delay,
    list_details,
    read_facts,
)

_CODES: Mapping[str, type[errors.ModelError]] = {
    "context_length_exceeded": errors.ContextTooLongError,
    "exceed_context_size_error": errors.ContextTooLongError,
    "max_tokens_per_request": errors.ContextTooLongError,
    "insufficient_quota": errors.QuotaExceededError,
    "API_KEY_EXPIRED": errors.AuthenticationError,
    "API_KEY_INVALID": errors.AuthenticationError,  # with a status of 400
    "API_KEY_SERVICE_BLOCKED": errors.AuthenticationError,
    "SERVICE_DISABLED": errors.AuthenticationError,
}
_PER_DAY = "PerDay"  # of the name of a quota

# Few servers have a code for it, and one says 500.
_TOO_LONG = re.compile(
    r"maximum context length is \d+ tokens"
    r"|exceeds the (?:context length|maximum number of tokens)"
    r"|too large to process"
)


def embedding_errors(
    vendor: str, codes: Mapping[str, type[errors.ModelError]] = _CODES
) -> VendorErrors:
    """The errors of a vendor that is asked by a plain client.

    Args:
        vendor: Its name, as metrics and messages have it.
        codes: More of them: what a `code`, `type`, `status` or `reason` in an error means.
    """
    return VendorErrors(
        vendor=vendor,
        type_of=partial(_find_type, {**_CODES, **codes}),
        hint_of=_write_hint,
        body_of=_read_body,
        section="embedder",
    )


def _find_type(
    codes: Mapping[str, type[errors.ModelError]], error: Exception, text: str
) -> type[errors.ModelError] | None:
    if not isinstance(error, httpx2.HTTPStatusError):
        return None
    if _TOO_LONG.search(text):
        return errors.ContextTooLongError
    facts = read_facts(error)
    details = list(list_details(facts))
    if any(_PER_DAY in str(detail.get("violations")) for detail in details):
        return errors.QuotaExceededError
    said = [detail.get("reason") for detail in details]
    said += [facts.get(key) for key in ("code", "type", "status")]
    known = (codes.get(each) for each in said if isinstance(each, str))
    return next(filter(None, known), None) or error_of_status(error.response.status_code)


def _read_body(error: Exception) -> ErrorBody:
    """The message, which the exception lacks, and when to try again."""
    facts = read_facts(error)
    message = facts.get("message")
    return ErrorBody(
        message=message if isinstance(message, str) else None, retry_after_s=find_retry_delay(facts)
    )


def _write_hint(error: httpx2.HTTPStatusError) -> str:
    if error.response.status_code != 404:
        return ""
    origin = origin_of(error.request.url)
    return f" (asked {origin}). To fix it: correct embedder.model or embedder.base_url"
