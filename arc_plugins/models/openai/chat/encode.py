"""From Arc's requests to the bodies of chat completion requests."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, repeat
from typing import Any

from pydantic import BaseModel

from arc_core import (
    AssistantMessage,
    Attachment,
    ChatRequest,
    Content,
    Message,
    Part,
    SystemMessage,
    Text,
    Tool,
    ToolResult,
    ToolResultMessage,
    UserMessage,
)
from arc_core.wire import (
    CallIds,
    EncodedMessages,
    EncodedParts,
    json_array,
    json_bytes,
    json_object,
    sendable_name,
)
from arc_core.wire.attachments import (
    IMAGE_TYPES,
    PDF,
    data_url,
    encode_base64,
    is_text,
    text_in,
    unsendable,
    write_answer,
)
from arc_plugins.models.openai.client import (
    OpenAIDialect,
    encode_choice,
    encode_format,
    name_schema,
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
    content = message.vendor_content
    kept = content.get("openai") if isinstance(content, Mapping) else None
    kept = kept if isinstance(kept, Mapping) else {}
    returned_fields = kept.get("message") or {}
    if not message.tool_calls:
        text = write_answer(message.content)
        return {"role": "assistant", "content": text, **returned_fields}
    beside = chain(kept.get("calls") or (), repeat({}))
    calls = [
        {
            "id": call_id,
            "type": "function",
            "function": {
                "name": sendable_name(call.name),
                "arguments": call.arguments if call.arguments.strip() else "{}",
            },
            **returned,
        }
        for call, call_id, returned in zip(message.tool_calls, call_ids, beside, strict=False)
    ]
    return {
        "role": "assistant",
        "content": write_answer(message.content) or None,
        "tool_calls": calls,
        **_reasoning(message, kept),
        **returned_fields,
    }


def _tool_results(results: Sequence[ToolResult], call_ids: Sequence[str]) -> list[dict[str, Any]]:
    """The texts; what is attached follows as the user's, since the API takes it nowhere else."""
    payloads: list[dict[str, Any]] = []
    attached: list[Part] = []
    for result, call_id in zip(results, call_ids, strict=True):
        content = result.text
        parts = () if isinstance(result.content, str) else result.content
        if attachments := [part for part in parts if isinstance(part, Attachment)]:
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


def _reasoning(message: AssistantMessage, kept: Mapping[str, Any]) -> dict[str, Any]:
    """Return the reasoning before the calls, in the field in which the server has sent it."""
    match kept:
        case {"reasoning_field": str(field)} if message.reasoning:
            return {field: "".join(thought.text for thought in message.reasoning)}
        case {"reasoning_content": str(reasoning)}:  # as Arc 0.1 has stored it
            return {"reasoning_content": reasoning}
        case _:
            return {}


@dataclass(frozen=True, slots=True)
class ChatDialect(OpenAIDialect):
    """Begins with what is usual and learns from the parameters that a server rejects.

    Attributes:
        max_tokens_names: What the bound of the answer may be called; the first is sent.
        takes_stream_options: Whether token counts can be asked for in a stream.
        takes_response_format: Whether the server enforces JSON and schemas.
        needs_no_reasoning: Whether tools are taken only together with `reasoning_effort` `none`,
            as by OpenAI's newer models; a request that says how much to think is sent as it is.
        takes_cache_key: Whether requests may say which of them begin alike.
    """

    max_tokens_names: tuple[str, ...] = ("max_completion_tokens", "max_tokens")
    takes_stream_options: bool = True
    takes_response_format: bool = True
    needs_no_reasoning: bool = False
    takes_cache_key: bool = True

    def without(self, parameter: str) -> "ChatDialect":
        """The dialect that leaves a parameter out; itself if Arc cannot do without it."""
        name = parameter.partition(".")[0]
        if name in self.max_tokens_names[:1]:
            return replace(self, max_tokens_names=self.max_tokens_names[1:])
        return replace(self, **_CHANGES.get(name, {}))


_CHANGES: Mapping[str, Mapping[str, Any]] = {
    "prompt_cache_key": {"takes_cache_key": False},
    "reasoning_effort": {"needs_no_reasoning": True},
    "response_format": {"takes_response_format": False},
    "stream_options": {"takes_stream_options": False},
}


def dialect_of_host(host: str) -> ChatDialect:
    """OpenAI's own, or what its imitators understand best."""
    if host == "openai.com" or host.endswith((".openai.com", ".openai.azure.com")):
        return ChatDialect()
    names = ("max_tokens", "max_completion_tokens")
    return ChatDialect(max_tokens_names=names, takes_cache_key=False)


class ChatRequestEncoder:
    """Encodes requests; what was encoded once is kept with its message, tool or schema."""

    def __init__(self, *, sends_cache_key: bool) -> None:
        self._sends_cache_key = sends_cache_key
        self._messages = EncodedMessages(_encode_message)
        self._tools = EncodedParts(_encode_tool)
        self._formats = EncodedParts(_encode_schema)

    def encode(
        self, request: ChatRequest, *, model: str, dialect: ChatDialect, stream: bool
    ) -> bytes:
        """The body of a request, as far as `dialect` takes its parameters.

        It begins with what stays the same over a session.
        """
        messages = self._messages.encode(request.messages, CallIds())
        if request.system_prompt:
            messages.insert(0, json_bytes({"role": "system", "content": request.system_prompt}))
        choice = {"type": "function", "function": {"name": request.tool_choice}}
        fields = {
            "model": json_bytes(model),
            "tools": json_array(map(self._tools.encode, request.tools)) if request.tools else b"",
            "messages": json_array(messages),
            "tool_choice": encode_choice(request, choice),
            "response_format": encode_format(request, self._formats)
            if dialect.takes_response_format
            else b"",
        }
        if request.reasoning is not None:
            fields["reasoning_effort"] = json_bytes(request.reasoning)
        elif request.tools and dialect.needs_no_reasoning:
            fields["reasoning_effort"] = b'"none"'
        if request.temperature is not None:
            fields["temperature"] = json_bytes(request.temperature)
        if request.cache_key and self._sends_cache_key and dialect.takes_cache_key:
            fields["prompt_cache_key"] = json_bytes(request.cache_key)
        if request.max_output_tokens is not None and dialect.max_tokens_names:
            fields[dialect.max_tokens_names[0]] = b"%d" % request.max_output_tokens
        if stream:
            fields["stream"] = b"true"
            if dialect.takes_stream_options:
                fields["stream_options"] = b'{"include_usage":true}'
        return json_object(fields)


def _encode_message(message: Message, call_ids: tuple[str, ...]) -> bytes:
    return b",".join(map(json_bytes, encode_payloads(message, call_ids)))


def _encode_tool(tool: Tool) -> bytes:
    parameters = {"type": "object", "properties": {}, **tool.parameters}
    function = {"name": tool.name, "description": tool.description, "parameters": parameters}
    return json_bytes({"type": "function", "function": function})


def _encode_schema(schema: type[BaseModel] | Mapping[str, Any]) -> bytes:
    """Empty if the vendor's subset cannot say it: then the prompt's instruction is alone."""
    named = name_schema(schema)
    return b"" if named is None else json_bytes({"type": "json_schema", "json_schema": named})
