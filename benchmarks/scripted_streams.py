"""Answers of the three APIs as streams: a text, or calls of tools with their arguments."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

__all__ = ["STREAMS", "Call"]

Call = tuple[str, Mapping[str, Any]]
"""A tool that is called, and with what."""


def _chat(text: str, calls: Sequence[Call], turn: int) -> Iterable[tuple[str, Any]]:
    """The events of a chat completion, which have no names."""
    delta: dict[str, Any] = {"role": "assistant", "content": text or None}
    if calls:
        delta["tool_calls"] = [
            {
                "index": index,
                "id": f"call_{turn}_{index}",
                "type": "function",
                "function": {"name": name, "arguments": json.dumps(arguments)},
            }
            for index, (name, arguments) in enumerate(calls)
        ]
    choice = {"index": 0, "delta": delta, "finish_reason": "tool_calls" if calls else "stop"}
    chunk = {"id": f"chatcmpl-{turn}", "object": "chat.completion.chunk", "choices": [choice]}
    return [("", chunk)]


def _response(text: str, calls: Sequence[Call], turn: int) -> Iterable[tuple[str, Any]]:
    """The events of a response."""
    items: list[dict[str, Any]] = [
        {
            "id": f"fc_{turn}_{index}",
            "type": "function_call",
            "call_id": f"call_{turn}_{index}",
            "name": name,
            "arguments": json.dumps(arguments),
            "status": "completed",
        }
        for index, (name, arguments) in enumerate(calls)
    ]
    if text:
        part = {"type": "output_text", "text": text, "annotations": []}
        message = {"type": "message", "role": "assistant", "status": "completed"}
        items.append({"id": f"msg_{turn}", **message, "content": [part]})
    events: list[dict[str, Any]] = []
    for index, item in enumerate(items):
        place = {"output_index": index, "item": item}
        events.append({"type": "response.output_item.added", **place})
        if text:
            piece = {"item_id": item["id"], "output_index": index, "content_index": 0}
            events.append({"type": "response.output_text.delta", **piece, "delta": text})
        events.append({"type": "response.output_item.done", **place})
    whole = {"id": f"resp_{turn}", "object": "response", "status": "completed", "output": items}
    events.append({"type": "response.completed", "response": whole})
    numbered = [{**each, "sequence_number": number} for number, each in enumerate(events)]
    return [(each["type"], each) for each in numbered]


def _message(text: str, calls: Sequence[Call], turn: int) -> Iterable[tuple[str, Any]]:
    """The events of a message."""
    usage = {"input_tokens": 1, "output_tokens": 1}
    start = {"id": f"msg_{turn}", "role": "assistant", "content": [], "usage": usage}
    events: list[dict[str, Any]] = [{"type": "message_start", "message": start}]
    blocks: list[tuple[dict[str, Any], dict[str, Any]]] = [
        (
            {"type": "tool_use", "id": f"toolu_{turn}_{index}", "name": name, "input": {}},
            {"type": "input_json_delta", "partial_json": json.dumps(arguments)},
        )
        for index, (name, arguments) in enumerate(calls)
    ]
    if text:
        blocks.append(({"type": "text", "text": ""}, {"type": "text_delta", "text": text}))
    for index, (block, delta) in enumerate(blocks):
        events.append({"type": "content_block_start", "index": index, "content_block": block})
        events.append({"type": "content_block_delta", "index": index, "delta": delta})
        events.append({"type": "content_block_stop", "index": index})
    reason = {"stop_reason": "tool_use" if calls else "end_turn"}
    events.append({"type": "message_delta", "delta": reason, "usage": usage})
    events.append({"type": "message_stop"})
    return [(each["type"], each) for each in events]


def _write(
    events: Callable[[str, Sequence[Call], int], Iterable[tuple[str, Any]]], end: bytes = b""
) -> Callable[[str, Sequence[Call], int], bytes]:
    def write(text: str, calls: Sequence[Call], turn: int) -> bytes:
        pieces = []
        for name, event in events(text, calls, turn):
            head = f"event: {name}\n" if name else ""
            pieces.append(f"{head}data: {json.dumps(event)}\n\n".encode())
        return b"".join(pieces) + end

    return write


STREAMS: Mapping[str, Callable[[str, Sequence[Call], int], bytes]] = {
    "openai chat": _write(_chat, b"data: [DONE]\n\n"),
    "openai responses": _write(_response),
    "anthropic": _write(_message),
}
"""The bytes of an answer by the name of the API: its text, its calls, the number of its turn."""
