"""Errors of servers that embed texts, in Arc's words; servers of all makers write them alike."""

import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import httpx2

from arc_core import errors
from arc_core.text.addresses import origin_of
from arc_core.wire.model_errors import ErrorBody, VendorErrors, error_of_status
from arc_core.wire.payloads import json_value

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
        counterparts={httpx2.HTTPStatusError: errors.InvalidRequestError},
        status_error=httpx2.HTTPStatusError,
        connection_error=httpx2.TransportError,
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
    facts = _find_facts(error)
    details = list(_list_details(facts))
    if any(_PER_DAY in str(detail.get("violations")) for detail in details):
        return errors.QuotaExceededError
    said = [detail.get("reason") for detail in details]
    said += [facts.get(key) for key in ("code", "type", "status")]
    known = (codes.get(each) for each in said if isinstance(each, str))
    return next(filter(None, known), None) or error_of_status(error.response.status_code)


def _find_facts(error: Exception) -> Mapping[str, Any]:
    """The `error` of a body; empty if there is none."""
    if not isinstance(error, httpx2.HTTPStatusError):
        return {}
    try:
        body = json_value(error.response.content)
    except ValueError:  # a proxy's page
        return {}
    if isinstance(body, list) and len(body) == 1:
        body = body[0]
    said = body.get("error", body) if isinstance(body, Mapping) else body
    return said if isinstance(said, Mapping) else {"message": said}


def _list_details(facts: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    details = facts.get("details")
    for detail in details if isinstance(details, list) else ():
        if isinstance(detail, Mapping):
            yield detail


def _read_body(error: Exception) -> ErrorBody:
    """The message, which the exception lacks, and when to try again."""
    facts = _find_facts(error)
    message = facts.get("message")
    delays = [detail.get("retryDelay") for detail in _list_details(facts)]
    return ErrorBody(
        message=message if isinstance(message, str) else None,
        retry_after_s=next(filter(None, map(_read_seconds, delays)), None),
    )


def _read_seconds(delay: object) -> float | None:
    try:
        return float(delay.removesuffix("s")) if isinstance(delay, str) else None
    except ValueError:
        return None


def _write_hint(error: httpx2.HTTPStatusError) -> str:
    if error.response.status_code != 404:
        return ""
    origin = origin_of(error.request.url)
    return f" (asked {origin}). To fix it: correct embedder.model or embedder.base_url"
