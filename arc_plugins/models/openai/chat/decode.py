"""From a chat completion, OpenAI's or an imitator's, to Arc's values.

Some fields of calls and messages go back as they came: signatures and encrypted reasoning, mostly.
They are few and known by name: what is not named here is the server's alone, and most servers
refuse a request that has a field they do not know.
"""

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
from arc_core.wire import json_bytes, json_value, token_usage
from arc_core.wire.http_chat_model import PayloadError, unwrap

CALL_FIELDS = (
    "extra_content",  # Google's signature of a thought; Gemini refuses a call without it
    "provider_specific_fields",  # the same, by way of LiteLLM
)
MESSAGE_FIELDS = (
    "reasoning_details",  # OpenRouter and MiniMax
    "thinking_blocks",  # Anthropic's, by way of LiteLLM
    "reasoning_opaque",  # GitHub
    "extra_content",
)
_THOUGHTS = ("reasoning_details", "thinking_blocks")
_APPENDED = ("text", "summary", "thinking")
_OF_THE_PIECE = "thought"  # Google marks a piece of text with it, and not the message


def returned_fields(payload: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """The fields of a call or message that are not empty, by name."""
    return {name: payload[name] for name in names if payload.get(name)}


def thoughts_in(message: Mapping[str, Any]) -> str:
    """The text of the blocks of reasoning in a message or delta."""
    blocks = [block for name in _THOUGHTS for block in _list(message.get(name))]
    texts = [block.get(name) for block in blocks if _is_object(block) for name in _APPENDED]
    return "".join([text for text in texts if isinstance(text, str)])


class StreamedFields:
    """Puts the fields of one call or message together from the pieces of a stream.

    Blocks of lists continue each other, objects are merged, anything else is replaced.
    """

    def __init__(self) -> None:
        self._lists: dict[str, list[_Block]] = {}
        self._objects: dict[str, StreamedFields] = {}
        self._values: dict[str, Any] = {}

    def add(self, fields: Mapping[str, Any]) -> None:
        """Take the fields of a piece, which may be whole."""
        for name, value in fields.items():
            if isinstance(value, list):
                blocks = self._lists.setdefault(name, [])
                for each in value:
                    if not (blocks and blocks[-1].take(each)):
                        blocks.append(_Block(each))
            elif isinstance(value, Mapping):
                self._objects.setdefault(name, StreamedFields()).add(value)
            elif name != _OF_THE_PIECE:
                self._values[name] = value

    def build(self) -> dict[str, Any]:
        """The fields so far, without those of which nothing is left."""
        lists = {name: [each.build() for each in blocks] for name, blocks in self._lists.items()}
        objects = {name: each.build() for name, each in self._objects.items()}
        built = {**lists, **objects, **self._values}
        return {name: value for name, value in built.items() if value not in ({}, [])}


class _Block:
    """A block of reasoning, whose text comes in pieces and whose signature comes last."""

    def __init__(self, start: Any) -> None:
        self._start = start
        self._fields: dict[str, Any] = dict(start) if _is_object(start) else {}
        self._pieces: dict[str, list[str]] = {}

    def take(self, piece: Any) -> bool:
        """Continue with a piece; False if it begins another block.

        The index alone does not tell blocks apart, since OpenRouter streams all of them under 0.
        Encrypted ones come whole, and nothing follows a signature.
        """
        known = self._fields
        is_piece = known and _is_object(piece) and not known.get("signature")
        if not is_piece or not any(name in piece for name in (*_APPENDED, "signature")):
            return False
        if any(piece.get(name) not in (None, known.get(name)) for name in ("type", "index", "id")):
            return False
        for name, value in piece.items():
            if name in _APPENDED and isinstance(value, str) and isinstance(known.get(name), str):
                self._pieces.setdefault(name, [known[name]]).append(value)
            elif value is not None or name not in known:
                known[name] = value
        return True

    def build(self) -> Any:
        """The block so far."""
        if not self._fields:
            return self._start
        return {**self._fields, **{name: "".join(each) for name, each in self._pieces.items()}}


def _is_object(value: object) -> bool:
    return isinstance(value, Mapping)


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


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
    reasoning_field: str | None, *, message: Mapping[str, Any], calls: Sequence[Mapping[str, Any]]
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
