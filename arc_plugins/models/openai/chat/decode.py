"""From a chat completion, OpenAI's or an imitator's, to Arc's values."""

from collections.abc import Mapping, Sequence
from typing import Any

from arc_core import (
    AssistantMessage,
    ChatResponse,
    FinishReason,
    ModelUnavailableError,
    Reasoning,
    TokenUsage,
    ToolCall,
)
from arc_core.wire import json_bytes, json_value, token_usage
from arc_core.wire.http_chat_model import PayloadError
from arc_plugins.models.openai.chat.returned_fields import (
    CALL_FIELDS,
    MESSAGE_FIELDS,
    returned_fields,
    thoughts_in,
)
from arc_plugins.models.openai.errors import unwrap

_FINISH_REASONS = {
    "stop": FinishReason.STOP,
    "tool_calls": FinishReason.TOOL_CALLS,
    "function_call": FinishReason.TOOL_CALLS,
    "length": FinishReason.LENGTH,
    "max_tokens": FinishReason.LENGTH,
    "model_length": FinishReason.LENGTH,
    "content_filter": FinishReason.CONTENT_FILTER,
}
REASONING_FIELDS = ("reasoning_content", "reasoning", "reasoning_text")
"""As servers call what a model thinks; the first goes before the others."""

_FAILURES = frozenset({"error", "insufficient_system_resource"})


def decode_completion(body: bytes) -> ChatResponse:
    """A whole answer; of several choices, the first."""
    completion = unwrap(json_value(body))
    if completion.get("error"):
        raise PayloadError(completion["error"])
    choice = first_choice(completion)
    is_filtered = choice.get("finish_reason") == "content_filter"
    message = (choice.get("message") or {}) if is_filtered else choice["message"]
    field, thought = read_reasoning(message)
    calls = message.get("tool_calls") or ()
    answer = AssistantMessage(
        read_text(message.get("content")),
        tuple(map(_tool_call, calls)),
        (Reasoning(thought),) if thought else (),
        keep_vendor_content(
            field,
            message=returned_fields(message, MESSAGE_FIELDS),
            calls=[returned_fields(call, CALL_FIELDS) for call in calls],
        ),
    )
    reason = read_finish_reason(choice.get("finish_reason"), refused=bool(message.get("refusal")))
    return ChatResponse(answer, read_usage(completion), reason)


def first_choice(payload: Mapping[str, Any]) -> dict[str, Any]:
    """The choice with index 0, or without an index; empty if there is none."""
    for choice in payload.get("choices") or ():
        if not choice.get("index"):
            return dict(choice)
    return {}


def read_text(content: object) -> str:
    """The text of a `content`, which is a text, null, or a list of typed parts."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    return "".join(part.get("text") or "" for part in content if part.get("type") == "text")


def read_reasoning(message: Mapping[str, Any]) -> tuple[str | None, str]:
    """The field in which to send back what the model thought, and the text.

    None if it does not go back; empty if it thought nothing.

    Args:
        message: Whole, or a delta. Servers call the field by one of `REASONING_FIELDS`; some send
            several, with the same text. Mistral has it in parts of the content, and MiniMax in
            blocks that go back as they are.
    """
    for field in REASONING_FIELDS:
        thought = message.get(field)
        if thought and isinstance(thought, str):
            return field, thought
    content = message.get("content")
    parts = content if isinstance(content, list) else ()
    thoughts = [read_text(part.get("thinking")) for part in parts if part.get("type") == "thinking"]
    return None, "".join(thoughts) or thoughts_in(message)


def read_usage(payload: Mapping[str, Any]) -> TokenUsage | None:
    """The tokens a payload reports, if it does, and in numbers."""
    usage = payload.get("usage")
    if not usage:
        groq = payload.get("x_groq")
        usage = groq.get("usage") if isinstance(groq, Mapping) else None
    if not usage or not isinstance(usage, Mapping):
        return None
    prompt, completion = usage.get("prompt_tokens"), usage.get("completion_tokens")
    of_prompt, of_completion = _details(usage, "prompt"), _details(usage, "completion")
    reasoning = of_completion.get("reasoning_tokens")
    return token_usage(
        [prompt],
        _with_reasoning(prompt, completion, reasoning, total=usage.get("total_tokens")),
        cached_tokens=of_prompt.get("cached_tokens", usage.get("cached_tokens")),
        cache_write_tokens=of_prompt.get("cache_write_tokens"),
        reasoning_tokens=reasoning,
    )


def _details(usage: Mapping[str, Any], side: str) -> Mapping[str, Any]:
    details = usage.get(f"{side}_tokens_details")
    return details if isinstance(details, Mapping) else {}


def _with_reasoning(prompt: Any, completion: Any, reasoning: Any, *, total: object) -> object:
    """The tokens of the answer; some servers count those of reasoning in the total only."""
    are_counts = all(type(count) is int for count in (prompt, completion, reasoning))
    is_apart = are_counts and reasoning > 0 and prompt + completion + reasoning == total
    return completion + reasoning if is_apart else completion


def read_finish_reason(name: str | None, *, refused: bool) -> FinishReason | None:
    """Arc's word for a server's; a reason that is not known is an ordinary stop."""
    if name in _FAILURES:
        raise ModelUnavailableError(f"openai: the answer ended with {name!r}")
    if refused:
        return FinishReason.CONTENT_FILTER
    return None if name is None else _FINISH_REASONS.get(name, FinishReason.STOP)


def keep_vendor_content(
    reasoning_field: str | None,
    *,
    message: Mapping[str, Any],
    calls: Sequence[Mapping[str, Any]],
) -> dict[str, Any] | None:
    """Return the content that the server wants back beside text and calls; None for nothing."""
    kept = {
        "reasoning_field": reasoning_field,
        "message": dict(message),
        "calls": list(calls) if any(calls) else None,
    }
    kept = {name: value for name, value in kept.items() if value}
    return {"openai": kept} if kept else None


def _tool_call(call: Mapping[str, Any]) -> ToolCall:
    function = call["function"]
    return ToolCall(str(call.get("id") or ""), str(function["name"]), read_arguments(function))


def read_arguments(function: Mapping[str, Any]) -> str:
    """A call's arguments as JSON text; some servers send an object, or null for none."""
    arguments = function.get("arguments")
    if isinstance(arguments, str):
        return arguments
    return "" if arguments is None else json_bytes(arguments).decode()
