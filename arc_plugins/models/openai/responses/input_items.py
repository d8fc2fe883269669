"""From Arc's messages to the input items of a request."""

from collections.abc import Iterable, Sequence
from typing import Any

from arc_core import (
    AssistantMessage,
    Message,
    SystemMessage,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from arc_core.wire import sendable_name
from arc_plugins.models.openai.responses.attachments import content_of
from arc_plugins.models.openai.responses.output_items import own_items, reasoning_item

__all__ = ["input_items_of"]

_REFERABLE = frozenset({"message", "function_call"})


def input_items_of(message: Message, call_ids: Sequence[str]) -> list[dict[str, Any]]:
    """What is sent for a message; nothing for an assistant's that says nothing.

    Args:
        message: Any.
        call_ids: Of its calls or results, by place.
    """
    match message:
        case SystemMessage(content=content):
            return [{"role": "system", "content": content}]
        case UserMessage(content=content):
            return [{"role": "user", "content": content_of(content)}]
        case AssistantMessage():
            return _assistant(message, call_ids)
        case ToolResultMessage(results=results):
            return [
                {
                    "type": "function_call_output",
                    "call_id": call_id,
                    "output": content_of(result.content),
                }
                for call_id, result in zip(call_ids, results, strict=True)
            ]


def _assistant(message: AssistantMessage, call_ids: Sequence[str]) -> list[dict[str, Any]]:
    calls = [
        _function_call(call, call_id)
        for call, call_id in zip(message.tool_calls, call_ids, strict=True)
    ]
    kept = own_items(message)
    if kept is None:
        return [*_text(message.content), *calls]
    items = list(_items_as_they_came(kept, message, calls))
    return items if len(items) == len(kept) else list(map(_without_reference, items))


def _items_as_they_came(
    kept: Iterable[dict[str, Any]], message: AssistantMessage, calls: Sequence[dict[str, Any]]
) -> Iterable[dict[str, Any]]:
    """The items of an answer in their order, without reasoning that OpenAI would refuse."""
    next_call, next_reasoning = iter(calls), iter(message.reasoning)
    for item in kept:
        match item.get("type"):
            case "function_call":
                yield {**item, **next(next_call)}
            case "reasoning":
                returned = reasoning_item(item, next(next_reasoning))
                if returned is not None:
                    yield returned
            case "message" if "content" not in item:
                text = {"type": "output_text", "text": message.content, "annotations": []}
                yield {"role": "assistant", **item, "content": [text]}
            case _:
                yield item


def _without_reference(item: dict[str, Any]) -> dict[str, Any]:
    """An item that refers to none of those that are left out: ids would."""
    kind = item.get("type")
    if kind not in _REFERABLE:
        return item
    if kind == "function_call":
        return {name: value for name, value in item.items() if name != "id"}
    texts = [part.get("text") or part.get("refusal") or "" for part in item["content"] or ()]
    phase = {"phase": item["phase"]} if "phase" in item else {}
    return {"role": "assistant", "content": "".join(texts), **phase}


def _text(text: str) -> list[dict[str, Any]]:
    return [{"role": "assistant", "content": text}] if text else []


def _function_call(call: ToolCall, call_id: str) -> dict[str, Any]:
    arguments = call.arguments if call.arguments.strip() else "{}"
    name = sendable_name(call.name)
    return {"type": "function_call", "call_id": call_id, "name": name, "arguments": arguments}
