"""A fake of the vendors for benchmarks: a process of its own that costs its clients nothing.

The first part of a path is a script: `/words=500,delay=2/v1/chat/completions`.

- `words=N`: the answer has N words, a piece each when it is streamed.
- `tools=N`: first N parallel calls of the offered tools; the answer once their results are there.
- `delay=MS`: milliseconds between pieces; 0 sends all of them at once.
- `turns=1`: each piece is a write of its own, so that concurrent streams interleave.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from benchmarks.fake_responses import Call, response_body, response_events

WORDS = (
    " wind",
    " carries",
    " small",
    " seeds",
    " over",
    " the",
    " green",
    " hills",
    " at",
    " dawn",
)


def get_text(words: int) -> str:
    """The answer of so many words."""
    return "".join(_pieces(words))


def _pieces(words: int) -> list[str]:
    return [WORDS[place % len(WORDS)] for place in range(words)]


def script_of(path: str) -> dict[str, int]:
    """The numbers in the first part of a path."""
    pairs = (pair.split("=") for pair in path.split("/")[1].split(","))
    return {name: int(value) for name, value in pairs}


def _chunk(delta: dict[str, Any], reason: str | None = None, **fields: Any) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
    return {
        "id": "chatcmpl-B3nchm4rk0000000000000000000",
        "object": "chat.completion.chunk",
        "created": 1763600000,
        "model": "bench-1",
        "service_tier": "default",
        "system_fingerprint": "fp_0a1b2c3d4e",
        "choices": [choice],
        "usage": None,
        "obfuscation": "x7Yz",
        **fields,
    }


USAGE = {"prompt_tokens": 40, "completion_tokens": 20, "total_tokens": 60}


def chat_stream(words: Sequence[str], calls: Sequence[Call]) -> list[bytes]:
    """The events of a chat completion."""
    pieces: list[dict[str, Any]] = [{"content": word} for word in words]
    if calls:
        pieces = []
        for index, call in enumerate(calls):
            head = {"name": call.name, "arguments": ""}
            pieces.append({"tool_calls": [{"index": index, "id": call.id, "function": head}]})
            for part in call.parts:
                piece = {"index": index, "function": {"arguments": part}}
                pieces.append({"tool_calls": [piece]})
    chunks = [_chunk({"role": "assistant", "content": None if calls else ""})]
    chunks += map(_chunk, pieces)
    chunks += [_chunk({}, "tool_calls" if calls else "stop"), _chunk({}, choices=[], usage=USAGE)]
    return [*(b"data: " + _json(chunk) + b"\n\n" for chunk in chunks), b"data: [DONE]\n\n"]


def chat_body(words: Sequence[str], calls: Sequence[Call]) -> bytes:
    """A whole chat completion."""
    message: dict[str, Any] = {"role": "assistant", "content": "".join(words), "refusal": None}
    if calls:
        message["content"] = None
        message["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for call in calls
        ]
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}
    return _json(
        {"id": "chatcmpl-B3nchm4rk", "model": "bench-1", "choices": [choice], "usage": USAGE}
    )


A_USAGE = {"input_tokens": 40, "output_tokens": 20}


def message_stream(words: Sequence[str], calls: Sequence[Call]) -> list[bytes]:
    """The events of a message."""
    start = {"id": "msg_bench", "role": "assistant", "content": [], "usage": A_USAGE}
    events: list[dict[str, Any]] = [{"type": "message_start", "message": start}]
    blocks: list[tuple[dict[str, Any], list[dict[str, Any]]]] = [
        ({"type": "text", "text": ""}, [{"type": "text_delta", "text": word} for word in words])
    ]
    if calls:
        blocks = [
            (
                {"type": "tool_use", "id": call.id, "name": call.name, "input": {}},
                [{"type": "input_json_delta", "partial_json": part} for part in call.parts],
            )
            for call in calls
        ]
    for index, (block, deltas) in enumerate(blocks):
        events.append({"type": "content_block_start", "index": index, "content_block": block})
        events += [{"type": "content_block_delta", "index": index, "delta": d} for d in deltas]
        events.append({"type": "content_block_stop", "index": index})
    reason = "tool_use" if calls else "end_turn"
    events.append({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": A_USAGE})
    events.append({"type": "message_stop"})
    return _add_names(events)


def message_body(words: Sequence[str], calls: Sequence[Call]) -> bytes:
    """A whole message."""
    content: list[dict[str, Any]] = [{"type": "text", "text": "".join(words)}]
    if calls:
        content = [
            {
                "type": "tool_use",
                "id": call.id,
                "name": call.name,
                "input": json.loads(call.arguments),
            }
            for call in calls
        ]
    reason = "tool_use" if calls else "end_turn"
    return _json({"type": "message", "content": content, "stop_reason": reason, "usage": A_USAGE})


def response_stream(words: Sequence[str], calls: Sequence[Call]) -> list[bytes]:
    """The events of a response."""
    return _add_names(response_events(words, calls))


def response_json(words: Sequence[str], calls: Sequence[Call]) -> bytes:
    """A whole response."""
    return _json(response_body(words, calls))


def _content(parts: list[dict[str, Any]], **candidate: str) -> dict[str, Any]:
    counts = {"promptTokenCount": 40, "candidatesTokenCount": 20, "totalTokenCount": 60}
    details = {"promptTokensDetails": [{"modality": "TEXT", "tokenCount": 40}]}
    return {
        "candidates": [{"content": {"parts": parts, "role": "model"}, "index": 0, **candidate}],
        "usageMetadata": {**counts, **details},
        "modelVersion": "bench-1",
        "responseId": "n1P6abvRFaKdz7IPkcuQ2Aw",
    }


def _content_parts(words: Sequence[str], calls: Sequence[Call]) -> list[dict[str, Any]]:
    if calls:
        return [
            {"functionCall": {"name": call.name, "args": json.loads(call.arguments)}}
            for call in calls
        ]
    return [{"text": word} for word in words]


def content_stream(words: Sequence[str], calls: Sequence[Call]) -> list[bytes]:
    """The events of Gemini's answer."""
    events = [_content([part]) for part in _content_parts(words, calls)]
    events.append(_content([{"text": ""}], finishReason="STOP"))
    return [b"data: %s\r\n\r\n" % _json(event) for event in events]


