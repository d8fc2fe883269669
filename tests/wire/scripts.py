"""Streams in the vendors' forms, written by hand: what a test needs and no recording has."""

import json
from collections.abc import Sequence
from typing import Any

from arc_core import ToolCall
from arc_core.testing.vendor_server import Reply
from arc_plugins.models.anthropic.chat_model import AnthropicChatModel
from arc_plugins.models.gemini.chat_model import GeminiChatModel
from arc_plugins.models.openai.chat.chat_model import OpenAIChatModel
from arc_plugins.models.openai.responses.chat_model import OpenAIResponsesChatModel
from tests.arc_plugins.models.openai.responses import answers
from tests.wire.models import VendorModel

WORDS = ("The ", "weather ", "is ", "fine", ".")


def chat_events(*chunks: dict[str, Any]) -> bytes:
    """Chunks as Chat Completions sends them."""
    events = [json.dumps({"object": "chat.completion.chunk", **chunk}) for chunk in chunks]
    return "".join(f"data: {event}\n\n" for event in [*events, "[DONE]"]).encode()


def _choice(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}


def chat_text(words: Sequence[str] = WORDS) -> bytes:
    """An answer in these pieces."""
    usage = {"prompt_tokens": 7, "completion_tokens": len(words)}
    return chat_events(
        _choice({"role": "assistant", "content": ""}),
        *(_choice({"content": word}) for word in words),
        _choice({}, "stop"),
        {"choices": [], "usage": usage},
    )


def chat_calls(*calls: ToolCall) -> bytes:
    """Tool calls, their arguments in two pieces."""
    pieces = []
    for index, call in enumerate(calls):
        half = len(call.arguments) // 2
        first = {"name": call.name, "arguments": call.arguments[:half]}
        rest = {"arguments": call.arguments[half:]}
        pieces.append({"index": index, "id": call.id, "type": "function", "function": first})
        pieces.append({"index": index, "function": rest})
    return chat_events(
        *(_choice({"tool_calls": [piece]}) for piece in pieces), _choice({}, "tool_calls")
    )


def message_events(*events: dict[str, Any]) -> bytes:
    """Events as the Messages API sends them."""
    return "".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in events).encode()


def message_blocks(*blocks: dict[str, Any], reason: str) -> bytes:
    """A message of these blocks: text in words, tool use in two pieces, others at once."""
    usage = {"input_tokens": 7, "output_tokens": 1}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {"role": "assistant", "content": [], "usage": usage}}
    ]
    for index, block in enumerate(blocks):
        events += _block_events(index, block)
    end = {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 5}}
    return message_events(*events, end, {"type": "message_stop"})


