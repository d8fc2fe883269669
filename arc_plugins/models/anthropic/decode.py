"""From Anthropic's messages to Arc's values."""

from collections.abc import Mapping, Sequence
from typing import Any

from arc_core import (
    AssistantMessage,
    ChatResponse,
    FinishReason,
    TokenUsage,
    ToolCall,
)
from arc_core.wire import json_bytes, json_value, token_usage
from arc_core.wire.http_chat_model import PayloadError
from arc_plugins.models.anthropic.content_blocks import (
    find_tool_uses,
    join_text,
    keep_vendor_content,
    read_reasoning,
)

PAUSED = "pause_turn"
"""The stop reason of a turn that is to be sent back, and goes on then."""

_FINISH_REASONS = {
    "end_turn": FinishReason.STOP,
    "stop_sequence": FinishReason.STOP,
    "tool_use": FinishReason.TOOL_CALLS,
    "max_tokens": FinishReason.LENGTH,
    "model_context_window_exceeded": FinishReason.LENGTH,
    PAUSED: FinishReason.LENGTH,  # of one that was not continued
    "refusal": FinishReason.CONTENT_FILTER,
}
_PROMPT_TOKENS = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


class PausedResponse(ChatResponse):
    """A part of an answer: the vendor has paused its turn."""


def decode_message(body: bytes) -> ChatResponse:
    """A whole answer, or a `PausedResponse`."""
    message = json_value(body)
    if message.get("type") == "error":
        raise PayloadError(message.get("error"))
    reason, usage = message.get("stop_reason"), read_usage(message.get("usage"))
    response_type = PausedResponse if reason == PAUSED else ChatResponse
    return response_type(build_message(message["content"]), usage, read_finish_reason(reason))


def build_message(blocks: Sequence[dict[str, Any]]) -> AssistantMessage:
    """The message of content blocks."""
    calls = tuple(map(_tool_call, find_tool_uses(blocks)))
    return AssistantMessage(
        join_text(blocks), calls, read_reasoning(blocks), keep_vendor_content(blocks)
    )


def read_finish_reason(name: str | None) -> FinishReason | None:
    """Arc's word for the vendor's; a reason that is not known is an ordinary stop."""
    return None if name is None else _FINISH_REASONS.get(name, FinishReason.STOP)


def read_usage(usage: object) -> TokenUsage | None:
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