def content_body(words: Sequence[str], calls: Sequence[Call]) -> bytes:
    """A whole answer of Gemini's."""
    return _json(_content(_content_parts(words, calls), finishReason="STOP"))


_BODIES: Mapping[str, Callable[[Sequence[str], Sequence[Call]], bytes]] = {
    "chat": chat_body,
    "gemini": content_body,
    "messages": message_body,
    "responses": response_json,
}
STREAMS: Mapping[str, Callable[[Sequence[str], Sequence[Call]], list[bytes]]] = {
    "chat": chat_stream,
    "gemini": content_stream,
    "messages": message_stream,
    "responses": response_stream,
}


def _add_names(events: list[dict[str, Any]]) -> list[bytes]:
    return [b"event: %s\ndata: %s\n\n" % (e["type"].encode(), _json(e)) for e in events]


def _json(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


@lru_cache
def render(*, api: str, streamed: bool, words: int, calls: tuple[str, ...]) -> tuple[bytes, ...]:
    """A response: its head, then its pieces.

    Args:
        api: A name of `STREAMS`.
        streamed: Whether it is one.
        words: Of its text.
        calls: The names of the tools that are called in place of a text.
    """
    pieces = _pieces(words)
    called = [Call(f"call_{i}", name, '{"city": "Busan"}') for i, name in enumerate(calls)]
    if not streamed:
        body = _BODIES[api](pieces, called)
        return (_head(f"content-type: application/json\r\ncontent-length: {len(body)}") + body,)
    events = STREAMS[api](pieces, called)
    chunks = [b"%x\r\n%s\r\n" % (len(event), event) for event in events]
    chunks[-1] += b"0\r\n\r\n"
    return (_head("content-type: text/event-stream\r\ntransfer-encoding: chunked"), *chunks)


def _head(headers: str) -> bytes:
    return f"HTTP/1.1 200 OK\r\nx-request-id: req_bench\r\n{headers}\r\n\r\n".encode()