def _block_events(index: int, block: dict[str, Any]) -> list[dict[str, Any]]:
    deltas: list[dict[str, Any]] = []
    start = block
    if block["type"] == "text":
        start = {"type": "text", "text": ""}
        deltas = [{"type": "text_delta", "text": word} for word in block["words"]]
    elif block["type"] == "tool_use":
        start = {**block, "input": {}}
        text = json.dumps(block["input"])
        halves = (text[: len(text) // 2], text[len(text) // 2 :])
        deltas = [{"type": "input_json_delta", "partial_json": half} for half in halves]
    return [
        {"type": "content_block_start", "index": index, "content_block": start},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]


def message_text(words: Sequence[str] = WORDS) -> bytes:
    """An answer in these pieces."""
    return message_blocks({"type": "text", "words": words}, reason="end_turn")


def message_calls(*calls: ToolCall, before: Sequence[dict[str, Any]] = ()) -> bytes:
    """Tool calls, after some other blocks."""
    uses = [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": json.loads(call.arguments)}
        for call in calls
    ]
    return message_blocks(*before, *uses, reason="tool_use")


def response_text(words: Sequence[str] = WORDS) -> bytes:
    """An answer in these pieces."""
    item = answers.message("".join(words))
    pieces = [answers.text(0, word) for word in words]
    usage = {"input_tokens": 7, "output_tokens": 5}
    end = answers.completed(item, usage=usage)
    return answers.stream_of(answers.added(0, item), *pieces, answers.done(0, item), end)


def response_calls(*calls: ToolCall) -> bytes:
    """Tool calls, their arguments in two pieces."""
    events, items = [], list(map(_function_call, calls))
    for index, item in enumerate(items):
        text = item["arguments"]
        halves = (text[: len(text) // 2], text[len(text) // 2 :])
        pieces = [answers.arguments(index, half) for half in halves]
        events += [answers.added(index, item), *pieces, answers.done(index, item)]
    return answers.stream_of(*events, answers.completed(*items))


def _function_call(call: ToolCall) -> dict[str, Any]:
    said = {"call_id": call.id, "name": call.name, "arguments": call.arguments}
    return {**answers.CALL, "id": f"fc_{call.name}", **said}


def content_events(*chunks: dict[str, Any]) -> bytes:
    """Chunks as Gemini sends them."""
    return "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks).encode()


def content(*parts: dict[str, Any], **candidate: str) -> dict[str, Any]:
    """A chunk of Gemini's, or a whole answer."""
    counts = {"promptTokenCount": 7, "candidatesTokenCount": 5, "totalTokenCount": 12}
    said = {"content": {"parts": list(parts), "role": "model"}, "index": 0, **candidate}
    return {"candidates": [said], "usageMetadata": counts, "modelVersion": "gemini-3.8-flash"}


def content_text(words: Sequence[str] = WORDS) -> bytes:
    """An answer in these pieces."""
    pieces = [content({"text": word}) for word in words]
    return content_events(*pieces, content({"text": ""}, finishReason="STOP"))


def content_calls(*calls: ToolCall) -> bytes:
    """Tool calls, each whole."""
    pieces = [content(part) for part in _content_parts(calls)]
    return content_events(*pieces, content(finishReason="STOP"))


def _content_parts(calls: Sequence[ToolCall]) -> list[dict[str, Any]]:
    return [
        {"functionCall": {"id": c.id, "name": c.name, "args": json.loads(c.arguments)}}
        for c in calls
    ]


TEXT_STREAMS: dict[type[VendorModel], bytes] = {
    OpenAIChatModel: chat_text(),
    AnthropicChatModel: message_text(),
    OpenAIResponsesChatModel: response_text(),
    GeminiChatModel: content_text(),
}
_CALL_STREAMS = {
    OpenAIChatModel: chat_calls,
    AnthropicChatModel: message_calls,
    OpenAIResponsesChatModel: response_calls,
    GeminiChatModel: content_calls,
}


def calls_stream(model_type: type[VendorModel], *calls: ToolCall) -> bytes:
    """A stream of tool calls in the form of a vendor."""
    return _CALL_STREAMS[model_type](*calls)


def calls_reply(model_type: type[VendorModel], *calls: ToolCall) -> Reply:
    """A whole answer that calls tools."""
    if model_type is OpenAIChatModel:
        written = [
            {"id": c.id, "type": "function", "function": {"name": c.name, "arguments": c.arguments}}
            for c in calls
        ]
        return _completion({"content": None, "tool_calls": written}, "tool_calls")
    if model_type is OpenAIResponsesChatModel:
        return _response(*map(_function_call, calls))
    if model_type is GeminiChatModel:
        return Reply.json(content(*_content_parts(calls), finishReason="STOP"))
    uses = [
        {"type": "tool_use", "id": c.id, "name": c.name, "input": json.loads(c.arguments)}
        for c in calls
    ]
    return _message(uses, "tool_use")


def text_reply(model_type: type[VendorModel], text: str) -> Reply:
    """A whole answer of text."""
    if model_type is OpenAIChatModel:
        return _completion({"content": text}, "stop")
    if model_type is OpenAIResponsesChatModel:
        return _response(answers.message(text))
    if model_type is GeminiChatModel:
        return Reply.json(content({"text": text}, finishReason="STOP"))
    return _message([{"type": "text", "text": text}], "end_turn")


def _completion(message: dict[str, Any], reason: str) -> Reply:
    usage = {"prompt_tokens": 7, "completion_tokens": 5}
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": reason}
    return Reply.json({"choices": [choice], "usage": usage})


def _message(content: list[dict[str, Any]], reason: str) -> Reply:
    usage = {"input_tokens": 7, "output_tokens": 5}
    return Reply.json(
        {"type": "message", "content": content, "stop_reason": reason, "usage": usage}
    )


def _response(*items: dict[str, Any]) -> Reply:
    usage = {"input_tokens": 7, "output_tokens": 5}
    return Reply.json(answers.response(*items, usage=usage))
