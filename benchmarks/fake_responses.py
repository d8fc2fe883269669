"""What the fake vendor says through the Responses API: as much as OpenAI does, field by field."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Call", "response_body", "response_events"]

_MESSAGE_ID = "msg_0b3nchm4rk0000000000000000000000000000000000000000"
_USAGE = {
    "input_tokens": 40,
    "input_tokens_details": {"cached_tokens": 0},
    "output_tokens": 20,
    "output_tokens_details": {"reasoning_tokens": 0},
    "total_tokens": 60,
}


@dataclass(frozen=True)
class Call:
    """A call of a tool.

    Attributes:
        id: Of the call.
        name: Of the tool.
        arguments: As JSON.
    """

    id: str
    name: str
    arguments: str

    @property
    def parts(self) -> tuple[str, str]:
        """The arguments, as they are streamed."""
        middle = len(self.arguments) // 2
        return self.arguments[:middle], self.arguments[middle:]


def response_body(words: Sequence[str], calls: Sequence[Call]) -> dict[str, Any]:
    """A whole response."""
    return _response("completed", _items(words, calls), _USAGE)


def response_events(words: Sequence[str], calls: Sequence[Call]) -> list[dict[str, Any]]:
    """The events of a streamed response."""
    begun = _response("in_progress", [], None)
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": begun},
        {"type": "response.in_progress", "response": begun},
    ]
    for index, item in enumerate(_items(words, calls)):
        empty: dict[str, Any] = {"arguments": ""} if calls else {"content": []}
        start = {**item, "status": "in_progress", **empty}
        events.append({"type": "response.output_item.added", "output_index": index, "item": start})
        events += _call_events(index, item, calls[index]) if calls else _text_events(words)
        events.append({"type": "response.output_item.done", "output_index": index, "item": item})
    events.append({"type": "response.completed", "response": response_body(words, calls)})
    return [{**event, "sequence_number": number} for number, event in enumerate(events)]


def _text_events(words: Sequence[str]) -> list[dict[str, Any]]:
    place = {"content_index": 0, "item_id": _MESSAGE_ID, "output_index": 0}
    part = {"type": "output_text", "annotations": [], "logprobs": []}
    text, logprobs = "".join(words), {"logprobs": [], "obfuscation": "x7Yz"}
    return [
        {"type": "response.content_part.added", **place, "part": {**part, "text": ""}},
        *(
            {"type": "response.output_text.delta", **place, "delta": word, **logprobs}
            for word in words
        ),
        {"type": "response.output_text.done", **place, "text": text, "logprobs": []},
        {"type": "response.content_part.done", **place, "part": {**part, "text": text}},
    ]


def _call_events(index: int, item: dict[str, Any], call: Call) -> list[dict[str, Any]]:
    kind = "response.function_call_arguments"
    place = {"item_id": item["id"], "output_index": index}
    pieces = [{"type": f"{kind}.delta", **place, "delta": part} for part in call.parts]
    return [*pieces, {"type": f"{kind}.done", **place, "arguments": call.arguments}]


def _items(words: Sequence[str], calls: Sequence[Call]) -> list[dict[str, Any]]:
    if calls:
        return [
            {
                "id": f"fc_{call.id}",
                "type": "function_call",
                "call_id": call.id,
                "name": call.name,
                "status": "completed",
                "arguments": call.arguments,
            }
            for call in calls
        ]
    part = {"type": "output_text", "annotations": [], "logprobs": [], "text": "".join(words)}
    message = {"type": "message", "role": "assistant", "status": "completed", "content": [part]}
    return [{"id": _MESSAGE_ID, **message}]


def _response(
    status: str, items: list[dict[str, Any]], usage: dict[str, Any] | None
) -> dict[str, Any]:
    return {
        "id": "resp_b3nchm4rk",
        "object": "response",
        "status": status,
        "error": None,
        "incomplete_details": None,
        "model": "bench-1",
        "output": items,
        "usage": usage,
    }
