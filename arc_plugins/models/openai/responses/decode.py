"""From a response of OpenAI's, whole, to Arc's values."""

from collections.abc import Iterable, Mapping, Sequence
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
from arc_core.wire import json_value, token_usage
from arc_core.wire.http_chat_model import PayloadError

Item = Mapping[str, Any]
"""An item as OpenAI sends it."""

_KEY = "openai_responses"
_PARAGRAPH = "\n\n"
_OF_A_CALL = frozenset({"call_id", "name", "arguments"})
_OF_A_MESSAGE = frozenset({"role", "content"})
_IDENTITY = frozenset({"type", "id", "status"})


def read_text(items: Iterable[Item]) -> str:
    """The text of all messages."""
    return "".join([read_message_text(item) for item in items if item.get("type") == "message"])


def read_message_text(message: Item) -> str:
    """The text of one message; a refusal is not text of the answer."""
    parts = message.get("content") or ()
    return "".join([part.get("text") or "" for part in parts if part.get("type") == "output_text"])


def has_refusal(items: Iterable[Item]) -> bool:
    """True if the model said in some message that it will not answer."""
    return any(
        part.get("type") == "refusal"
        for item in items
        if item.get("type") == "message"
        for part in item.get("content") or ()
    )


def read_calls(items: Iterable[Item]) -> tuple[ToolCall, ...]:
    """The calls of Arc's tools; those of OpenAI's own have other types."""
    return tuple(
        ToolCall(
            str(item.get("call_id") or ""), str(item["name"]), str(item.get("arguments") or "")
        )
        for item in items
        if item.get("type") == "function_call"
    )


def read_reasoning(items: Iterable[Item]) -> tuple[Reasoning, ...]:
    """Read the model's reasoning, one for each item."""
    return tuple(_reasoning(item) for item in items if item.get("type") == "reasoning")


def read_summary(item: Item) -> str:
    """Return the visible text of an item of reasoning: its summary, else its text."""
    parts = item.get("summary") or item.get("content") or ()
    return _PARAGRAPH.join([part.get("text") or "" for part in parts])


def keep_vendor_content(items: Sequence[Item]) -> dict[str, Any] | None:
    """Return the content to keep beside text, calls and reasoning: None if there is no other."""
    types = [item.get("type") for item in items]
    single = types.count("message") == 1
    kept = [_leave_out_said(item, single=single) for item in items]
    in_order = types == sorted(types, key=lambda name: name == "function_call")
    return None if in_order and all(map(_is_ordinary, kept)) else {_KEY: kept}


def own_items(message: AssistantMessage) -> list[dict[str, Any]] | None:
    """The items a message came in, as they were kept; None if it came from elsewhere.

    None, too, if the message is no longer the same: its parts have no place in the items then.
    """
    match message.vendor_content:
        case {"openai_responses": list(items)}:
            return items if _fits(items, message) else None
        case _:
            return None


def reasoning_item(kept: Item, reasoning: Reasoning) -> dict[str, Any] | None:
    """An item of reasoning as it came; None if OpenAI neither keeps nor encrypted it.

    It would not know such an item again, and refuse it.
    """
    item = {**_said_by(reasoning), **kept}
    return item if item.get("encrypted_content") or item.get("content") else None


def _reasoning(item: Item) -> Reasoning:
    text, encrypted = read_summary(item), item.get("encrypted_content")
    signature = encrypted if isinstance(encrypted, str) else None
    return Reasoning(text, signature, redacted=not text and signature is not None)


def _said_by(reasoning: Reasoning) -> dict[str, Any]:
    """The item that a `Reasoning` alone tells of."""
    text = reasoning.text
    summary = [{"type": "summary_text", "text": text}] if text else []
    item: dict[str, Any] = {"type": "reasoning", "summary": summary}
    if reasoning.signature is not None:
        item["encrypted_content"] = reasoning.signature
    return item


def _leave_out_said(item: Item, *, single: bool) -> dict[str, Any]:
    """Return the fields of an item that the message lacks."""
    match item.get("type"):
        case "reasoning":
            said: Item = _said_by(_reasoning(item))
        case "function_call":
            said = dict.fromkeys(_OF_A_CALL)
        case "message" if single and _is_plain(item):
            said = dict.fromkeys(_OF_A_MESSAGE)
        case _:
            return dict(item)
    return {
        name: value
        for name, value in item.items()
        if name == "type" or (value is not None and not _says(said, name, value))
    }


def _says(said: Item, name: str, value: object) -> bool:
    """True if a field is said; None stands for any value of it."""
    return name in said and (said[name] is None or said[name] == value)


def _is_plain(message: Item) -> bool:
    """True if a message is one text without anything."""
    parts: Sequence[Item] = message.get("content") or ()
    return len(parts) == 1 and not any(
        value for name, value in parts[0].items() if name not in {"type", "text"}
    )


def _is_ordinary(kept: Item) -> bool:
    return kept.get("type") in {"message", "function_call"} and kept.keys() <= _IDENTITY


def _fits(items: Sequence[Item], message: AssistantMessage) -> bool:
    types = [item.get("type") for item in items]
    texts = [item for item in items if item.get("type") == "message"]
    says_text = any("content" not in item for item in texts)
    return (
        types.count("function_call") == len(message.tool_calls)
        and types.count("reasoning") == len(message.reasoning)
        and (says_text or read_text(texts) == message.text)
    )


_WITHOUT_REASON = {"message": "the response failed, and no reason was given"}


def decode_response(body: bytes) -> ChatResponse:
    """A whole answer."""
    response = json_value(body)
    check_status(response)
    items = response["output"]
    calls = read_calls(items)
    answer = AssistantMessage(
        read_text(items), calls, read_reasoning(items), keep_vendor_content(items)
    )
    reason = read_finish_reason(response, refused=has_refusal(items), has_calls=bool(calls))
    return ChatResponse(answer, read_usage(response), reason)


def check_status(response: Mapping[str, Any]) -> None:
    """See that a response is an answer, complete or cut off."""
    error, status = response.get("error"), response.get("status")
    if error or status == "failed":
        raise PayloadError(error or _WITHOUT_REASON)
    if status in {"cancelled", "queued", "in_progress"}:
        raise ModelUnavailableError(f"openai: the response is {status!r}")


def read_finish_reason(
    response: Mapping[str, Any], *, refused: bool, has_calls: bool
) -> FinishReason:
    """Arc's word for why a response ended; one that is not complete was cut off."""
    details = response.get("incomplete_details") or {}
    if refused or details.get("reason") == "content_filter":
        return FinishReason.CONTENT_FILTER
    if details or response.get("status") == "incomplete":
        return FinishReason.LENGTH
    return FinishReason.TOOL_CALLS if has_calls else FinishReason.STOP


def read_usage(response: Mapping[str, Any]) -> TokenUsage | None:
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
