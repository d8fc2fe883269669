"""From Arc's messages to those of a chat completion request."""

from collections.abc import Mapping, Sequence
from itertools import chain, repeat
from typing import Any

from arc_core import (
    AssistantMessage,
    Attachment,
    Content,
    Message,
    Part,
    SystemMessage,
    Text,
    ToolCall,
    ToolResult,
    ToolResultMessage,
    UserMessage,
)
from arc_core.wire import sendable_name
from arc_core.wire.attachments import (
    IMAGE_TYPES,
    PDF,
    data_url,
    encode_base64,
    is_text,
    text_in,
    unsendable,
)

SOUND_FORMATS = {
    "audio/mp3": "mp3",
    "audio/mpeg": "mp3",
    "audio/wav": "wav",
    "audio/wave": "wav",
    "audio/x-wav": "wav",
}


def encode_parts(content: Content) -> str | list[dict[str, Any]]:
    """The content of a user's message; a text stays one."""
    if isinstance(content, str):
        return content
    return [_part(part) for part in content]


def _part(part: Text | Attachment) -> dict[str, Any]:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    if part.media_type in IMAGE_TYPES:
        return {"type": "image_url", "image_url": {"url": part.url or data_url(part)}}
    if part.media_type == PDF:
        name = part.name or "document.pdf"
        return {"type": "file", "file": {"filename": name, "file_data": data_url(part)}}
    if part.media_type in SOUND_FORMATS:
        sound = {"data": encode_base64(part), "format": SOUND_FORMATS[part.media_type]}
        return {"type": "input_audio", "input_audio": sound}
    if is_text(part.media_type):
        return {"type": "text", "text": f"[{part.name or part.media_type}]\n{text_in(part)}"}
    raise unsendable(part)


def encode_payloads(message: Message, call_ids: Sequence[str]) -> list[dict[str, Any]]:
    """Encode a message: one payload, or one per tool result and one for what they attach."""
    match message:
        case SystemMessage(content=content):
            return [{"role": "system", "content": content}]
        case UserMessage(content=content):
            return [{"role": "user", "content": encode_parts(content)}]
        case AssistantMessage():
            return [_assistant(message, call_ids)]
        case ToolResultMessage(results=results):
            return _tool_results(results, call_ids)


def _assistant(message: AssistantMessage, call_ids: Sequence[str]) -> dict[str, Any]:
    if not message.tool_calls:
        return {"role": "assistant", "content": message.content}
    kept = _kept_fields(message)
    beside = chain(kept.get("calls") or (), repeat({}))
    calls = [
        _tool_call(call, call_id, returned)
        for call, call_id, returned in zip(message.tool_calls, call_ids, beside, strict=False)
    ]
    return {
        "role": "assistant",
        "content": message.content or None,
        "tool_calls": calls,
        **_reasoning(message, kept),
        **(kept.get("message") or {}),
    }


def _tool_call(call: ToolCall, call_id: str, returned: Mapping[str, Any]) -> dict[str, Any]:
    arguments = call.arguments if call.arguments.strip() else "{}"
    function = {"name": sendable_name(call.name), "arguments": arguments}
    return {"id": call_id, "type": "function", "function": function, **returned}


def _tool_results(results: Sequence[ToolResult], call_ids: Sequence[str]) -> list[dict[str, Any]]:
    """The texts; what is attached follows as the user's, since the API takes it nowhere else."""
    payloads: list[dict[str, Any]] = []
    attached: list[Part] = []
    for result, call_id in zip(results, call_ids, strict=True):
        content = result.text
        if attachments := _attachments(result.content):
            note = f"[{len(attachments)} attached, in the message after the results]"
            content = f"{content}\n{note}".lstrip()
            attached += [
                Text(f"Attached to the result of {result.name} ({call_id}):"),
                *attachments,
            ]
        payloads.append({"role": "tool", "tool_call_id": call_id, "content": content})
    if attached:
        payloads.append({"role": "user", "content": encode_parts(tuple(attached))})
    return payloads


def _attachments(content: Content) -> list[Attachment]:
    parts = () if isinstance(content, str) else content
    return [part for part in parts if isinstance(part, Attachment)]


def _kept_fields(message: AssistantMessage) -> Mapping[str, Any]:
    match message.vendor_content:
        case {"openai": Mapping() as kept}:
            return kept
        case _:
            return {}


def _reasoning(message: AssistantMessage, kept: Mapping[str, Any]) -> dict[str, Any]:
    """Return the reasoning before the calls, in the field in which the server has sent it."""
    match kept:
        case {"reasoning_field": str(field)} if message.reasoning:
            return {field: "".join(thought.text for thought in message.reasoning)}
        case {"reasoning_content": str(reasoning)}:  # as Arc 0.1 has stored it
            return {"reasoning_content": reasoning}
        case _:
            return {}
