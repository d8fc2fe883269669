"""From Anthropic's messages to Arc's values."""

from collections.abc import Mapping
from typing import Any

from arc_core import (
    AssistantMessage,
    ChatResponse,
    ContextTooLongError,
    FinishReason,
    TokenUsage,
    ToolCall,
)
from arc_core.wire import json_bytes, json_value, token_usage
from arc_core.wire.http_chat_model import PayloadError
from arc_plugins.models.anthropic.content_blocks import (
    reasoning_of,
    text_of,
    tool_uses_of,
    vendor_content_of,
)

__all__ = ["decode_message", "finish_reason_of", "usage_of"]

_FINISH_REASONS = {
    "end_turn": FinishReason.STOP,
    "stop_sequence": FinishReason.STOP,
    "pause_turn": FinishReason.STOP,
    "tool_use": FinishReason.TOOL_CALLS,
    "max_tokens": FinishReason.LENGTH,
    "refusal": FinishReason.CONTENT_FILTER,
}
_PROMPT_TOKENS = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


def decode_message(body: bytes) -> ChatResponse:
    """A whole answer.

    Raises:
        ContextTooLongError: The answer ended because the window was full.
        PayloadError: The body is an error in spite of its status.
        Exception: It is not a message.
    """
    message = json_value(body)
    if message.get("type") == "error":
        raise PayloadError(message.get("error"))
    blocks = message["content"]
    calls = tuple(map(_tool_call, tool_uses_of(blocks)))
    answer = AssistantMessage(
        text_of(blocks), calls, reasoning_of(blocks), vendor_content_of(blocks)
    )
    usage = usage_of(message.get("usage"))
    return ChatResponse(answer, usage, finish_reason_of(message.get("stop_reason")))


def finish_reason_of(name: str | None) -> FinishReason | None:
    """Arc's word for the vendor's; a reason that is not known is an ordinary stop.

    Raises:
        ContextTooLongError: The answer ended because the window was full.
    """
    if name == "model_context_window_exceeded":
        raise ContextTooLongError("anthropic: the model's context window was full")
    return None if name is None else _FINISH_REASONS.get(name, FinishReason.STOP)


def usage_of(usage: object) -> TokenUsage | None:
    """The tokens reported, None if there are none in numbers; cached ones are of the prompt."""
    if not usage or not isinstance(usage, Mapping):
        return None
    details = usage.get("output_tokens_details")
    return token_usage(
        map(usage.get, _PROMPT_TOKENS),
        usage.get("output_tokens"),
        cached_tokens=usage.get("cache_read_input_tokens"),
        cache_write_tokens=usage.get("cache_creation_input_tokens"),
        reasoning_tokens=details.get("thinking_tokens") if isinstance(details, Mapping) else None,
    )


def _tool_call(block: Mapping[str, Any]) -> ToolCall:
    return ToolCall(str(block.get("id") or ""), block["name"], json_bytes(block["input"]).decode())
