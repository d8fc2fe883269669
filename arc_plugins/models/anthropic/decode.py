"""From Anthropic's messages and their content blocks to Arc's values, and the blocks back."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from arc_core import AssistantMessage, ChatResponse, FinishReason, Reasoning, TokenUsage, ToolCall
from arc_core.wire import json_bytes, json_value, token_usage
from arc_core.wire.http_chat_model import PayloadError

_IN_ORDER = ("thinking", "text", "tool_use")
_THINKING = {"type": "thinking"}
_TOOL_USE = {"type": "tool_use"}
_FIELDS_OF_THINKING = frozenset({"type", "thinking", "signature", "data"})


class ContentBlock:
    """A block that comes in pieces."""

    def __init__(self, start: Mapping[str, Any]) -> None:
        self.text: list[str] = []
        self._start = start
        self._pieces: defaultdict[str, list[str]] = defaultdict(list)
        self._citations: list[object] = []

    def add(self, delta: Mapping[str, Any]) -> None:
        """Take a delta: its texts are appended, whatever its kind, but a signature replaces."""
        for field, piece in delta.items():
            if field != "type" and isinstance(piece, str):
                self._pieces[field].append(piece)
        if "citation" in delta:
            self._citations.append(delta["citation"])

    def is_announced_by(self, start: Mapping[str, Any]) -> bool:
        """True if a `content_block_start` is that of this block, sent again."""
        return all(start.get(name) == self._start.get(name) for name in ("type", "id"))

    def build(self) -> dict[str, Any]:
        """The block so far."""
        block = dict(self._start)
        if self.text:
            block["text"] = "".join([block.get("text") or "", *self.text])
        for field, pieces in self._pieces.items():
            text = "".join(pieces)
            if field == "partial_json":
                block["input"] = _parse(text)
            elif field == "signature":
                block[field] = pieces[-1]  # it signs the whole: a part of it is worth nothing
            else:
                block[field] = (block.get(field) or "") + text
        if self._citations:
            block["citations"] = [*(block.get("citations") or ()), *self._citations]
        return block


def join_text(blocks: Sequence[Mapping[str, Any]]) -> str:
    """The text of all text blocks."""
    return "".join(block.get("text") or "" for block in blocks if block.get("type") == "text")


def read_text(block: Mapping[str, Any], field: str) -> str:
    """The text of a field, empty if there is none; raises `TypeError` if it is not a text."""
    return "" + (block.get(field) or "")


def find_tool_uses(blocks: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The blocks that call Arc's tools; the vendor's own tools have blocks of other types."""
    return [block for block in blocks if block.get("type") == "tool_use"]


def read_reasoning(blocks: Sequence[Mapping[str, Any]]) -> tuple[Reasoning, ...]:
    """Read the model's reasoning, in its order."""
    return tuple(_reasoning(block) for block in blocks if _kind(block) == "thinking")


def _reasoning(block: Mapping[str, Any]) -> Reasoning:
    if block["type"] == "redacted_thinking":
        return Reasoning("", read_text(block, "data") or None, redacted=True)
    return Reasoning(read_text(block, "thinking"), read_text(block, "signature") or None)


def thinking_blocks(reasoning: Sequence[Reasoning]) -> list[dict[str, Any]]:
    """The blocks again; without those that have no signature, which the vendor refuses."""
    signed = [thought for thought in reasoning if thought.signature]
    return [
        {"type": "redacted_thinking", "data": thought.signature}
        if thought.redacted
        else {"type": "thinking", "thinking": thought.text, "signature": thought.signature}
        for thought in signed
    ]


def keep_vendor_content(blocks: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """Return the content to keep beside reasoning, text and calls: None if there is no other.

    What the vendor's own tools did must go back as it came. Tool calls and thinking keep their
    place only; the message has them. In the usual order they need none: the list is empty then,
    and tells whose signatures those of the reasoning are.
    """
    kinds = [_kind(block) for block in blocks]
    if all(kind in {"text", "tool_use"} for kind in kinds):
        return None
    is_known = all(
        block.keys() <= _FIELDS_OF_THINKING for block in blocks if _kind(block) == "thinking"
    )
    is_usual = all(kind in _IN_ORDER for kind in kinds) and kinds == sorted(
        kinds, key=_IN_ORDER.index
    )
    if is_known and is_usual and not any(block.get("citations") for block in blocks):
        return {"anthropic": []}
    places = {"tool_use": _TOOL_USE, **({"thinking": _THINKING} if is_known else {})}
    return {"anthropic": [places.get(_kind(block), block) for block in blocks]}


def own_blocks(message: AssistantMessage) -> list[dict[str, Any]] | None:
    """The blocks a message came in, if it is still the same; None for another vendor's.

    Tool calls have their place only.
    """
    match message.vendor_content:
        case {"anthropic": []}:
            texts = [{"type": "text", "text": message.text}]
            calls = [_TOOL_USE] * len(message.tool_calls)
            return [*thinking_blocks(message.reasoning), *texts, *calls]
        case {"anthropic": list(blocks)}:
            has_same_calls = len(find_tool_uses(blocks)) == len(message.tool_calls)
            has_same_text = join_text(blocks) == message.text
            return _with_thinking(blocks, message) if has_same_calls and has_same_text else None
        case _:
            return None


def join_messages(first: AssistantMessage, second: AssistantMessage) -> AssistantMessage:
    """One message of two parts of a turn, with the blocks of both."""
    kept = first.vendor_content if isinstance(first.vendor_content, Mapping) else {}
    return AssistantMessage(
        first.text + second.text,
        first.tool_calls + second.tool_calls,
        first.reasoning + second.reasoning,
        {**kept, "anthropic": [*_blocks_in(first), *_blocks_in(second)]},
    )


def _blocks_in(message: AssistantMessage) -> list[dict[str, Any]]:
    blocks = own_blocks(message)
    if blocks is not None:
        return blocks
    return [{"type": "text", "text": message.text}, *[_TOOL_USE] * len(message.tool_calls)]


def _with_thinking(
    blocks: list[dict[str, Any]], message: AssistantMessage
) -> list[dict[str, Any]] | None:
    if blocks.count(_THINKING) not in {0, len(message.reasoning)}:
        return None
    thoughts = iter(message.reasoning)
    filled = [
        thinking_blocks([next(thoughts)]) if block == _THINKING else [block] for block in blocks
    ]
    return [block for part in filled for block in part]


def _kind(block: Mapping[str, Any]) -> str:
    kind = "" + block["type"]
    return "thinking" if kind == "redacted_thinking" else kind


def _parse(text: str) -> Any:
    try:
        return json_value(text.encode() or b"{}")
    except ValueError:
        return {}


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
    arguments = json_bytes(block["input"]).decode()
    return ToolCall(str(block.get("id") or ""), "" + block["name"], arguments)
