"""From a response of OpenAI's, whole, to Arc's values."""

from collections.abc import Mapping
from typing import Any

from arc_core import (
    AssistantMessage,
    ChatResponse,
    FinishReason,
    ModelUnavailableError,
    TokenUsage,
)
from arc_core.wire import json_value, token_usage
from arc_core.wire.http_chat_model import PayloadError
from arc_plugins.models.openai.responses.output_items import (
    calls_of,
    has_refusal,
    reasoning_of,
    text_of,
    vendor_content_of,
)

__all__ = ["check_status", "decode_response", "finish_reason_of", "usage_of"]

_WITHOUT_REASON = {"message": "the response failed, and no reason was given"}


def decode_response(body: bytes) -> ChatResponse:
    """A whole answer.

    Raises:
        ModelError: The server gave up.
        PayloadError: The body is an error in spite of its status.
        Exception: It is not a response.
    """
    response = json_value(body)
    check_status(response)
    items = response["output"]
    calls = calls_of(items)
    answer = AssistantMessage(text_of(items), calls, reasoning_of(items), vendor_content_of(items))
    reason = finish_reason_of(response, refused=has_refusal(items), has_calls=bool(calls))
    return ChatResponse(answer, usage_of(response), reason)


def check_status(response: Mapping[str, Any]) -> None:
    """See that a response is an answer, complete or cut off.

    Raises:
        PayloadError: It says what failed.
        ModelUnavailableError: It was cancelled, or has not been made yet.
    """
    error, status = response.get("error"), response.get("status")
    if error or status == "failed":
        raise PayloadError(error or _WITHOUT_REASON)
    if status in {"cancelled", "queued", "in_progress"}:
        raise ModelUnavailableError(f"openai: the response is {status!r}")


def finish_reason_of(
    response: Mapping[str, Any], *, refused: bool, has_calls: bool
) -> FinishReason:
    """Arc's word for why a response ended; one that is not complete was cut off."""
    details = response.get("incomplete_details") or {}
    if refused or details.get("reason") == "content_filter":
        return FinishReason.CONTENT_FILTER
    if details or response.get("status") == "incomplete":
        return FinishReason.LENGTH
    return FinishReason.TOOL_CALLS if has_calls else FinishReason.STOP


def usage_of(response: Mapping[str, Any]) -> TokenUsage | None:
    """The tokens a response reports, if it does, and in numbers."""
    usage = response.get("usage")
    if not isinstance(usage, Mapping):
        return None
    prompt, completion = usage.get("input_tokens_details"), usage.get("output_tokens_details")
    return token_usage(
        [usage.get("input_tokens")],
        usage.get("output_tokens"),
        cached_tokens=_detail(prompt, "cached_tokens"),
        cache_write_tokens=_detail(prompt, "cache_write_tokens"),
        reasoning_tokens=_detail(completion, "reasoning_tokens"),
    )


def _detail(details: object, name: str) -> object:
    return details.get(name) if isinstance(details, Mapping) else None
