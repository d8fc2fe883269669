"""What a stream says, put together as the engine does, and what its index expects."""

import json
from collections.abc import AsyncIterator
from typing import Any

from arc_core import (
    AssistantMessage,
    ChatDelta,
    ChatRequest,
    ChatResponse,
    FinishReason,
    Reasoning,
    TokenUsage,
    ToolCall,
    UserMessage,
)
from tests.wire.recorded import Recording

QUESTION = ChatRequest(messages=(UserMessage("How is the weather?"),), max_output_tokens=100)
_PROMPT_TOKENS = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


class Answer:
    """Takes deltas and gives the whole answer."""

    def __init__(self) -> None:
        self.deltas: list[ChatDelta] = []

    def build(self) -> ChatResponse:
        """The answer so far."""
        calls: dict[int, list[str]] = {}
        for piece in (piece for delta in self.deltas for piece in delta.tool_calls):
            call = calls.setdefault(piece.index, ["", "", ""])
            for place, text in enumerate((piece.id, piece.name, piece.arguments)):
                call[place] += text or ""
        return ChatResponse(
            AssistantMessage(
                self._last("content") or "".join(delta.text or "" for delta in self.deltas),
                tuple(ToolCall(*calls[index]) for index in sorted(calls)),
                self._reasoning(),
                self._last("vendor_content"),
            ),
            self._last("usage"),
            self._last("finish_reason"),
        )

    def _reasoning(self) -> tuple[Reasoning, ...]:
        blocks = [delta.reasoning_blocks for delta in self.deltas if delta.reasoning_blocks]
        text = "".join(delta.reasoning or "" for delta in self.deltas)
        return blocks[-1] if blocks else (Reasoning(text),) * bool(text)

    def _last(self, field: str) -> Any:
        values = [getattr(delta, field) for delta in self.deltas]
        return next((value for value in reversed(values) if value not in (None, ())), None)


async def whole(stream: AsyncIterator[ChatDelta]) -> ChatResponse:
    """All of a stream."""
    answer = Answer()
    async for delta in stream:
        answer.deltas.append(delta)
    return answer.build()


def expected_of_chat(recording: Recording) -> ChatResponse:
    """What the index of a Chat Completions stream says, in Arc's words."""
    facts = recording.facts.get("expected_plain") or recording.facts["expected_sdk"]
    choice = facts["choices"][0]
    calls = [ToolCall(c["id"] or "", c["name"], c["arguments"]) for c in choice["tool_calls"]]
    refused = bool(choice["refusal"])
    reason = "content_filter" if refused else choice["finish_reason"]
    usage = facts["usage"]
    return ChatResponse(
        AssistantMessage(choice["content"] or "", tuple(calls), _thoughts(choice["reasoning"])),
        usage_of_chat(usage) if usage else None,
        FinishReason(reason) if reason else None,
    )


def _thoughts(reasoning: str | None) -> tuple[Reasoning, ...]:
    return (Reasoning(reasoning),) if reasoning else ()


def usage_of_chat(usage: dict[str, Any]) -> TokenUsage:
    """The counts, read independently; one server counts reasoning in the total only."""
    prompt, completion = usage["prompt_tokens"], usage["completion_tokens"]
    cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens", 0)
    reasoning = (usage.get("completion_tokens_details") or {}).get("reasoning_tokens", 0)
    apart = reasoning if usage["total_tokens"] == prompt + completion + reasoning else 0
    return TokenUsage(prompt, completion + apart, cached, 0, reasoning)


STOP_REASONS = {
    "end_turn": FinishReason.STOP,
    "tool_use": FinishReason.TOOL_CALLS,
    "max_tokens": FinishReason.LENGTH,
    "refusal": FinishReason.CONTENT_FILTER,
}


def expected_of_message(message: dict[str, Any]) -> ChatResponse:
    """What a message, as Anthropic's SDK puts it together, is in Arc's words."""
    blocks, usage = message["content"], message["usage"]
    calls = [
        ToolCall(block["id"], block["name"], json.dumps(block["input"]))
        for block in blocks
        if block["type"] == "tool_use"
    ]
    text = "".join(block["text"] for block in blocks if block["type"] == "text")
    prompt_tokens, written, cached = (usage.get(name) or 0 for name in _PROMPT_TOKENS)
    thoughts = [
        Reasoning(
            block.get("thinking", ""), block.get("signature", block.get("data")), "data" in block
        )
        for block in blocks
        if block["type"] in {"thinking", "redacted_thinking"}
    ]
    thinking = (usage.get("output_tokens_details") or {}).get("thinking_tokens", 0)
    counts = (prompt_tokens + written + cached, usage["output_tokens"], cached, written, thinking)
    return ChatResponse(
        AssistantMessage(text, tuple(calls), tuple(thoughts)),
        TokenUsage(*counts),
        STOP_REASONS.get(message["stop_reason"], FinishReason.STOP),
    )


def plain(response: ChatResponse) -> ChatResponse:
    """The answer without vendor content, arguments as values: fit to be compared."""
    calls = [
        ToolCall(call.id, call.name, json.dumps(_value_of(call.arguments)))
        for call in response.message.tool_calls
    ]
    message = AssistantMessage(response.message.content, tuple(calls), response.message.reasoning)
    return ChatResponse(message, response.usage, response.finish_reason)


def _value_of(arguments: str) -> object:
    try:
        return json.loads(arguments)
    except ValueError:
        return arguments
