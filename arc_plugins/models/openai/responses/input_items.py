"""From Arc's messages to the input items of a request."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from arc_core import (
    AssistantMessage,
    Attachment,
    Content,
    Message,
    Reasoning,
    SystemMessage,
    Text,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from arc_core.wire import sendable_name
from arc_core.wire.attachments import IMAGE_TYPES, PDF, data_url, is_text, text_in, unsendable
from arc_plugins.models.openai.responses.decode import own_items, reasoning_item


def encode_content(content: Content) -> str | list[dict[str, Any]]:
    """The content of a message or of a tool's result; a text stays a text."""
    if isinstance(content, str):
        return content
    return [_part(part) for part in content]


def _part(part: Text | Attachment) -> dict[str, Any]:
    if isinstance(part, Text):
        return {"type": "input_text", "text": part.text}
    if part.media_type in IMAGE_TYPES:
        address = part.url or data_url(part)
        return {"type": "input_image", "detail": "auto", "image_url": address}
    if part.media_type == PDF:
        if part.url is not None:
            return {"type": "input_file", "file_url": part.url}
        name = part.name or "document.pdf"
        return {"type": "input_file", "filename": name, "file_data": data_url(part)}
    if is_text(part.media_type):
        text = f"[{part.name or part.media_type}]\n{text_in(part)}"
        return {"type": "input_text", "text": text}
    raise unsendable(part)


_REFERABLE = frozenset({"message", "function_call"})


def encode_input_items(message: Message, call_ids: Sequence[str]) -> list[dict[str, Any]]:
    """Encode a message; nothing for an assistant's that says nothing."""
    match message:
        case SystemMessage(content=content):
            return [{"role": "system", "content": content}]
        case UserMessage(content=content):
            return [{"role": "user", "content": encode_content(content)}]
        case AssistantMessage():
            return _assistant(message, call_ids)
        case ToolResultMessage(results=results):
            return [
                {
                    "type": "function_call_output",
                    "call_id": call_id,
                    "output": encode_content(result.content),
                }
                for call_id, result in zip(call_ids, results, strict=True)
            ]


def without_reasoning(message: Message) -> Message:
    """A message without what was thought, whose items keep their order; itself if there is none."""
    if not isinstance(message, AssistantMessage) or not message.reasoning:
        return message
    return replace(message, reasoning=(Reasoning("", None),) * len(message.reasoning))


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
