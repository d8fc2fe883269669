"""A turn that Anthropic pauses is sent back and goes on; it is one answer in the end."""

import json
from typing import Any

import pytest

from arc_core import ChatRequest, ChatResponse, FinishReason, ToolCall, UserMessage
from arc_core.testing.vendor_server import Reply, VendorServer
from arc_plugins.models.anthropic.chat_model import AnthropicChatModel
from tests.wire.answers import whole
from tests.wire.models import asking

REQUEST = ChatRequest(messages=(UserMessage("What is new?"),))
EITHER = pytest.mark.parametrize("streaming", [False, True], ids=["complete", "stream"])
THINKING: dict[str, Any] = {"type": "thinking", "thinking": "Let me search.", "signature": "c2ln"}
SEARCH: dict[str, Any] = {
    "type": "server_tool_use",
    "id": "srv_1",
    "name": "web_search",
    "input": {"query": "new"},
}
FOUND: dict[str, Any] = {"type": "web_search_tool_result", "tool_use_id": "srv_1", "content": []}
SO_FAR: list[dict[str, Any]] = [THINKING, {"type": "text", "text": "I search. "}, SEARCH]
USE: dict[str, Any] = {"type": "tool_use", "id": "call_1", "name": "look", "input": {"at": "it"}}
REST: list[dict[str, Any]] = [FOUND, {"type": "text", "text": "Nothing."}]


def reply(blocks: list[dict[str, Any]], reason: str, *, streaming: bool) -> Reply:
    """A message of these blocks."""
    usage = {"input_tokens": 10, "output_tokens": 5}
    if not streaming:
        said = {"type": "message", "content": blocks, "stop_reason": reason, "usage": usage}
        return Reply.json(said)
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {"content": [], "usage": usage}}
    ]
    for index, block in enumerate(blocks):
        start = {"type": "content_block_start", "index": index, "content_block": block}
        events += [start, {"type": "content_block_stop", "index": index}]
    events.append({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": usage})
    events.append({"type": "message_stop"})
    return Reply.events("".join(f"data: {json.dumps(each)}\n\n" for each in events).encode())


async def ask(server: VendorServer, *, streaming: bool) -> ChatResponse:
    """The answer of Anthropic's model."""
    async with asking(server, AnthropicChatModel) as model:
        return await (whole(model.stream(REQUEST)) if streaming else model.complete(REQUEST))


@EITHER
async def test_a_paused_turn_is_sent_back_and_goes_on(*, streaming: bool) -> None:
    """As it came; the answer has the text of both parts, and both are paid for."""
    parts = [
        reply(SO_FAR, "pause_turn", streaming=streaming),
        reply(REST, "end_turn", streaming=streaming),
    ]

    async with VendorServer(*parts) as server:
        answer = await ask(server, streaming=streaming)

    assert server.requests[1].json()["messages"][1:] == [{"role": "assistant", "content": SO_FAR}]
    assert answer.message.content == "I search. Nothing."
    assert answer.finish_reason is FinishReason.STOP
    assert answer.usage is not None
    assert (answer.usage.prompt_tokens, answer.usage.completion_tokens) == (20, 10)


@EITHER
async def test_a_tool_call_after_a_pause_goes_back_with_all_of_the_turn(*, streaming: bool) -> None:
    """Thinking, what the vendor's tools did, and the call, in their order."""
    parts = [
        reply(SO_FAR, "pause_turn", streaming=streaming),
        reply([FOUND, USE], "tool_use", streaming=streaming),
    ]

    async with VendorServer(*parts) as server, asking(server, AnthropicChatModel) as model:
        asked = model.stream(REQUEST) if streaming else None
        answer = await (whole(asked) if asked is not None else model.complete(REQUEST))
        server.add(reply(REST, "end_turn", streaming=False))
        await model.complete(ChatRequest(messages=(*REQUEST.messages, answer.message)))

    assert answer.message.tool_calls == (ToolCall("call_1", "look", '{"at":"it"}'),)
    sent = server.requests[2].json()["messages"][1]["content"]
    sent[-1].pop("cache_control", None)
    assert sent == [*SO_FAR, FOUND, USE]


@EITHER
async def test_pauses_are_bounded(*, streaming: bool) -> None:
    """A turn that never ends is an answer that was cut off, not a finished one."""
    paused = reply([{"type": "text", "text": "."}, SEARCH], "pause_turn", streaming=streaming)

    async with VendorServer(*[paused] * 99) as server:
        answer = await ask(server, streaming=streaming)

    assert len(server.requests) == 11
    assert answer.message.content == "." * 11
    assert answer.finish_reason is FinishReason.LENGTH


@EITHER
async def test_an_answer_that_fills_the_window_was_cut_off(*, streaming: bool) -> None:
    """Its text is paid for, and kept."""
    full = reply(
        [{"type": "text", "text": "One"}], "model_context_window_exceeded", streaming=streaming
    )

    async with VendorServer(full) as server:
        answer = await ask(server, streaming=streaming)

    assert (answer.message.content, answer.finish_reason) == ("One", FinishReason.LENGTH)
