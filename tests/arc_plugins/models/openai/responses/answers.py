"""Items and events of responses, as OpenAI sends them."""

import json
from collections.abc import Iterable
from typing import Any

from arc_core import ChatDelta, ChatResponse
from arc_core.wire import EventStreamDecoder
from arc_plugins.models.openai.responses.events import ResponseEventDecoder

REASONING = {
    "id": "rs_1",
    "type": "reasoning",
    "summary": [{"type": "summary_text", "text": "I look it up."}],
    "encrypted_content": "gAAA+/=",
}
CALL = {
    "id": "fc_1",
    "type": "function_call",
    "status": "completed",
    "call_id": "call_1",
    "name": "get_weather",
    "arguments": '{"city": "Seoul"}',
}
SEARCH = {
    "id": "ws_1",
    "type": "web_search_call",
    "status": "completed",
    "action": {"type": "search", "query": "weather"},
}
USAGE = {
    "input_tokens": 7,
    "input_tokens_details": {"cached_tokens": 4, "cache_write_tokens": 2},
    "output_tokens": 5,
    "output_tokens_details": {"reasoning_tokens": 3},
}


def message(text: str, **more: Any) -> dict[str, Any]:
    """A message of one text."""
    part = {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "status": "completed",
        "content": [part],
        **more,
    }


def response(*items: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A response, complete if nothing else is said."""
    return {
        "id": "resp_1",
        "status": "completed",
        "error": None,
        "incomplete_details": None,
        "output": list(items),
        "usage": USAGE,
        **more,
    }


def event(kind: str, **fields: Any) -> dict[str, Any]:
    """An event of a type without its prefix."""
    return {"type": f"response.{kind}", **fields}


def added(index: int, item: dict[str, Any]) -> dict[str, Any]:
    """The announcement of an item, which has no content yet."""
    start = {**item, "content": [], "arguments": "", "summary": [], "status": "in_progress"}
    announced = {name: value for name, value in start.items() if name in item}
    return event("output_item.added", output_index=index, item=announced)


def done(index: int, item: dict[str, Any]) -> dict[str, Any]:
    """An item as it is in the end."""
    return event("output_item.done", output_index=index, item=item)


def text(index: int, piece: str) -> dict[str, Any]:
    """A piece of a message."""
    return event("output_text.delta", output_index=index, content_index=0, delta=piece)


def arguments(index: int, piece: str) -> dict[str, Any]:
    """A piece of a call's arguments."""
    return event("function_call_arguments.delta", output_index=index, delta=piece)


def thought(index: int, piece: str, *, summary: int = 0) -> dict[str, Any]:
    """A piece of a summary of reasoning."""
    return event(
        "reasoning_summary_text.delta", output_index=index, summary_index=summary, delta=piece
    )


def completed(*items: dict[str, Any], **more: Any) -> dict[str, Any]:
    """The end of a response."""
    return event("completed", response=response(*items, **more))


def stream_of(*events: dict[str, Any]) -> bytes:
    """The bytes of a stream."""
    return "".join(f"event: {e.get('type')}\ndata: {json.dumps(e)}\n\n" for e in events).encode()


def deltas_of(*events: dict[str, Any]) -> list[ChatDelta]:
    """What the events of one stream are decoded to."""
    return decode_all(ResponseEventDecoder(), events)


def decode_all(decoder: ResponseEventDecoder, events: Iterable[dict[str, Any]]) -> list[ChatDelta]:
    """What a decoder makes of events."""
    parsed = EventStreamDecoder().feed(stream_of(*events))
    return [delta for each in parsed if (delta := decoder.decode(each)) is not None]


def joined(deltas: Iterable[ChatDelta]) -> tuple[str, str, str]:
    """The text, the arguments of all calls, and the reasoning of deltas."""
    deltas = list(deltas)
    pieces = [piece.arguments or "" for delta in deltas for piece in delta.tool_calls]
    texts = [delta.text or "" for delta in deltas]
    return "".join(texts), "".join(pieces), "".join([d.reasoning or "" for d in deltas])


def vendor_items(answer: ChatResponse) -> list[dict[str, Any]]:
    """The items that an answer keeps."""
    kept: Any = answer.message.vendor_content
    items: list[dict[str, Any]] = kept["openai_responses"]
    return items
