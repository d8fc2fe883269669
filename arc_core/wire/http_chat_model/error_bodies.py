"""The facts in the body of an error, as OpenAI, Google and their imitators write them."""

from collections.abc import Iterator, Mapping
from typing import Any

import httpx2

from arc_core.wire.model_errors import ErrorBody, PayloadError
from arc_core.wire.payloads import json_value


def unwrap(payload: Any) -> Any:
    """The only entry of a list of one, as Google sends errors; anything else as it is."""
    return payload[0] if isinstance(payload, list) and len(payload) == 1 else payload


def find_facts(body: Any) -> Mapping[str, Any]:
    """The `error` of a body, else all of it; empty if that is not an object."""
    body = unwrap(body)
    facts = body.get("error", body) if isinstance(body, Mapping) else None
    return facts if isinstance(facts, Mapping) else {}


def read_facts(error: Exception) -> Mapping[str, Any]:
    """The facts of an error that came as a body or an event; empty if there are none."""
    if isinstance(error, PayloadError):
        return error.payload if isinstance(error.payload, Mapping) else {}
    if not isinstance(error, httpx2.HTTPStatusError):
        return {}
    try:
        return find_facts(json_value(error.response.content))
    except (ValueError, RuntimeError):  # a proxy's page, or a body that was not read
        return {}


def list_details(facts: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The `details` that are objects."""
    details = facts.get("details")
    for detail in details if isinstance(details, list) else ():
        if isinstance(detail, Mapping):
            yield detail


def find_retry_delay(facts: Mapping[str, Any]) -> float | None:
    """Seconds to wait, as Google says them in a detail, `"2.5s"`; None if none does."""
    for detail in list_details(facts):
        try:
            return float(str(detail["retryDelay"]).removesuffix("s"))
        except (KeyError, ValueError):
            continue
    return None


def read_body(error: Exception) -> ErrorBody:
    """The message, which the exception lacks, and when to try again."""
    facts = read_facts(error)
    message = facts.get("message")
    if isinstance(error, httpx2.HTTPStatusError) and not isinstance(message, str):
        message = error.response.text.strip()
    is_new = isinstance(message, str) and not isinstance(error, PayloadError)
    return ErrorBody(message=message if is_new else None, retry_after_s=find_retry_delay(facts))
