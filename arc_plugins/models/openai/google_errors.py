"""Google's form of an error, which its address for Chat Completions sends in a list of one."""

from collections.abc import Iterator, Mapping
from typing import Any

import openai

from arc_core.wire import json_value
from arc_core.wire.http_chat_model import ErrorBody, PayloadError

__all__ = ["body_of", "reasons_in", "unwrap"]


def unwrap(payload: Any) -> Any:
    """The only entry of a list of one, anything else as it is."""
    return payload[0] if isinstance(payload, list) and len(payload) == 1 else payload


def body_of(error: Exception) -> ErrorBody:
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
    """What is more precise than the status, such as `API_KEY_INVALID`."""
    reasons = [detail.get("reason") for detail in _details_in(_facts_in(error))]
    return [reason for reason in reasons if isinstance(reason, str)]


def _facts_in(error: Exception) -> Mapping[str, Any]:
    payload: Any = None
    if isinstance(error, PayloadError):
        payload = error.payload
    elif isinstance(error, openai.APIStatusError):
        payload = error.body if isinstance(error.body, Mapping) else _error_in(error)
    return payload if isinstance(payload, Mapping) else {}


def _error_in(error: openai.APIStatusError) -> Any:
    try:
        body = unwrap(json_value(error.response.content))
    except (ValueError, RuntimeError):  # no JSON, or a body that was not read
        return None
    return body.get("error") if isinstance(body, Mapping) else None


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
