"""From Arc's requests to the bodies of requests for a response."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import BaseModel

from arc_core import (
    AssistantMessage,
    Attachment,
    ChatRequest,
    Content,
    Message,
    Reasoning,
    SystemMessage,
    Text,
    Tool,
    ToolResultMessage,
    UserMessage,
)
from arc_core.wire import (
    CallIds,
    EncodedMessages,
    EncodedParts,
    defer_loading,
    json_array,
    json_bytes,
    json_object,
    sendable_name,
)
from arc_core.wire.attachments import (
    IMAGE_TYPES,
    PDF,
    data_url,
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
        {
            "type": "function_call",
            "call_id": call_id,
            "name": sendable_name(call.name),
            "arguments": call.arguments if call.arguments.strip() else "{}",
        }
        for call, call_id in zip(message.tool_calls, call_ids, strict=True)
    ]
    kept = own_items(message)
    if kept is None:
        text = write_answer(message.content)
        said = [{"role": "assistant", "content": text}] if text else []
        return [*said, *calls]
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
                text = {"type": "output_text", "text": message.text, "annotations": []}
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


@dataclass(frozen=True, slots=True)
class ResponsesDialect(OpenAIDialect):
    """Begins with everything and learns from the parameters that a model rejects.

    Attributes:
        takes_include: Whether reasoning can be asked for in its encrypted form.
        takes_summary: Whether it sums up what it thought; OpenAI allows it to verified
            organizations only.
        takes_format: Whether the server enforces JSON and schemas.
        takes_cache_key: Whether the server keeps the beginnings of requests by a key.
        takes_reasoning: Whether what was thought before is sent back. It cannot be if it was
            encrypted for another organization. Learnt for one request: others hold other reasoning.
    """

    takes_include: bool = True
    takes_summary: bool = True
    takes_format: bool = True
    takes_cache_key: bool = True
    takes_reasoning: bool = True

    def without(self, parameter: str) -> "ResponsesDialect":
        """The dialect that leaves a parameter out; itself if Arc cannot do without it."""
        field = _FIELDS.get(".".join(parameter.partition("[")[0].split(".")[:2]))
        return replace(self, **{field: False}) if field is not None else self


_FIELDS = {
    "invalid_encrypted_content": "takes_reasoning",  # the code of such a refusal
    "include": "takes_include",
    "prompt_cache_key": "takes_cache_key",
    "reasoning.summary": "takes_summary",
    "text": "takes_format",
    "text.format": "takes_format",
}
"""The change that a rejected parameter makes, by its first two names, or a code."""

_MIN_OUTPUT_TOKENS = 16  # the API refuses less


class ResponsesRequestEncoder:
    """Encodes requests; what was encoded once is kept with its message, tool or schema."""

    def __init__(
        self, *, prompt_caching: bool, verbosity: str | None = None, searches_tools: bool = False
    ) -> None:
        self._prompt_caching = prompt_caching
        self._verbosity, self._searches_tools = verbosity, searches_tools
        self._messages = EncodedMessages(_encode_message)
        self._tools = EncodedParts(_encode_tool)
        self._formats = EncodedParts(_encode_schema)

    def encode(
        self, request: ChatRequest, *, model: str, dialect: ResponsesDialect, stream: bool
    ) -> bytes:
        """The body of a request, as far as `dialect` takes its parameters; OpenAI keeps nothing.

        What stays the same in a session stands first, what is new behind it.
        """
        messages: Sequence[Message] = request.messages
        if not dialect.takes_reasoning:
            messages = [without_reasoning(message) for message in messages]
        choice = {"type": "function", "name": request.tool_choice}
        system = request.system_prompt
        fields = {
            "model": json_bytes(model),
            "instructions": json_bytes(system) if system else b"",
            "tools": json_array(self._encode_tools(request)) if request.tools else b"",
            "input": json_array(self._messages.encode(messages, CallIds())),
            "store": b"false",
            "tool_choice": encode_choice(request, choice),
            "include": b'["reasoning.encrypted_content"]' if dialect.takes_include else b"",
            "text": self._encode_text(request, dialect),
            "stream": b"true" if stream else b"",
        }
        if request.reasoning is not None:
            summary = {"summary": "auto"} if dialect.takes_summary else {}
            fields["reasoning"] = json_bytes({"effort": request.reasoning.value, **summary})
        if request.temperature is not None:
            fields["temperature"] = json_bytes(request.temperature)
        if request.max_output_tokens is not None:
            fields["max_output_tokens"] = b"%d" % max(request.max_output_tokens, _MIN_OUTPUT_TOKENS)
        if request.cache_key and self._prompt_caching and dialect.takes_cache_key:
            fields["prompt_cache_key"] = json_bytes(request.cache_key)
        return json_object(fields)

    def _encode_tools(self, request: ChatRequest) -> Iterator[bytes]:
        if not self._searches_tools:
            yield from map(self._tools.encode, request.tools)
            return
        for tool in request.tools:
            yield defer_loading(self._tools.encode(tool), tool, choice=request.tool_choice)
        yield b'{"type":"tool_search"}'

    def _encode_text(self, request: ChatRequest, dialect: ResponsesDialect) -> bytes:
        parts = {
            "format": encode_format(request, self._formats) if dialect.takes_format else b"",
            "verbosity": b"" if self._verbosity is None else json_bytes(self._verbosity),
        }
        return json_object(parts) if any(parts.values()) else b""


def _encode_message(message: Message, call_ids: tuple[str, ...]) -> bytes:
    return b",".join(map(json_bytes, encode_input_items(message, call_ids)))


def _encode_tool(tool: Tool) -> bytes:
    return json_bytes(
        {
            "type": "function",
            "name": tool.name,
            "description": tool.description,
            "parameters": {"type": "object", "properties": {}, **tool.parameters},
            "strict": False,  # it is true if it is not said, and most schemas of tools are wider
        }
    )


def _encode_schema(schema: type[BaseModel] | Mapping[str, Any]) -> bytes:
    """Empty if the vendor's subset cannot say it."""
    named = name_schema(schema)
    return b"" if named is None else json_bytes({"type": "json_schema", **named})
