"""A streamed answer in the form of each API that has all that the API can give."""

import json
from base64 import b64encode
from dataclasses import dataclass
from typing import Any

from arc_core import ChatResponse, Message, ToolResult, ToolResultMessage, UserMessage
from arc_plugins.models.anthropic.chat_model import AnthropicChatModel
from arc_plugins.models.gemini.chat_model import GeminiChatModel
from arc_plugins.models.openai.chat.chat_model import OpenAIChatModel
from arc_plugins.models.openai.responses.chat_model import OpenAIResponsesChatModel
from tests.arc_plugins.hosts.bedrock.test_eventstream import chunk
from tests.arc_plugins.models.openai.responses import answers
from tests.wire.models import VendorModel
from tests.wire.scripts import chat_events, content_events, message_events

SIGNATURE = "cHJvYmVkIHNpZ25hdHVyZQ=="
IMAGE = b64encode(b"probed image").decode()
_NAME, _ARGUMENTS = "probed_tool", {"probed_argument": "x"}


@dataclass(frozen=True)
class Answer:
    """An answer that calls a tool."""

    events: tuple[dict[str, Any], ...]
    stream: bytes

    @property
    def framed(self) -> bytes:
        """In Amazon's frames."""
        return b"".join(chunk(json.dumps(event).encode()) for event in self.events)

    def go_on(self, said: ChatResponse) -> tuple[Message, ...]:
        """The messages of the next turn."""
        results = [ToolResult(call.id, call.name, "x") for call in said.message.tool_calls]
        return UserMessage("Hi"), said.message, ToolResultMessage(tuple(results))


def _choice(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}


_CALL = {"index": 0, "id": "call_1", "type": "function",
         "function": {"name": _NAME, "arguments": json.dumps(_ARGUMENTS)},
         "extra_content": {"google": {"thought_signature": SIGNATURE}}}  # fmt: skip
_CHAT = (
    _choice({"role": "assistant", "reasoning_content": "Hm."}),
    _choice({"content": "It "}),
    _choice({"content": "is."}),
    _choice({"images": [{"image_url": {"url": f"data:image/png;base64,{IMAGE}"}}]}),
    _choice({"tool_calls": [_CALL]}),
    _choice({}, "tool_calls"),
    {
        "choices": [],
        "usage": {
            "prompt_tokens": 100,
            "completion_tokens": 50,
            "total_tokens": 150,
            "prompt_tokens_details": {"cached_tokens": 80, "cache_write_tokens": 10},
            "completion_tokens_details": {"reasoning_tokens": 30},
        },
    },
)


def _block(index: int, start: dict[str, Any], *deltas: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"type": "content_block_start", "index": index, "content_block": start},
        *({"type": "content_block_delta", "index": index, "delta": each} for each in deltas),
        {"type": "content_block_stop", "index": index},
    ]


_MESSAGES = (
    {
        "type": "message_start",
        "message": {
            "role": "assistant",
            "content": [],
            "usage": {
                "input_tokens": 10,
                "cache_read_input_tokens": 80,
                "cache_creation_input_tokens": 10,
                "output_tokens": 1,
            },
        },
    },
    *_block(
        0,
        {"type": "thinking", "thinking": "", "signature": ""},
        {"type": "thinking_delta", "thinking": "Hm."},
        {"type": "signature_delta", "signature": SIGNATURE},
    ),
    *_block(
        1,
        {"type": "text", "text": ""},
        {"type": "text_delta", "text": "It "},
        {"type": "text_delta", "text": "is."},
    ),
    *_block(
        2,
        {"type": "tool_use", "id": "call_1", "name": _NAME, "input": {}},
        {"type": "input_json_delta", "partial_json": json.dumps(_ARGUMENTS)},
    ),
    {
        "type": "message_delta",
        "delta": {"stop_reason": "tool_use"},
        "usage": {"output_tokens": 50, "output_tokens_details": {"thinking_tokens": 30}},
    },
    {"type": "message_stop"},
)

_ITEMS: tuple[dict[str, Any], ...] = (
    {**answers.REASONING, "encrypted_content": SIGNATURE},
    answers.message("It is."),
    {"id": "ig_1", "type": "image_generation_call", "status": "completed", "result": IMAGE},
    {**answers.CALL, "name": _NAME, "arguments": json.dumps(_ARGUMENTS)},
)
_RESPONSES = (
    answers.added(0, _ITEMS[0]),
    answers.thought(0, "Hm."),
    answers.done(0, _ITEMS[0]),
    answers.added(1, _ITEMS[1]),
    answers.text(1, "It "),
    answers.text(1, "is."),
    answers.done(1, _ITEMS[1]),
    answers.added(2, _ITEMS[2]),
    answers.done(2, _ITEMS[2]),
    answers.added(3, _ITEMS[3]),
    answers.arguments(3, json.dumps(_ARGUMENTS)),
    answers.done(3, _ITEMS[3]),
    answers.completed(*_ITEMS),
)


def _candidate(*parts: dict[str, Any], **candidate: str) -> dict[str, Any]:
    said = {"content": {"parts": list(parts), "role": "model"}, "index": 0, **candidate}
    return {"candidates": [said]}


_GEMINI: tuple[dict[str, Any], ...] = (
    _candidate({"text": "Hm.", "thought": True}),
    _candidate({"text": "It "}),
    _candidate({"text": "is."}),
    _candidate({"inlineData": {"mimeType": "image/png", "data": IMAGE}}),
    _candidate(
        {"functionCall": {"name": _NAME, "args": _ARGUMENTS}, "thoughtSignature": SIGNATURE}
    ),
    {
        **_candidate(finishReason="STOP"),
        "usageMetadata": {
            "promptTokenCount": 100,
            "cachedContentTokenCount": 80,
            "candidatesTokenCount": 20,
            "thoughtsTokenCount": 30,
            "totalTokenCount": 150,
        },
    },
)

ANSWERS: dict[type[VendorModel], Answer] = {
    OpenAIChatModel: Answer(_CHAT, chat_events(*_CHAT)),
    AnthropicChatModel: Answer(_MESSAGES, message_events(*_MESSAGES)),
    OpenAIResponsesChatModel: Answer(_RESPONSES, answers.stream_of(*_RESPONSES)),
    GeminiChatModel: Answer(_GEMINI, content_events(*_GEMINI)),
}
